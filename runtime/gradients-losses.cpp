#include "runtime/gradients-losses.h"

#include "runtime/body.h"
#include "runtime/ops.h"

namespace rt {

using namespace ops;

namespace {

// LibTorch divides by the elements of the input whose gradient is asked for, not by those of the broadcast loss.
double normOf(const Tensor& input, const Ints& ints) { return ints.empty() || ints[0] == 1 ? 1.0 / double(input.numel()) : 1.0; }

Tensor overMean(const Tensor& g, const Tensor& input, const Ints& ints) {
  return ints.empty() || ints[0] == 1 ? g / Tensor(Scalar(input.numel())) : g;
}

Tensor weighted(const Tensor& g, const Tensor& weight) { return weight.defined() ? (g * weight).to(g.dtype()) : g; }
Tensor positiveWeight(std::span<const Tensor> rest) { return rest.size() > 1 ? rest[1] : Tensor(); }

Tensor floatingAs(const Tensor& a, const Tensor& b) { return kindOf(b.dtype()) == DTypeKind::floating ? b : b.to(a.dtype()); }

// LibTorch's kernel takes operands of one dtype.
void needOneDType(const char* op, const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype())
    throw Error(std::string(op) + ": the gradient needs input and target of one dtype, not " + dtypeName(a.dtype()) + " and " + dtypeName(b.dtype()));
}

}  // namespace

Tensor widened(const Tensor& t) { return sizeOf(t.dtype()) == 2 && kindOf(t.dtype()) == DTypeKind::floating ? t.to(DType::float32) : t; }

double roundedTo(DType dtype, double v) {
  return withType(dtype, [v]<typename S>() -> double { return std::is_integral_v<S> ? v : sizeof(S) == 8 ? v : double(S(float(v))); });
}

Tensor mseLossSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints) {
  Tensor x = a - floatingAs(a, b);
  return (x * roundedTo(x.dtype(), 2 * normOf(a, ints)) * g).to(a.dtype());
}

Tensor smoothL1LossSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints, double beta) {
  Tensor x = widened(a) - widened(floatingAs(a, b)), all = widened(g) * normOf(a, ints);
  Tensor inside = x * normOf(a, ints) * widened(g) / beta;
  return where(le(x, -beta), neg(all), where(ge(x, beta), all, inside)).to(a.dtype());
}

Tensor huberLossSlope(const Tensor& g, const Tensor& a, const Tensor& b, const Ints& ints, double delta) {
  needOneDType("huber_loss", a, b);
  double norm = roundedTo(a.dtype(), normOf(a, ints));
  Tensor x = a - b, all = g * norm * delta;
  return where(le(x, -delta), neg(all), where(ge(x, delta), all, x * norm * g));
}

Tensor softMarginLossSlope(const Tensor& g, const Tensor& a, const Tensor& target, const Ints& ints) {
  Tensor z = exp(neg(target) * a), top = (target * z).to(a.dtype()) * -normOf(a, ints);
  return (top / (z + 1)).to(a.dtype()) * g;
}

Tensor binaryCrossEntropySlope(const Tensor& g, const Tensor& a, const Tensor& target, const Tensor& weight, const Ints& ints) {
  Tensor to = reshape(target, a.sizes());
  return overMean(weighted(g * (a - to) / clamp_min((1 - a) * a, double(1e-12f)), weight), a, ints);
}

Tensor binaryCrossEntropyTargetSlope(const Tensor& g, const Tensor& a, const Tensor& target, const Tensor& weight, const Ints& ints) {
  return reshape(overMean(weighted((log(1 - a) - log(a)) * g, weight), target, ints), target.sizes());
}

Tensor logitsLossSlope(const Tensor& g, const Tensor& a, const Tensor& target, const Tensor& weight, std::span<const Tensor> rest, const Ints& ints) {
  Tensor s = sigmoid(a), slope = (s - target).to(s.dtype());
  if (Tensor positive = positiveWeight(rest); positive.defined()) {
    Tensor t = positive * target, rest = (t + 1 - target).to(t.dtype());
    slope = ((rest * s).to(t.dtype()) - t).to(t.dtype());
  }
  return overMean(weighted((slope * g).to(slope.dtype()), weight), a, ints);
}

Tensor logitsLossTargetSlope(const Tensor& g, const Tensor& a, const Tensor& target, const Tensor& weight, std::span<const Tensor> rest, const Ints& ints) {
  Tensor slope = positiveWeight(rest).defined() ? (log_sigmoid(neg(a)) - log_sigmoid(a) * rest[1]) * g : neg(a) * g;
  return overMean(weighted(slope, weight), target, ints);
}

}  // namespace rt
