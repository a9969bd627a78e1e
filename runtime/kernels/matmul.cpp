// matmul in all its rank cases: batches of matrix products; BLAS for large floating ones, a loop for small ones.
#include "runtime/body.h"
#include "runtime/formula.h"
#include "runtime/ops.h"

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*, const int*, const double*, double*, const int*);
}

namespace rt {
namespace {

constexpr int64_t smallProduct = 4096;  // multiplications below which a plain loop is faster than a BLAS call

// c[m, n] = a[m, k] b[k, n], all row-major and contiguous.
template <typename S> void product(const S* a, const S* b, S* c, int64_t m, int64_t n, int64_t k) {
  using T = formula::Math<S>;
  if constexpr (std::is_same_v<S, float> || std::is_same_v<S, double>) {
    if (m * n * k > smallProduct) {
      int rows = int(m), columns = int(n), depth = int(k);
      S one = 1, zero = 0;
      if constexpr (std::is_same_v<S, float>) sgemm_("N", "N", &columns, &rows, &depth, &one, b, &columns, a, &depth, &zero, c, &columns);
      else dgemm_("N", "N", &columns, &rows, &depth, &one, b, &columns, a, &depth, &zero, c, &columns);
      return;
    }
  }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T total = 0;
      for (int64_t l = 0; l < k; ++l) total = T(total + T(a[i * k + l]) * T(b[l * n + j]));
      c[i * n + j] = S(total);
    }
}

[[noreturn]] void mismatch(Op op, const Tensor& a, const Tensor& b) {
  throw Error(std::string(info(op).name) + ": shapes " + toText(a.sizes()) + " and " + toText(b.sizes()) + " cannot be multiplied");
}

}  // namespace

namespace kernels {

Tensor matmul(Op op, Tensors in, const Attributes&) {
  using ops::unsqueeze, ops::squeeze, ops::expand, ops::reshape;
  const Tensor &a = in[0], &b = in[1];
  if (a.dtype() != b.dtype()) throw Error(std::string(info(op).name) + ": expected tensors of one dtype, not " + dtypeName(a.dtype()) + " and " + dtypeName(b.dtype()));
  if (a.dtype() == DType::boolean) throw Error(std::string(info(op).name) + ": not for tensors of boolean");
  bool vectorLeft = a.dim() == 1, vectorRight = b.dim() == 1;
  if (a.dim() == 0 || b.dim() == 0 || (op == Op::mm && (a.dim() != 2 || b.dim() != 2))) mismatch(op, a, b);
  Tensor left = vectorLeft ? unsqueeze(a, {0}) : a, right = vectorRight ? unsqueeze(b, {1}) : b;
  int64_t m = left.size(-2), k = left.size(-1), n = right.size(-1);
  if (right.size(-2) != k) mismatch(op, a, b);

  auto batch = broadcast(info(op).name, left.sizes().first(size_t(left.dim()) - 2), right.sizes().first(size_t(right.dim()) - 2));
  if (!batch) throw Error(batch.error);
  std::vector<int64_t> shapes[3] = {vectorOf(batch.value), vectorOf(batch.value), vectorOf(batch.value)};
  int64_t tails[3][2] = {{m, k}, {k, n}, {m, n}};
  for (int i = 0; i < 3; ++i) shapes[i].insert(shapes[i].end(), tails[i], tails[i] + 2);
  left = plain(expand(left, shapes[0]), a.dtype());
  right = plain(expand(right, shapes[1]), a.dtype());
  Tensor out = emptyTensor(Dims(shapes[2]), a.dtype());
  withType(a.dtype(), [&]<typename S>() {
    for (int64_t i = 0; i < numelOf(batch.value); ++i)
      product(left->data<S>() + i * m * k, right->data<S>() + i * k * n, out->data<S>() + i * m * n, m, n, k);
  });
  if (vectorLeft) out = reshape(out, [&] { auto s = shapes[2]; s.erase(s.end() - 2); return s; }());
  if (vectorRight) out = squeeze(out, {-1});
  return out;
}

}  // namespace kernels
}  // namespace rt
