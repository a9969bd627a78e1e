// Padding.
#include "test/conformance/samples.h"

#include <algorithm>

namespace samples {
namespace {

// Pads from the last dimension on.
void pads(Draw& draw, Step& step, int64_t count, int64_t lowest, int64_t highest) {
  for (int64_t i = 0; i < count; ++i) step.ints().push_back(draw.between(draw.wrong() ? lowest - 3 : lowest, draw.wrong() ? highest + 3 : highest));
}

void constant(Draw& draw, Step& step) {
  step.arguments = {draw.some(0, 5)};
  pads(draw, step, 2 * draw.between(draw.wrong() ? 0 : std::min<int64_t>(1, step.arguments[0].rank()), step.arguments[0].rank() + draw.wrong()) +
      draw.wrong(), draw.chance(40) ? -1 : 0, 2);
  if (draw.chance(50)) step.arguments.push_back(draw.number(step.arguments[0].dtype));
  const bool byte = step.arguments.size() > 1 && step.arguments[0].dtype == DType::uint8 && step.arguments[1].values[0].toDouble() < 0;
  if (byte) step.arguments.pop_back();  // as a double a negative number is refused, as an integer it wraps
}

// Pads of one to three dimensions, with or without a batch.
void edges(Draw& draw, Step& step, int64_t rank, bool negative = true) {
  step.arguments = {draw.tensor(draw.shape(int(rank) + (draw.wrong() ? 0 : 1), int(rank) + 2), draw.chance(85) ? draw.floating() : draw.dtype())};
  pads(draw, step, 2 * rank, negative && draw.chance(30) ? -1 : 0, draw.chance(50) ? 1 : 2);
}
template <int64_t rank> void ofRank(Draw& draw, Step& step) { edges(draw, step, rank); }
void inModes(Draw& draw, Step& step) {
  const int64_t mode = draw.between(0, 3);
  step.attributes.reals = {double(mode)};
  if (mode) edges(draw, step, draw.between(1, 3), mode != 3);
  else constant(draw, step);
  for (int64_t& pad : step.ints())
    if (mode == 3) pad = std::max<int64_t>(pad, 0);  // LibTorch reads what it has not written where signs differ
  if (mode && draw.wrong()) step.arguments.push_back(draw.number(step.arguments[0].dtype));
}
at::Tensor padded(Tensors t, const rt::Attributes& a) {
  static const char* names[] = {"constant", "reflect", "replicate", "circular"};
  return at::pad(t[0], intsOf(a), names[int(a.reals[0])], t.size() > 1 ? Optional<double>(number(t[1]).toDouble()) : Optional<double>());
}

const Family family = {
    SUM_ROW(pad, inModes, padded(t, a)),
    SUM_ROW(reflection_pad1d, ofRank<1>, at::reflection_pad1d(t[0], intsOf(a))),
    SUM_ROW(reflection_pad2d, ofRank<2>, at::reflection_pad2d(t[0], intsOf(a))),
    SUM_ROW(reflection_pad3d, ofRank<3>, at::reflection_pad3d(t[0], intsOf(a))),
    SUM_ROW(replication_pad1d, ofRank<1>, at::replication_pad1d(t[0], intsOf(a))),
    SUM_ROW(replication_pad2d, ofRank<2>, at::replication_pad2d(t[0], intsOf(a))),
    SUM_ROW(replication_pad3d, ofRank<3>, at::replication_pad3d(t[0], intsOf(a))),
    ROW(constant_pad_nd, constant, t.size() > 1 ? at::constant_pad_nd(t[0], intsOf(a), number(t[1])) : at::constant_pad_nd(t[0], intsOf(a))),
};

}  // namespace
}  // namespace samples
