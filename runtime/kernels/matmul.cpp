// matmul in all its rank cases: batches of matrix products.
#include "runtime/body.h"
#include "runtime/kernels/gemm.h"
#include "runtime/ops.h"

namespace rt {
namespace {

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
  Tensor out = emptyTensor(Dims(shapes[2]), a.dtype(), a.device());
  gemm(a.device(), a.dtype(), {dataOf(left), dataOf(right), dataOf(out), m, n, k, numelOf(batch.value)});
  if (vectorLeft) out = reshape(out, [&] { auto s = shapes[2]; s.erase(s.end() - 2); return s; }());
  if (vectorRight) out = squeeze(out, {-1});
  return out;
}

}  // namespace kernels
}  // namespace rt
