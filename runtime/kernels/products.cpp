// Products of vectors, matrices and batches of them. Which product a pair of ranks means, what is folded into one large
// product and what is copied on the way follows ATen's matmul, since it decides what a backward pass has saved.
#include "runtime/body.h"
#include "runtime/ops.h"

#include <string_view>

namespace rt {

using namespace ops;

namespace {

void checkRanks(Op op, const Tensor& a, const Tensor& b, int64_t left, int64_t right) {
  if (a.dim() != left || b.dim() != right)
    throw Error(std::string(info(op).name) + ": tensors of rank " + std::to_string(left) + " and " + std::to_string(right) + " are needed, not of shapes " + toText(a.sizes()) + " and " + toText(b.sizes()));
}

Tensor scaledBy(const Tensor& tensor, double by) { return by == 1 ? tensor : mul(tensor, kindOf(tensor.dtype()) == DTypeKind::floating ? Tensor(by) : Tensor(Scalar(int64_t(by)))); }

// Source: ATen's should_fold. `a` has at least the rank of `b`, which is a vector or a matrix.
bool foldsInto(const Tensor& a, const Tensor& b, bool swapped) {
  if (a.dim() < 3 || b.dim() > 2) return false;
  if (b.requiresGrad()) return true;
  if (swapped) return false;
  if (a.numel() == 0) return true;
  for (size_t d = 0; d + 2 < a->sizes.size(); ++d)
    if (a->strides[d] != a->strides[d + 1] * a->sizes[d + 1]) return false;
  return true;
}

Ints sizesBut(const Tensor& tensor, size_t last) { return Ints(tensor.sizes().first(size_t(tensor.dim()) - last)); }
int64_t product(const Ints& sizes) { return numelOf(std::span<const int64_t>(sizes.begin(), sizes.size())); }

// [..., m, k] by [k] or [k, n] as one product of [... * m, k].
Tensor folded(const Tensor& a, const Tensor& b) {
  Ints shape = sizesBut(a, 1);
  const Tensor rows = reshape(a, {product(shape), a.size(-1)});
  if (b.dim() == 1) return reshape(mv(rows, b), shape);
  shape.push_back(b.size(1));
  return reshape(mm(rows, b), shape);
}

Tensor batched(const Tensor& a, const Tensor& b) {
  const Tensor left = a.dim() == 1 ? unsqueeze(a, {0}) : a;
  const auto batch = broadcast("matmul", sizesBut(left, 2), b.dim() == 1 ? Ints() : sizesBut(b, 2));
  if (!batch) throw Error(batch.error);
  auto with = [&](std::initializer_list<int64_t> tail) {
    Ints shape(batch.value);
    for (int64_t size : tail) shape.push_back(size);
    return shape;
  };
  const int64_t n = numelOf(batch.value);
  const Tensor x = reshape(expand(left, with({left.size(-2), left.size(-1)})), {n, left.size(-2), left.size(-1)});
  const Tensor y = b.dim() == 1 ? unsqueeze(reshape(expand(b, with({b.size(0)})), {n, b.size(0)}), {2})
                                : reshape(expand(b, with({b.size(-2), b.size(-1)})), {n, b.size(-2), b.size(-1)});
  const Tensor out = bmm(x, y);
  Ints shape(batch.value);
  if (a.dim() > 1) shape.push_back(left.size(-2));
  if (b.dim() > 1) shape.push_back(b.size(-1));
  return reshape(out, shape);
}

}  // namespace

namespace kernels {

Tensor rankedProduct(Op op, Tensors in, const Attributes&) {
  const Tensor &a = in[0], &b = in[1];
  switch (op) {
    case Op::bmm:
      checkRanks(op, a, b, 3, 3);
      if (a.size(0) != b.size(0)) throw Error("bmm: batches of shapes " + toText(a.sizes()) + " and " + toText(b.sizes()) + " differ in number");
      break;
    case Op::mv: checkRanks(op, a, b, 2, 1); break;
    default: checkRanks(op, a, b, 1, 1);  // dot
  }
  return matmul(op, in, {});
}

// self * beta + product * alpha; reals are beta and alpha. With beta 0, self is not read: its NaN does not count.
Tensor addProduct(Op op, Tensors in, const Attributes& attributes) {
  const double beta = attributes.real(0, 1), alpha = attributes.real(1, 1);
  const Tensor operands[] = {in[1], in[2]};
  if (op == Op::addmm) checkRanks(op, in[1], in[2], 2, 2);
  if (op == Op::addmv) checkRanks(op, in[1], in[2], 2, 1);
  const Tensor out = op == Op::baddbmm ? rankedProduct(Op::bmm, operands, {}) : matmul(op, operands, {});
  if (in[0].dtype() != out.dtype()) throw Error(std::string(info(op).name) + ": expected a tensor of " + dtypeName(out.dtype()) + ", not of " + dtypeName(in[0].dtype()));
  const Tensor self = expand(in[0], Ints(out->sizes));
  if (alpha == 0 || in[1].size(-1) == 0) return plain(beta == 0 ? zeros_like(out) : scaledBy(self, beta), out.dtype()).clone();
  return plain(beta == 0 ? scaledBy(out, alpha) : add(scaledBy(out, alpha), scaledBy(self, beta)), out.dtype());
}

Tensor matmulOfRanks(Op, Tensors in, const Attributes&) {
  const Tensor &a = in[0], &b = in[1];
  if (a.dim() == 0 || b.dim() == 0) throw Error("matmul: both tensors need to be at least 1-dimensional, not of shapes " + toText(a.sizes()) + " and " + toText(b.sizes()));
  if (a.dim() == 1 && b.dim() == 1) return dot(a, b);
  if (a.dim() == 2 && b.dim() == 1) return mv(a, b);
  if (a.dim() == 1 && b.dim() == 2) return squeeze(mm(unsqueeze(a, {0}), b), {0});
  if (a.dim() == 2 && b.dim() == 2) return mm(a, b);
  if (a.dim() >= b.dim() ? foldsInto(a, b, false) : foldsInto(transpose(b, {-2, -1}), a, a.dim() == 2)) {
    if (a.dim() >= b.dim()) return folded(a, b);
    const Tensor out = folded(transpose(b, {-2, -1}), a.dim() == 2 ? t(a) : a);
    return a.dim() == 2 ? ops::contiguous(transpose(out, {-2, -1})) : out;
  }
  return batched(a, b);
}

Tensor outer(Op op, Tensors in, const Attributes&) {
  checkRanks(op, in[0], in[1], 1, 1);
  return mul(reshape(in[0], {in[0].size(0), 1}), in[1]);
}

Tensor linear(Op, Tensors in, const Attributes&) {
  const Tensor &input = in[0], &weight = in[1];
  if (input.dim() == 0 || weight.dim() == 0) throw Error("linear: both tensors need to be at least 1-dimensional, not of shapes " + toText(input.sizes()) + " and " + toText(weight.sizes()));
  const Tensor bias = in.size() > 2 ? in[2] : Tensor();
  if (!bias.defined()) return ops::matmul(input, t(weight));
  if (input.dim() == 2) return addmm(bias, input, t(weight));
  if (input.dim() == 3 && input.isContiguous()) {
    Ints shape = sizesBut(input, 1);
    const Tensor rows = reshape(input, {rt::product(shape), input.size(-1)}), out = addmm(bias, rows, t(weight));
    shape.push_back(out.size(1));
    return reshape(out, shape);
  }
  Tensor out = ops::matmul(input, t(weight));
  const Tensor rest[] = {bias};
  callInPlace(Op::add, out, rest);
  return out;
}

}  // namespace kernels
}  // namespace rt
