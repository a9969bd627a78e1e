// The products of two vectors, matrices, or batches of them; what any other pair of ranks means is told in products.cpp.
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
  using ops::unsqueeze;
  const Tensor &a = in[0], &b = in[1];
  if (a.dtype() != b.dtype()) throw Error(std::string(info(op).name) + ": expected tensors of one dtype, not " + dtypeName(a.dtype()) + " and " + dtypeName(b.dtype()));
  if (a.dtype() == DType::boolean) throw Error(std::string(info(op).name) + ": not for tensors of boolean");
  const bool vectorLeft = a.dim() == 1, vectorRight = b.dim() == 1;
  if (a.dim() == 0 || b.dim() == 0 || (op == Op::mm && (a.dim() != 2 || b.dim() != 2))) mismatch(op, a, b);
  const Tensor left = plain(vectorLeft ? unsqueeze(a, {0}) : a, a.dtype()), right = plain(vectorRight ? unsqueeze(b, {1}) : b, b.dtype());
  const int64_t count = left.dim() > 2 ? left.size(0) : 1, m = left.size(-2), k = left.size(-1), n = right.size(-1);
  if (right.size(-2) != k) mismatch(op, a, b);

  Dims sizes;
  if (left.dim() > 2) sizes.push_back(count);
  if (!vectorLeft) sizes.push_back(m);
  if (!vectorRight) sizes.push_back(n);
  Tensor out = emptyTensor(sizes, a.dtype(), a.device());
  gemm(a.device(), a.dtype(), {dataOf(left), dataOf(right), dataOf(out), m, n, k, count});
  return out;
}

}  // namespace kernels
}  // namespace rt
