// Distances between vectors, and the losses made of them. Losses have the reduction in ints[0].
#include "runtime/body.h"
#include "runtime/kernels/reduced.h"
#include "runtime/ops.h"

namespace rt {

using namespace ops;

namespace {

Tensor normAlong(const Tensor& a, int64_t dim, double p, bool keepdim) {
  const Tensor in[] = {a};
  return call(Op::norm, in, {{dim}, keepdim, {}, {p}});
}

// Not less than eps; the gradient passes as if it were not.
Tensor boundedNorm(const Tensor& a, int64_t dim, double eps) {
  if (!since(2, 0)) {  // the square was bounded, and so was the slope of its root
    Tensor squared = sum(square(a), {dim}, true);
    {
      GradMode off(false);
      const Tensor bound[] = {Tensor(eps * eps)};
      callInPlace(Op::clamp_min, squared, bound);
    }
    return sqrt(squared);
  }
  Tensor norm = normAlong(a, dim, 2, true).clone();
  GradMode off(false);
  const Tensor bound[] = {Tensor(eps)};
  callInPlace(Op::clamp_min, norm, bound);
  return norm;
}

Tensor floatingOr(const Tensor& t, DType dtype) { return kindOf(t.dtype()) == DTypeKind::floating && since(2, 0) ? t : t.to(dtype); }

Tensor distance(const Tensor& a, const Tensor& b, double p, double eps, bool keepdim) {
  return normAlong(a - b + eps, std::max(a.dim(), b.dim()) - 1, p, keepdim);
}

}  // namespace

namespace kernels {

// ints[0]: the dimension (1); reals[0]: the least norm (1e-8).
Tensor cosineSimilarity(Op, Tensors in, const Attributes& attributes) {
  int64_t dim = attributes.integer(0, 1);
  double eps = attributes.real(0, 1e-8);
  auto shape = broadcast("cosine_similarity", in[0].sizes(), in[1].sizes());
  if (!shape) throw Error(shape.error);
  DType dtype = (in[0].detach() * in[1].detach()).dtype();
  if (kindOf(dtype) != DTypeKind::floating) throw Error(std::string("cosine_similarity: the common dtype must be floating point, not ") + dtypeName(dtype));
  Tensor a = expand(floatingOr(in[0], dtype), Ints(shape.value)), b = expand(floatingOr(in[1], dtype), Ints(shape.value));
  return sum((a / boundedNorm(a, dim, eps)) * (b / boundedNorm(b, dim, eps)), {dim});
}

// reals: p (2), eps (1e-6), which is added to the difference.
Tensor pairwiseDistance(Op, Tensors in, const Attributes& attributes) {
  return distance(in[0], in[1], attributes.real(0, 2), attributes.real(1, 1e-6), attributes.keepdim);
}

// torch::nn::functional::normalize. ints[0]: the dimension (1); reals: p (2), eps (1e-12).
Tensor normalize(Op, Tensors in, const Attributes& attributes) {
  Tensor norm = clamp_min(normAlong(in[0], attributes.integer(0, 1), attributes.real(0, 2), true), attributes.real(1, 1e-12));
  return in[0] / expand(norm, Ints(in[0].sizes()));
}

// in: two inputs of [N, D] and a target of [N], or of [D] and []. reals[0]: margin (0).
Tensor cosineEmbeddingLoss(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &a = in[0], &b = in[1], &target = in[2];
  if (target.dim() > 1 || a.dim() != target.dim() + 1 || b.dim() != target.dim() + 1)
    throw Error("cosine_embedding_loss: a target of shape " + toText(target.sizes()) + " does not fit inputs of shapes " + toText(a.sizes()) + " and " + toText(b.sizes()));
  const Ints dim = {target.dim()};
  const double least = double(1e-12f);
  Tensor cosine = sum(a * b, dim) / sqrt((sum(a * a, dim) + least) * (sum(b * b, dim) + least)), zeros = zeros_like(cosine.detach());
  Tensor alike = where(eq(target, 1), 1 - cosine, zeros), apart = where(eq(target, -1), clamp_min(cosine - attributes.real(0, 0), 0), zeros);
  return reduced(op, alike + apart, attributes);
}

// reals[0]: margin (1), which becomes a number of the input's dtype.
Tensor hingeEmbeddingLoss(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &a = in[0], &target = in[1];
  Tensor zeros = zeros_like(a.detach());
  Tensor apart = where(ne(target, 1), clamp_min(Tensor(attributes.real(0, 1)).to(a.dtype()) - a, 0), zeros), alike = where(ne(target, -1), a, zeros);
  return reduced(op, apart + alike, attributes);
}

// in: two inputs, and which should be larger: 1 or -1. reals[0]: margin (0).
Tensor marginRankingLoss(Op op, Tensors in, const Attributes& attributes) {
  return reduced(op, clamp_min(neg(in[2]) * (in[0] - in[1]) + attributes.real(0, 0), 0), attributes);
}

// in: anchor, positive, negative. ints[1]: 1 swaps anchor and positive where that is nearer; reals: margin (1), p (2), eps (1e-6).
Tensor tripletMarginLoss(Op op, Tensors in, const Attributes& attributes) {
  if (in[0].dim() != in[1].dim() || in[1].dim() != in[2].dim())
    throw Error("triplet_margin_loss: the inputs have " + std::to_string(in[0].dim()) + ", " + std::to_string(in[1].dim()) + " and " + std::to_string(in[2].dim()) + " dimensions");
  double p = attributes.real(1, 2), eps = attributes.real(2, 1e-6);
  Tensor near = distance(in[0], in[1], p, eps, false), far = distance(in[0], in[2], p, eps, false);
  if (attributes.integer(1, 0)) far = minimum(far, distance(in[1], in[2], p, eps, false));
  return reduced(op, clamp_min(near + attributes.real(0, 1) - far, 0), attributes);
}

}  // namespace kernels
}  // namespace rt
