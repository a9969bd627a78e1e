// Losses of an input and a target of its shape. ints[0] is the reduction, as at::Reduction numbers it: 0 none, 1 mean (where
// it is absent too), 2 sum. The formulas are those of LibTorch's Loss.cpp.
#include "runtime/body.h"
#include "runtime/gradients-losses.h"
#include "runtime/kernels/reduced.h"
#include "runtime/ops.h"

#include <numbers>

namespace rt {

using namespace ops;

namespace {

std::string nameOf(Op op) { return info(op).name; }
Tensor inputOr(Tensors in, size_t i) { return i < in.size() ? in[i] : Tensor(); }

// What an in-place op of LibTorch keeps: self's shape and dtype.
Tensor keeping(Op op, const Tensor& self, const Tensor& result) {
  if (!(Dims(self.sizes()) == Dims(result.sizes())))
    throw Error(nameOf(op) + ": output with shape " + toText(self.sizes()) + " does not match the shape " + toText(result.sizes()));
  if (kindOf(result.dtype()) > kindOf(self.dtype()))
    throw Error(nameOf(op) + ": result type " + dtypeName(result.dtype()) + " cannot be cast to the output type " + dtypeName(self.dtype()));
  return result.to(self.dtype());
}

// What the two operands promote to.
DType commonFloating(Op op, Tensors in) {
  TypeClass types;
  for (const Tensor& tensor : in.first(2)) types.add(tensor.dtype(), tensor.dim() > 0, tensor.isWrappedNumber());
  DType dtype = types.result();
  if (kindOf(dtype) != DTypeKind::floating) throw Error(nameOf(op) + ": not for tensors of " + dtypeName(dtype));
  return dtype;
}

// Computed in float32 where that is wider; the strides are those of the operands.
Tensor narrowedTo(DType dtype, const Tensor& values, Tensors in) {
  if (values.dtype() == dtype) return values;
  Tensor like = in[0].to(dtype) + in[1].to(dtype);
  Tensor result = emptyStrided(like->sizes, like->strides, dtype, like.device());
  copyInto(result, values);
  return result;
}

Tensor laidOutLike(const Tensor& input, const Tensor& values) {
  Tensor result = emptyStrided(input->sizes, denseStridesLike(input), input.dtype(), input.device());
  copyInto(result, values);
  return result;
}

void needProbabilities(const Tensor& values, const char* which) {
  if (!all(logical_and(ge(values, 0), le(values, 1))).item().b)
    throw Error(std::string("binary_cross_entropy: all elements of ") + which + " must be between 0 and 1");
}

}  // namespace

Tensor reduced(Op op, const Tensor& loss, const Attributes& attributes) {
  switch (attributes.integer(0, 1)) {
    case 0: return loss;
    case 1: return mean(loss);
    case 2: return sum(loss);
    default: throw Error(nameOf(op) + ": the reduction must be 0 (none), 1 (mean) or 2 (sum), not " + std::to_string(attributes.ints[0]));
  }
}

namespace kernels {

Tensor mseLoss(Op op, Tensors in, const Attributes& attributes) {
  DType dtype = commonFloating(op, in);
  return reduced(op, narrowedTo(dtype, square(widened(in[0].to(dtype)) - widened(in[1].to(dtype))), in), attributes);
}

Tensor l1Loss(Op op, Tensors in, const Attributes& attributes) { return reduced(op, abs(in[0] - in[1]), attributes); }

// reals[0]: beta, where the square becomes a line.
Tensor smoothL1Loss(Op op, Tensors in, const Attributes& attributes) {
  double beta = attributes.real(0, 1);
  if (beta < 0) throw Error("smooth_l1_loss: beta must not be negative");
  DType dtype = commonFloating(op, in);
  Tensor a = in[0].to(dtype), b = in[1].to(dtype);
  if (dtype == DType::bfloat16) a = widened(a), b = widened(b);  // only this half type is computed in float32
  double edge = roundedTo(a.dtype(), beta);
  Tensor z = abs(a - b);
  Tensor loss = where(lt(z, edge), z * 0.5 * z / edge, z - roundedTo(a.dtype(), 0.5 * edge));
  return reduced(op, narrowedTo(dtype, loss, in), attributes);
}

// reals[0]: delta. The result has the input's dtype.
Tensor huberLoss(Op op, Tensors in, const Attributes& attributes) {
  double delta = attributes.real(0, 1);
  if (delta <= 0) throw Error("huber_loss: delta must be positive");
  DType dtype = commonFloating(op, in);
  if (kindOf(in[0].dtype()) != DTypeKind::floating) throw Error("huber_loss: not for tensors of " + std::string(dtypeName(in[0].dtype())));
  Tensor a = in[0].to(dtype), b = in[1].to(dtype);
  if (dtype == DType::float16) a = widened(a), b = widened(b);  // and here only the other one
  double bound = roundedTo(a.dtype(), delta);
  Tensor z = abs(a - b);
  Tensor loss = where(lt(z, bound), z * 0.5 * z, (z - roundedTo(a.dtype(), 0.5 * bound)) * bound);
  Tensor stored = loss.to(in[0].dtype());
  return reduced(op, Dims(stored.sizes()) == Dims(in[0].sizes()) ? laidOutLike(in[0], stored) : plain(stored, stored.dtype()), attributes);
}

// in: input, target, weight. Logarithms are not below -100.
Tensor binaryCrossEntropy(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &a = in[0], weight = inputOr(in, 2);
  if (a.dtype() != in[1].dtype()) throw Error("binary_cross_entropy: input and target must be of one dtype, not " + std::string(dtypeName(a.dtype())) + " and " + dtypeName(in[1].dtype()));
  if (kindOf(a.dtype()) != DTypeKind::floating) throw Error("binary_cross_entropy: not for tensors of " + std::string(dtypeName(a.dtype())));
  if (!(Dims(squeeze(a).sizes()) == Dims(squeeze(in[1]).sizes())))
    throw Error("binary_cross_entropy: the target has shape " + toText(in[1].sizes()) + ", the input " + toText(a.sizes()));
  Tensor target = reshape(in[1], a.sizes());
  needProbabilities(a, "input");
  if (since(2, 0)) needProbabilities(target, "target");
  Tensor loss = (target - 1) * clamp_min(log1p(neg(a)), -100) - target * clamp_min(log(a), -100);
  if (weight.defined()) loss = keeping(op, loss, loss * weight);
  return reduced(op, laidOutLike(a, loss), attributes);
}

// in: input, target, weight, pos_weight (a factor of the positive part).
Tensor binaryCrossEntropyWithLogits(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &a = in[0], &target = in[1], weight = inputOr(in, 2), positive = inputOr(in, 3);
  Tensor logs = log_sigmoid(a);
  if (positive.defined()) logs = keeping(op, logs, logs * ((positive - 1) * target + 1));
  Tensor rest = 1 - target;
  Tensor loss = keeping(op, rest, keeping(op, rest, rest * a) - logs);
  if (weight.defined()) loss = keeping(op, loss, loss * weight);
  return reduced(op, loss, attributes);
}

// ints[1]: 1 where the target holds logarithms.
Tensor klDiv(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &a = in[0], &target = in[1];
  if (kindOf(a.dtype()) != DTypeKind::floating || kindOf(target.dtype()) != DTypeKind::floating) throw Error("kl_div: not for integral tensors");
  Tensor loss = attributes.integer(1, 0) ? exp(target) * (target - a) : xlogy(target, target) - target * a;
  return reduced(op, loss, attributes);
}

Tensor softMarginLoss(Op op, Tensors in, const Attributes& attributes) {
  const Tensor& a = in[0];
  Tensor power = keeping(op, a, neg(a) * in[1]);
  return reduced(op, keeping(op, a, log1p(keeping(op, a, exp(power)))), attributes);
}

// ints[1]: 0 where the input is no logarithm; ints[2]: 1 adds Stirling's term. reals[0]: eps.
Tensor poissonNllLoss(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &a = in[0], &target = in[1];
  Tensor loss = attributes.integer(1, 1) ? exp(a) - target * a : a - target * log(a + attributes.real(0, 1e-8));
  if (attributes.integer(2, 0)) {
    Tensor stirling = target * log(target) - target + log(target * (2 * std::numbers::pi)) * 0.5;
    const Tensor few[] = {stirling, le(target, 1), 0};
    loss = keeping(op, loss, loss + call(Op::masked_fill, few));
  }
  return reduced(op, loss, attributes);
}

}  // namespace kernels
}  // namespace rt
