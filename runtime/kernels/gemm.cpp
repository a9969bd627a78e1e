#include "runtime/kernels/gemm.h"

#include "runtime/body.h"
#include "runtime/launch.h"

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*, const int*, const double*, double*, const int*);
}

namespace rt {
namespace {

constexpr int64_t smallProduct = 4096;  // multiplications below which a plain loop is faster than a BLAS call

// BLAS has matrices column by column: what it multiplies are the transposed ones, in the other order.
template <typename S, typename F> bool multiply(F xgemm, const Gemm& g) {
  if (g.m * g.n * g.k <= smallProduct) return false;
  const int rows = int(g.m), columns = int(g.n), depth = int(g.k);
  const S one = 1, zero = 0;
  for (int64_t i = 0; i < g.count; ++i)
    xgemm("N", "N", &columns, &rows, &depth, &one, static_cast<const S*>(g.b) + i * g.k * g.n, &columns, static_cast<const S*>(g.a) + i * g.m * g.k, &depth, &zero,
          static_cast<S*>(g.c) + i * g.m * g.n, &columns);
  return true;
}

}  // namespace

bool gemmOnCpu(DType dtype, const Gemm& g) {
  if (dtype == DType::float32) return multiply<float>(sgemm_, g);
  if (dtype == DType::float64) return multiply<double>(dgemm_, g);
  return false;
}

void gemm(Device device, DType dtype, const Gemm& g) {
  if (g.k > 0 && backendOf(device).gemm(dtype, g)) return;
  withType(dtype, [&]<typename S>() {
    launch(device, g.count * g.m * g.n, MatrixProduct<S>{static_cast<const S*>(g.a), static_cast<const S*>(g.b), static_cast<S*>(g.c), g.m, g.n, g.k}, g.k);
  });
}

}  // namespace rt
