// Reductions: over all, one or several dimensions.
#include "test/conformance/samples.h"

#include <algorithm>

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

// LibTorch's overload for one dimension, or for all.
#define ONE_OR_ALL(one, all) a.ints.empty() ? (all) : (one)

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
    SUM_ROW(norm, floating, ONE_OR_ALL(t[0].norm(2, intsOf(a), a.keepdim), t[0].norm())),
    SUM_ROW(logsumexp, floating, a.ints.empty() && t[0].dim() > 0 ? t[0].flatten().logsumexp(0) : t[0].logsumexp(intsOf(a), a.keepdim)),
    SUM_ROW(var, floating, t[0].var(intsOf(a), true, a.keepdim)),
    SUM_ROW(std, floating, t[0].std(intsOf(a), true, a.keepdim)),
};

}  // namespace
}  // namespace samples
