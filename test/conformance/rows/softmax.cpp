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

void wild(Draw& draw, Step& step) {
  step.arguments = {draw.some(0, 4)};
  step.ints() = {draw.dim(step.arguments[0])};
}
void halves(Draw& draw, Step& step) {
  std::vector<int64_t> shape = draw.shape(0, 4);
  for (int64_t& size : shape) size *= draw.chance(80) ? 2 : 1;
  step.arguments = {draw.tensor(shape, draw.floating())};
  step.ints() = {draw.dim(step.arguments[0])};
}

const Family family = {
    SUM_ROW(softmax, along, t[0].softmax(a.ints[0], dtypeOf(a))),
    SUM_ROW(log_softmax, along, t[0].log_softmax(a.ints[0], dtypeOf(a))),
    SUM_ROW(cumprod, summed, t[0].cumprod(a.ints[0])),
    ROW(cummax, wild, std::get<0>(t[0].cummax(a.ints[0]))),
    ROW(cummin, wild, std::get<0>(t[0].cummin(a.ints[0]))),
    ROW(cummax_indices, wild, std::get<1>(t[0].cummax(a.ints[0]))),
    ROW(cummin_indices, wild, std::get<1>(t[0].cummin(a.ints[0]))),
    ROW(glu, halves, at::glu(t[0], a.ints[0])),
    SUM_ROW(cumsum, summed, t[0].cumsum(a.ints[0])),
};

}  // namespace
}  // namespace samples
