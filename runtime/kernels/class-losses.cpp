// Losses whose target names a class. ints: reduction, ignore_index. Source of the formulas: LibTorch's LossNLL.cpp.
#include "runtime/body.h"
#include "runtime/gradients-losses.h"
#include "runtime/kernels/reduced.h"
#include "runtime/ops.h"

#include <limits>

namespace rt {

using namespace ops;

namespace {

constexpr int64_t noClass = -100;  // LibTorch's default of ignore_index

int64_t classDimension(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }
Tensor weightOf(Tensors in) { return in.size() > 2 ? in[2] : Tensor(); }

void checkWeight(const char* op, const Tensor& weight, int64_t classes) {
  if (weight.defined() && (weight.dim() != 1 || weight.numel() != classes))
    throw Error(std::string(op) + ": weight of shape " + toText(weight.sizes()) + " does not fit " + std::to_string(classes) + " classes");
}

// The target has the input's shape without the classes: [] for [C], [N] for [N, C], [N, d...] for [N, C, d...].
void checkTarget(const Tensor& input, const Tensor& target) {
  if (input.dim() == 0) throw Error("nll_loss: the input has no dimension of classes");
  Dims wanted = input->sizes;
  wanted.erase(size_t(classDimension(input)));
  if (!(Dims(target.sizes()) == wanted)) throw Error("nll_loss: target of shape " + toText(target.sizes()) + " does not fit input of shape " + toText(input.sizes()));
  bool spatial = input.dim() == 3 || input.dim() > 4;  // LibTorch gives these another shape, which empty ones do not have
  if (spatial && input.numel() == 0 && target.numel() > 0) throw Error("nll_loss: target of shape " + toText(target.sizes()) + " does not fit the empty input");
  if (target.dtype() != DType::int64 && (target.dtype() != DType::uint8 || input.dim() > 2)) throw Error(std::string("nll_loss: the target must be int64, not ") + dtypeName(target.dtype()));
}

void checkClasses(const Tensor& input, const Tensor& weight) {
  if (kindOf(input.dtype()) != DTypeKind::floating) throw Error(std::string("nll_loss: not for tensors of ") + dtypeName(input.dtype()));
  checkWeight("nll_loss", weight, input.size(classDimension(input)));
  if (!weight.defined()) return;
  if (weight.dtype() != input.dtype()) throw Error(std::string("nll_loss: the weight must be of ") + dtypeName(input.dtype()) + ", not " + dtypeName(weight.dtype()));
}

Tensor pickedWeights(const Tensor& weight, const Tensor& classes) {
  return reshape(index_select(weight, reshape(classes, {-1}), {0}), classes.sizes());
}

// Weights per channel, shaped so that they broadcast along the classes of `input`.
Tensor alongClasses(const Tensor& weight, const Tensor& input) {
  Ints shape(size_t(input.dim()), 1);
  shape[size_t(classDimension(input))] = weight.numel();
  return reshape(weight, shape);
}

Tensor probabilityLoss(const Tensor& input, Tensor target, const Tensor& weight, const Attributes& attributes) {
  int64_t classDim = classDimension(input), classes = input.size(classDim);
  double smoothing = attributes.real(0, 0);
  checkWeight("cross_entropy_loss", weight, classes);
  if (smoothing > 0) target = target * (1 - smoothing) + smoothing / double(classes);
  Tensor loss = input * target;
  if (weight.defined()) loss = loss * alongClasses(weight, input);
  switch (attributes.integer(0, 1)) {
    case 0: return neg(sum(loss, {classDim}));
    case 2: return neg(sum(loss));
    default: break;
  }
  if (input.numel() == 0) return neg(sum(loss) + std::numeric_limits<double>::quiet_NaN());
  return neg(sum(loss)) / Tensor(Scalar(input.numel() / classes));
}

Tensor smoothedLoss(const Tensor& input, const Tensor& target, const Tensor& weight, const Attributes& attributes) {
  const Tensor in[] = {input, target, weight};
  Tensor hard = call(Op::nll_loss, in, attributes);
  int64_t classDim = classDimension(input);
  double smoothing = attributes.real(0, 0);
  Tensor ignored = eq(target, Tensor(Scalar(attributes.integer(1, noClass))));
  Tensor smooth = neg(sum(weight.defined() ? input * alongClasses(weight, input) : input, {classDim}));
  const Tensor masked[] = {smooth, ignored, 0};
  smooth = call(Op::masked_fill, masked);
  if (attributes.integer(0, 1) == 2) smooth = sum(smooth);
  if (attributes.integer(0, 1) == 1) {
    Tensor weights = weight.defined() && weight.numel() > 0 ? where(ignored, 0, pickedWeights(weight, where(ignored, 0, target).to(DType::int64))) : logical_not(ignored);
    smooth = sum(smooth) / sum(weights);
  }
  return hard * (1 - smoothing) + smooth * (smoothing / double(input.size(classDim)));
}

Tensor contiguousOf(const Tensor& t) {
  const Tensor in[] = {t};
  return call(Op::contiguous, in);
}

// Which element of `input` each target means. Ignored targets name class 0.
struct ClassTargets {
  Tensor ignored, classes, weights;
  int64_t dim;

  ClassTargets(const Tensor& input, const Tensor& target, const Tensor& weight, const Ints& ints) : dim(classDimension(input)) {
    ignored = eq(target, Tensor(Scalar(ints.size() > 1 ? ints[1] : noClass)));
    classes = where(ignored, 0, target).to(DType::int64);
    if (input.size(dim) == 0 && !all(ignored).item().b) throw Error("nll_loss: there are targets, but no classes");
    bool none = !weight.defined() || input.size(dim) == 0;
    weights = none ? add(zeros_like(ignored.to(input.dtype())), 1) : pickedWeights(weight, classes);
  }

  // Classes as an index of the input's rank.
  Tensor index() const { return classes.dim() == 0 && dim == 0 ? reshape(classes, {1}) : unsqueeze(classes, {dim}); }
  Tensor picked(const Tensor& input) const {
    return input.size(dim) == 0 ? zeros_like(weights) : reshape(gather(input, index(), {dim}), classes.sizes());
  }
  Tensor total() const { return sum(where(ignored, 0, weights)); }
};

}  // namespace

// A mean divides by the weights of the targets; what is ignored gets no gradient, not even 0 times infinity.
Tensor nllLossSlope(const Tensor& g, const Tensor& a, const Tensor& target, const Tensor& weight, const Ints& ints) {
  if (a.dim() == 4 && a.numel() > 0 && !zeros_like(a.detach()).isContiguous()) throw Error("nll_loss: the gradient of a 4-dimensional input needs it to be contiguous");
  ClassTargets targets(a, target, weight, ints);
  Tensor zeros = zeros_like(contiguousOf(a.detach()));
  if (zeros.numel() == 0) return zeros;
  Tensor each = neg(ints.empty() || ints[0] == 1 ? g / targets.total() : g) * targets.weights;
  return scatter(zeros, targets.index(), reshape(where(targets.ignored, 0, each), targets.index().sizes()), {targets.dim});
}

namespace kernels {

// in: logarithms of probabilities, classes, a weight per class. The mean is over the weights of the targets.
Tensor nllLoss(Op op, Tensors in, const Attributes& attributes) {
  const Tensor &input = in[0], &target = in[1], weight = weightOf(in);
  checkTarget(input, target);
  checkClasses(input, weight);
  ClassTargets targets(input, target, weight, attributes.ints);
  Tensor loss = contiguousOf(where(targets.ignored, 0, neg(targets.picked(input)) * targets.weights));
  return attributes.integer(0, 1) == 1 ? sum(loss) / targets.total() : reduced(op, loss, attributes);
}

// As nll_loss of the log_softmax; or the target holds a probability per class, and has the input's shape. reals[0]: label_smoothing.
Tensor crossEntropyLoss(Op, Tensors in, const Attributes& attributes) {
  const Tensor &target = in[1], weight = weightOf(in);
  bool probabilities = Dims(in[0].sizes()) == Dims(target.sizes());
  if (probabilities && kindOf(target.dtype()) != DTypeKind::floating)
    throw Error(std::string("cross_entropy_loss: class probabilities must be floating point, not ") + dtypeName(target.dtype()));
  if (probabilities && attributes.integer(1, noClass) >= 0) throw Error("cross_entropy_loss: ignore_index is not for class probabilities");
  double smoothing = attributes.real(0, 0);
  if (smoothing > 1) throw Error("cross_entropy_loss: label_smoothing must be between 0 and 1");
  const Tensor self[] = {in[0]};
  Tensor input = call(Op::log_softmax, self, {{classDimension(in[0])}, false, in[0].dtype()});
  if (probabilities) return probabilityLoss(input, target, weight, attributes);
  if (smoothing > 0) return smoothedLoss(input, target, weight, attributes);
  const Tensor hard[] = {input, target, weight};
  return call(Op::nll_loss, hard, attributes);
}

}  // namespace kernels
}  // namespace rt
