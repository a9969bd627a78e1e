// Padding.
#include "test/conformance/samples.h"

namespace samples {
namespace {

// Pads from the last dimension on.
void pads(Draw& draw, Step& step, int64_t count, int64_t lowest, int64_t highest) {
  for (int64_t i = 0; i < count; ++i) step.ints().push_back(draw.between(draw.wrong() ? lowest - 3 : lowest, draw.wrong() ? highest + 3 : highest));
}

void constant(Draw& draw, Step& step) {
  step.arguments = {draw.some(0, 5)};
  pads(draw, step, 2 * draw.between(draw.wrong() ? 0 : std::min<int64_t>(1, step.arguments[0].rank()), step.arguments[0].rank() + draw.wrong()) + draw.wrong(), draw.chance(40) ? -1 : 0, 2);
  if (draw.chance(50)) step.arguments.push_back(draw.number(step.arguments[0].dtype));
}

const Family family = {
    ROW(constant_pad_nd, constant, t.size() > 1 ? at::constant_pad_nd(t[0], intsOf(a), number(t[1])) : at::constant_pad_nd(t[0], intsOf(a))),
};

}  // namespace
}  // namespace samples
