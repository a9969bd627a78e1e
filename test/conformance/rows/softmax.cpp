// What runs along one dimension.
#include "test/conformance/samples.h"

namespace samples {
namespace {

void along(Draw& draw, Step& step) {
  step.arguments = {draw.someFloating(0, 4, Values::exact)};
  step.ints() = {draw.dim(step.arguments[0])};
  if (draw.chance(8)) step.attributes.dtype = draw.floating();
}
void summed(Draw& draw, Step& step) {
  step.arguments = {draw.some(0, 4, Values::exact)};
  step.ints() = {draw.dim(step.arguments[0])};
}

const Family family = {
    ROW(softmax, along, t[0].softmax(a.ints[0], dtypeOf(a))),
    ROW(log_softmax, along, t[0].log_softmax(a.ints[0], dtypeOf(a))),
    SUM_ROW(cumsum, summed, t[0].cumsum(a.ints[0])),
};

}  // namespace
}  // namespace samples
