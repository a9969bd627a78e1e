#include "runtime/kernels/gemm.h"

#include "runtime/body.h"
#include "runtime/kernels/product.h"
#include "runtime/launch.h"

namespace rt {
namespace {

template <typename S> bool multiplyEach(const Gemm& g) {
  if (g.m * g.n * g.k <= smallProduct) return false;
  for (int64_t i = 0; i < g.count; ++i)
    multiply<S>({static_cast<const S*>(g.a) + i * g.m * g.k, g.k}, {static_cast<const S*>(g.b) + i * g.k * g.n, g.n}, static_cast<S*>(g.c) + i * g.m * g.n, g.n, g.m, g.n, g.k);
  return true;
}

}  // namespace

bool gemmOnCpu(DType dtype, const Gemm& g) {
  if (dtype == DType::float32) return multiplyEach<float>(g);
  if (dtype == DType::float64) return multiplyEach<double>(g);
  return false;
}

void gemm(Device device, DType dtype, const Gemm& g) {
  if (g.k > 0 && backendOf(device).gemm(dtype, g)) return;
  withType(dtype, [&]<typename S>() {
    launch(device, g.count * g.m * g.n, MatrixProduct<S>{static_cast<const S*>(g.a), static_cast<const S*>(g.b), static_cast<S*>(g.c), g.m, g.n, g.k}, g.k);
  });
}

}  // namespace rt
