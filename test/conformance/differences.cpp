// What is compared after a step, and at the end of a program.
#include "test/conformance/session.h"

#include <algorithm>
#include <cmath>

namespace samples {
namespace {

// Strides count where a dimension has more than one element.
bool sameStrides(const rt::Tensor& ours, const at::Tensor& theirs) {
  for (int64_t d = 0; theirs.numel() > 0 && d < theirs.dim(); ++d)
    if (theirs.size(d) > 1 && ours.strides()[size_t(d)] != theirs.stride(d)) return false;
  return true;
}

std::string elementText(int64_t i, const rt::Scalar& ours, const rt::Scalar& theirs) {
  return "element " + std::to_string(i) + " is " + textOf(ours) + " instead of " + textOf(theirs);
}

// The first element that differs. Magnitudes are asked for only where needed.
template <typename Size, typename Open> std::string valueDifference(const rt::Tensor& ours, const at::Tensor& theirs, double ulps, Size size, Open open) {
  const rt::Tensor host = ours.to(rt::Device::cpu);
  for (int64_t i = 0, n = theirs.numel(); i < n; ++i) {
    rt::Scalar a = host.at(i), b = elementOf(theirs, i);
    if (near(a, b, theirs.scalar_type(), ulps, 0)) continue;
    auto [looser, least] = size(i);
    if (!near(a, b, theirs.scalar_type(), looser, least) && !open(i, a, b)) return elementText(i, a, b);
  }
  return {};
}

std::string shapeDifference(const rt::Tensor& ours, const at::Tensor& theirs) {
  if (torchType(ours.dtype()) != theirs.scalar_type()) return std::string("dtype ") + rt::dtypeName(ours.dtype()) + " instead of " + c10::toString(theirs.scalar_type());
  if (rt::toText(ours.sizes()) != textOf(theirs.sizes())) return "shape " + rt::toText(ours.sizes()) + " instead of " + textOf(theirs.sizes());
  return {};
}

constexpr auto closed = [](int64_t, const rt::Scalar&, const rt::Scalar&) { return false; };

double finiteOr0(const at::Tensor& t, int64_t i) {
  if (!t.defined() || i >= t.numel()) return 0;
  double v = std::abs(elementOf(t, i).toDouble());
  return std::isfinite(v) ? v : 0;
}

bool overflowsIn(const at::Tensor& t, int64_t i) { return t.defined() && i < t.numel() && std::isinf(elementOf(t, i).toDouble()); }

}  // namespace

double largestOf(const at::Tensor& t) {
  double largest = 1;
  for (int64_t i = 0; i < t.numel(); ++i) largest = std::max(largest, finiteOr0(t, i));
  return largest;
}

// Formulas that subtract what is nearly equal: ulps are of what they subtract.
double cancelledIn(Op op, const std::vector<at::Tensor>& in) {
  if (in.empty()) return 1;
  double first = largestOf(in[0]);
  if (op == Op::arange || op == Op::linspace)  // steps from either end
    for (const at::Tensor& bound : in) first = std::max(first, largestOf(bound));
  if (op == Op::var) return first * first;
  if (op == Op::addcmul || op == Op::addcdiv) return first + largestOf(in[1]) * largestOf(in[2]) * (in.size() > 3 && in[3].defined() ? largestOf(in[3]) : 1);
  return first;
}
bool cancels(Op op) {
  constexpr Op list[] = {Op::log_softmax, Op::lgamma, Op::sinc, Op::digamma, Op::arange, Op::linspace, Op::addcmul, Op::addcdiv,
                         Op::tanhshrink, Op::logaddexp2, Op::logaddexp, Op::lerp, Op::logit, Op::gelu, Op::gelu_tanh, Op::rsub,
                         Op::var, Op::std};
  return std::find(std::begin(list), std::end(list), op) != std::end(list);
}

Difference Session::compareValues(const Step& step, const Before& before, const rt::Tensor& mine, const at::Tensor& referee) {
  double ulps = ulpsOf(step.row->op), coarsest = 1;
  for (const Argument& argument : step.arguments)  // a result in float64 may come from float32 numbers, or from an integer's float32
    if (step.row->sums && argument.kind == Argument::Kind::tensor && at::isFloatingType(referee.scalar_type()))
      coarsest = std::max(coarsest, epsilonOf(rt::kindOf(argument.dtype) == rt::DTypeKind::floating ? torchType(argument.dtype) : at::kFloat) / epsilonOf(referee.scalar_type()));
  ulps *= coarsest;
  at::Tensor magnitude;  // asked for once, and only where it is needed
  bool asked = false;
  double distances = 0;  // a difference of two of them is as exact as they are, however small it is
  if (step.row->op == Op::triplet_margin_loss)
    for (const at::Tensor& each : before.values) distances = std::max(distances, largestOf(each));
  auto size = [&](int64_t i) -> std::pair<double, double> {
    if (cancels(step.row->op)) return {ulps, cancelledIn(step.row->op, before.values)};
    if (!step.row->sums || ulps == 0) return {ulps, 0};
    if (!asked) magnitude = magnitudeOf(step, before.values), asked = true;
    return {ulps, std::max({finiteOr0(magnitude, i), step.row->least, distances})};
  };
  auto open = [&](int64_t i, const rt::Scalar& a, const rt::Scalar& b) {
    const bool overflows = step.row->sums && overflowsIn(magnitude, i);
    const char* reason = overflows ? "a partial sum overflows: the order of adding is free" : openIn({step.row->op, step.attributes, before.values, referee, i, a, b});
    if (reason) ++open_[reason];
    return reason != nullptr;
  };
  std::string text = valueDifference(mine, referee, ulps, size, open);
  return text.empty() ? Difference{} : different("value", text);
}

Difference Session::compare(const Step& step, const Arguments& arguments, const Before& before, const rt::Tensor& mine, const at::Tensor& referee) {
  if (mine.defined() != referee.defined()) return different("definedness", mine.defined() ? "the result is defined" : "the result is undefined");
  if (!mine.defined()) return {};
  if (std::string text = shapeDifference(mine, referee); !text.empty()) return different(text.substr(0, 5), text);
  if (Difference difference = compareValues(step, before, mine, referee)) return difference;
  if (!sameStrides(mine, referee)) return different("strides", rt::toText(mine.strides()) + " instead of " + textOf(referee.strides()));
  const bool floating = at::isFloatingType(referee.scalar_type());  // in place, LibTorch marks integers too
  if (floating && mine.requiresGrad() != referee.requires_grad()) return different("requires_grad", referee.requires_grad() ? "false instead of true" : "true instead of false");
  if (mine.isLeaf() != referee.is_leaf()) return different("is_leaf", referee.is_leaf() ? "false instead of true" : "true instead of false");
  for (size_t i = 0; i < arguments.theirs.size(); ++i) {
    const at::Tensor& theirs = arguments.theirs[i];
    if (!theirs.defined() || isNumber(theirs)) continue;
    const std::string which = "with argument " + std::to_string(i);
    if (arguments.ours[i].isSame(mine) != theirs.is_same(referee)) return different("identity", theirs.is_same(referee) ? "not the same tensor " + which : "the same tensor " + which);
    if (arguments.ours[i].sharesStorage(mine) != theirs.is_alias_of(referee)) return different("aliasing", theirs.is_alias_of(referee) ? "no storage shared " + which : "storage shared " + which);
    const uint32_t writes = arguments.ours[i].version() - before.ours[i], wanted = uint32_t(theirs._version()) - before.theirs[i];
    if (writes != wanted) return different("version", "argument " + std::to_string(i) + " counts " + std::to_string(writes) + " writes instead of " + std::to_string(wanted));
  }
  assign(mine, referee);
  for (size_t i = 1; step.row->updates && i < arguments.theirs.size(); ++i) {
    if (!arguments.theirs[i].defined()) continue;
    auto size = [&](int64_t) { return std::pair(ulpsOf(step.row->op), largestOf(before.values[i])); };
    if (std::string text = valueDifference(arguments.ours[i], arguments.theirs[i], 0, size, closed); !text.empty()) return different("value of argument", std::to_string(i) + ": " + text);
    assign(arguments.ours[i], arguments.theirs[i]);
  }
  return {};
}

// Bit for bit if each step and each formula is exact; where many terms were added, in ulps of their magnitudes.
Difference Session::gradientDifference(size_t leaf) {
  const rt::Tensor mine = leaves_[leaf].ours.grad();
  const at::Tensor referee = leaves_[leaf].theirs.grad();
  const std::string which = "gradient of input " + std::to_string(leaf);
  if (mine.defined() != referee.defined()) return different("gradient definedness", which + (mine.defined() ? " is defined" : " is undefined"));
  if (!mine.defined()) return {};
  if (std::string text = shapeDifference(mine, referee); !text.empty()) return different("gradient " + text.substr(0, 5), which + ": " + text);
  const double epsilon = epsilonOf(referee.scalar_type());
  double ulps = 0, coarsest = epsilon;
  bool adds = false;
  double least = 0;
  for (const Step& step : program_) {
    if (!step.row) continue;
    ulps += gradientUlpsOf(step.row->op);
    if (step.attributes.dtype && rt::kindOf(*step.attributes.dtype) == rt::DTypeKind::floating) coarsest = std::max(coarsest, epsilonOf(torchType(*step.attributes.dtype)));
    adds |= step.row->sums;
    least = std::max(least, step.row->least);
    for (const Argument& argument : step.arguments) {
      if (argument.kind != Argument::Kind::tensor) continue;
      adds |= argument.shape != step.arguments[0].shape;
      const bool floating = rt::kindOf(argument.dtype) == rt::DTypeKind::floating;
      coarsest = std::max(coarsest, floating ? epsilonOf(torchType(argument.dtype)) : step.arguments.size() > 1 ? epsilonOf(at::kFloat) : 0);
    }
  }
  ulps *= coarsest / epsilon;  // a gradient of a float64 operand may be computed from the float32 one, or from an integer's float32
  Magnitudes magnitudes;
  auto size = [&](int64_t i) -> std::pair<double, double> {
    if (ulps == 0 && !adds) return {0, 0};
    if (magnitudes.gradients.empty()) magnitudes = magnitudesOf(program_);
    const double magnitude = finiteOr0(magnitudes.gradients[leaf], i);  // 0, too, where another element of a sum was not finite
    return {std::max(ulps, adds ? 16 * coarsest / epsilon : 0), std::max({magnitude, ulps > 0 || (adds && magnitude == 0) ? 1.0 : 0.0, least})};
  };
  auto open = [&](int64_t i, const rt::Scalar&, const rt::Scalar&) { return adds && overflowsIn(magnitudes.gradients[leaf], i); };
  std::string text = valueDifference(mine, referee, ulps > 0 ? 1 : 0, size, open);
  return text.empty() ? Difference{} : different("gradient value", which + ": " + text);
}

Difference Session::finish() {
  auto same = [&](const rt::Tensor& mine, const at::Tensor& referee) {
    return valueDifference(mine, referee, 0, [](int64_t) { return std::pair(0.0, 0.0); }, closed);
  };
  for (size_t i = 0; i < theirs_.size(); ++i) {
    if (!theirs_[i].defined()) continue;
    if (std::string text = same(ours_[i], theirs_[i]); !text.empty()) return different("value at the end", "of step " + std::to_string(i) + ": " + text);
    if (ours_[i].requiresGrad() != theirs_[i].requires_grad()) return different("requires_grad at the end", "of step " + std::to_string(i));
  }
  for (size_t i = 0; i < leaves_.size(); ++i) {
    if (!leaves_[i].theirs.defined()) continue;
    if (std::string text = same(leaves_[i].ours, leaves_[i].theirs); !text.empty()) return different("value at the end", "of input " + std::to_string(i) + ": " + text);
    if (!partOfBackward_ && leaves_[i].theirs.requires_grad() && leaves_[i].theirs.is_leaf())
      if (Difference difference = gradientDifference(i)) return difference;
  }
  return {};
}

}  // namespace samples
