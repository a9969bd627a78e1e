// Reductions: over all, one or several dimensions.
#include "test/conformance/samples.h"

#include <algorithm>
#include <cmath>

namespace samples {
namespace {

void reduced(Draw& draw, Step& step, Argument argument, bool several) {
  step.ints() = draw.dims(argument);
  if (!several && step.ints().size() > 1) step.ints().resize(1);
  step.attributes.keepdim = !step.ints().empty() && draw.chance(40);
  step.arguments = {std::move(argument)};
}

void some(Draw& draw, Step& step) { reduced(draw, step, draw.some(0, 5, Values::exact), true); }
void wild(Draw& draw, Step& step) { reduced(draw, step, draw.some(), true); }
void wildOne(Draw& draw, Step& step) { reduced(draw, step, draw.some(), false); }
void someOne(Draw& draw, Step& step) { reduced(draw, step, draw.some(0, 5, Values::exact), false); }
void floating(Draw& draw, Step& step) { reduced(draw, step, draw.someFloating(0, 5, Values::exact), true); }
void everything(Draw& draw, Step& step) { step.arguments = {draw.some()}; }

void withDType(Draw& draw, Step& step) {
  some(draw, step);
  if (draw.chance(15)) step.attributes.dtype = draw.dtype();
}

void one(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  step.ints() = {draw.dim(step.arguments[0])};
  step.attributes.keepdim = draw.chance(40);
}

void normed(Draw& draw, Step& step) {
  floating(draw, step);
  if (draw.chance(60)) step.attributes.reals = {draw.oneOf({0.0, 1.0, 2.0, 3.0, 0.5, 1.5, double(INFINITY), -double(INFINITY)})};
}
void corrected(Draw& draw, Step& step) {
  floating(draw, step);
  if (draw.chance(50)) step.attributes.reals = {draw.oneOf({0.0, 1.0, 2.0})};
}
void counted(Draw& draw, Step& step) {
  wild(draw, step);
  step.attributes.keepdim = false;
}
// Which of several equal medians LibTorch names is left open: one number a line has none.
void untied(Draw& draw, Step& step) {
  Argument argument;
  argument.shape = draw.shape(), argument.strides.assign(argument.shape.size(), 1), argument.dtype = DType::int64;
  for (size_t d = argument.shape.size(); d-- > 1;) argument.strides[d - 1] = argument.strides[d] * std::max<int64_t>(argument.shape[d], 1);
  for (int64_t i = 0, n = rt::numelOf(argument.shape); i < n; ++i) argument.values.emplace_back(i * 7 % 1009);
  step.ints() = {draw.dim(argument)};
  step.attributes.keepdim = draw.chance(40);
  step.arguments = {argument};
}

// LibTorch's overload for one dimension, or for all.
#define ONE_OR_ALL(one, all) a.ints.empty() ? (all) : (one)

at::OptionalIntArrayRef dimsOrAll(const rt::Attributes& a) {
  at::OptionalIntArrayRef dims;
  if (!a.ints.empty()) dims = intsOf(a);
  return dims;
}

const Family family = {
    SUM_ROW(sum, withDType, t[0].sum(intsOf(a), a.keepdim, dtypeOf(a))),
    SUM_ROW(mean, floating, t[0].mean(intsOf(a), a.keepdim)),
    ROW(prod, someOne, ONE_OR_ALL(t[0].prod(a.ints[0], a.keepdim), t[0].prod())),
    ROW(amax, wild, t[0].amax(intsOf(a), a.keepdim)),
    ROW(amin, wild, t[0].amin(intsOf(a), a.keepdim)),
    ROW(max, everything, t[0].max()),
    ROW(min, everything, t[0].min()),
    ROW(max_dim, one, std::get<0>(t[0].max(a.ints[0], a.keepdim))),
    ROW(min_dim, one, std::get<0>(t[0].min(a.ints[0], a.keepdim))),
    ROW(argmax, wildOne, ONE_OR_ALL(t[0].argmax(a.ints[0], a.keepdim), t[0].argmax())),
    ROW(argmin, wildOne, ONE_OR_ALL(t[0].argmin(a.ints[0], a.keepdim), t[0].argmin())),
    ROW(all, wildOne, ONE_OR_ALL(t[0].all(a.ints[0], a.keepdim), t[0].all())),
    ROW(any, wildOne, ONE_OR_ALL(t[0].any(a.ints[0], a.keepdim), t[0].any())),
    ROW(median, everything, t[0].median()),
    ROW(median_dim, one, std::get<0>(t[0].median(a.ints[0], a.keepdim))),
    ROW(median_index, untied, std::get<1>(t[0].median(a.ints[0], a.keepdim))),
    ROW(count_nonzero, counted, t[0].count_nonzero(intsOf(a))),
    SUM_ROW(nansum, floating, t[0].nansum(intsOf(a), a.keepdim)),
    SUM_ROW(norm, normed, t[0].norm(a.real(0, 2), intsOf(a), a.keepdim)),
    SUM_ROW(logsumexp, floating, a.ints.empty() && t[0].dim() > 0 ? t[0].flatten().logsumexp(0) : t[0].logsumexp(intsOf(a), a.keepdim)),
    SUM_ROW(var, corrected, t[0].var(dimsOrAll(a), Optional<Correction>(Correction(a.real(0, 1))), a.keepdim)),
    SUM_ROW(std, corrected, t[0].std(dimsOrAll(a), Optional<Correction>(Correction(a.real(0, 1))), a.keepdim)),
};

}  // namespace
}  // namespace samples
