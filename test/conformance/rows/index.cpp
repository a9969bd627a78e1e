// Reading and writing by index, joining, copying.
#include "test/conformance/samples.h"

#include <algorithm>

namespace samples {
namespace {

int64_t wrapped(int64_t d, const Argument& of) { return d < 0 ? d + of.rank() : d; }
int64_t sizeAlong(int64_t d, const Argument& of) {
  d = wrapped(d, of);
  return d >= 0 && d < of.rank() ? of.size(d) : 1;
}

// An index of the tensor's rank: no larger than it, but for the dimension that is indexed.
Argument indexLike(Draw& draw, const Argument& self, int64_t d) {
  std::vector<int64_t> shape = self.shape;
  for (int64_t k = 0; k < self.rank(); ++k) shape[size_t(k)] = k == wrapped(d, self) ? draw.between(0, 4) : draw.between(std::min<int64_t>(1, self.size(k)), self.size(k));
  if (draw.wrong()) shape.push_back(1);
  if (!shape.empty() && draw.wrong()) shape[0] += 3;
  return draw.index(shape, sizeAlong(d, self));
}

void gathered(Draw& draw, Step& step) {
  Argument self = draw.some(0, 4);
  const int64_t d = draw.dim(self);
  step.ints() = {d};
  step.arguments = {self, indexLike(draw, self, d)};
}

void scattered(Draw& draw, Step& step) {
  Argument self = draw.some(0, 4, Values::exact);
  const int64_t d = draw.dim(self);
  Argument index = indexLike(draw, self, d);
  std::vector<int64_t> from = index.shape;
  for (int64_t& size : from) size += draw.chance(10) ? 1 : 0;
  if (!from.empty() && draw.wrong()) from[0] = std::max<int64_t>(from[0] - 1, 0);
  step.ints() = {d};
  step.arguments = {self, index, draw.tensor(from, draw.wrong() ? draw.dtype() : self.dtype, Values::exact)};
}

void rowsSelected(Draw& draw, Step& step) {
  Argument self = draw.some(0, 4);
  const int64_t d = draw.dim(self);
  std::vector<int64_t> shape = {draw.between(0, 5)};
  if (draw.chance(5)) shape.clear();
  if (draw.wrong()) shape.push_back(2);
  if (self.shape.empty() && release.major < 2) shape.clear();  // which LibTorch 1 does not check: it writes past the end
  step.ints() = {d};
  step.arguments = {self, draw.index(shape, sizeAlong(d, self))};
}

void rowsAdded(Draw& draw, Step& step) {
  Argument self = draw.some(0, 4, Values::exact);
  const int64_t d = draw.dim(self), count = self.rank() ? draw.between(0, 5) : 1;
  std::vector<int64_t> from = self.shape;
  if (wrapped(d, self) >= 0 && wrapped(d, self) < self.rank()) from[size_t(wrapped(d, self))] = count;
  if (!from.empty() && draw.wrong()) ++from[0];
  step.ints() = {d};
  step.arguments = {self, draw.index({count}, sizeAlong(d, self)), draw.tensor(from, draw.wrong() ? draw.dtype() : self.dtype, Values::exact)};
}

void masked(Draw& draw, Step& step) {
  Argument self = draw.some();
  Argument mask = draw.tensor(draw.broadcastPart(self.shape), draw.wrong() ? draw.dtype() : DType::boolean);
  step.arguments = {self, mask, draw.chance(50) ? draw.number(self.dtype) : draw.tensor(draw.wrong() ? std::vector<int64_t>{1} : std::vector<int64_t>{}, draw.chance(70) ? self.dtype : draw.dtype())};
}

void joined(Draw& draw, Step& step) {
  const bool stacked = step.row->op == Op::stack;
  Argument first = draw.some(stacked ? 0 : 1, 4);
  const int64_t d = draw.dim(first, stacked ? 1 : 0), count = draw.between(0, 3);
  step.ints() = {d};
  step.arguments = {first};
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t> shape = first.shape;
    if (!stacked && wrapped(d, first) >= 0 && wrapped(d, first) < first.rank()) shape[size_t(wrapped(d, first))] = draw.between(0, 3);
    if (!shape.empty() && draw.wrong()) ++shape[0];
    if (!stacked && draw.chance(5)) shape = {0};
    step.arguments.push_back(draw.tensor(shape, draw.chance(80) ? first.dtype : draw.dtype()));
  }
}

void converted(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  if (draw.chance(85)) step.attributes.dtype = draw.dtype();
}
void itself(Draw& draw, Step& step) { step.arguments = {draw.some()}; }

void copied(Draw& draw, Step& step) {
  Argument self = draw.some();
  step.arguments = {self, draw.tensor(draw.broadcastPart(self.shape), draw.chance(60) ? self.dtype : draw.dtype())};
}
void filled(Draw& draw, Step& step) {
  Argument self = draw.some();
  step.arguments = {self, draw.chance(60) ? draw.number(self.dtype) : draw.tensor(draw.wrong() ? std::vector<int64_t>{1} : std::vector<int64_t>{}, draw.dtype())};
}

void flipped(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  step.ints() = draw.dims(step.arguments[0]);
}

const Family family = {
    ROW(flip, flipped, t[0].flip(intsOf(a))),
    ROW(gather, gathered, t[0].gather(a.ints[0], t[1])),
    ROW(index_select, rowsSelected, t[0].index_select(a.ints[0], t[1])),
    BOTH_ROW(scatter, scattered, t[0].scatter(a.ints[0], t[1], t[2]), t[0].scatter_(a.ints[0], t[1], t[2])),
    BOTH_ROW(scatter_add, scattered, t[0].scatter_add(a.ints[0], t[1], t[2]), t[0].scatter_add_(a.ints[0], t[1], t[2])),
    BOTH_ROW(index_add, rowsAdded, t[0].index_add(a.ints[0], t[1], t[2]), t[0].index_add_(a.ints[0], t[1], t[2])),
    BOTH_ROW(masked_fill, masked, isNumber(t[2]) ? t[0].masked_fill(t[1], number(t[2])) : t[0].masked_fill(t[1], t[2]), isNumber(t[2]) ? t[0].masked_fill_(t[1], number(t[2])) : t[0].masked_fill_(t[1], t[2])),
    ROW(cat, joined, at::cat(t, a.ints[0])),
    ROW(stack, joined, at::stack(t, a.ints[0])),
    ROW(to, converted, t[0].to(dtypeOr(a, t[0].scalar_type()))),
    ROW(clone, itself, t[0].clone()),
    ROW(contiguous, itself, t[0].contiguous()),
    ROW(detach, itself, t[0].detach()),
    IN_PLACE_ROW(copy, copied, t[0].copy_(t[1])),
    IN_PLACE_ROW(fill, filled, isNumber(t[1]) ? t[0].fill_(number(t[1])) : t[0].fill_(t[1])),
    IN_PLACE_ROW(zero, itself, t[0].zero_()),
};

}  // namespace
}  // namespace samples
