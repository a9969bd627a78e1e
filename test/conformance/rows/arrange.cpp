// The same elements in another order, or several times.
#include "test/conformance/samples.h"

namespace samples {
namespace {

void repeated(Draw& draw, Step& step) {
  step.arguments = {draw.some(0, 3)};
  const int64_t rank = step.arguments[0].rank() + (draw.chance(30) ? 1 : 0) - (draw.wrong() ? 1 : 0);
  for (int64_t d = 0; d < rank; ++d) step.ints().push_back(draw.wrong() ? draw.oneOf<int64_t>({0, -1}) : draw.between(1, 3));
}

void interleaved(Draw& draw, Step& step) {
  const Argument self = draw.some(0, 3);
  const bool along = draw.chance(60);
  const int64_t d = draw.dim(self), w = d < 0 ? d + self.rank() : d;
  int64_t n = 1;
  for (int64_t size : self.shape) n *= size;
  if (along) n = w >= 0 && w < self.rank() ? self.size(w) : 1;
  if (draw.chance(50)) {
    step.arguments = {self};
    step.ints() = {draw.between(draw.wrong() ? -1 : 0, 3)};
  } else {
    step.arguments = {self, draw.index({draw.wrong() ? n + 1 : draw.chance(20) ? 1 : n}, 4)};
  }
  if (along) step.ints().push_back(d);
}

void rolled(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  if (draw.chance(20)) step.ints() = {draw.between(-5, 5)};
  else {
    const std::vector<int64_t> dims = draw.dims(step.arguments[0], false);
    for (size_t i = 0; i < dims.size(); ++i) step.ints().push_back(draw.between(-5, 5));
    for (int64_t d : dims) step.ints().push_back(d);
  }
}

void triangular(Draw& draw, Step& step) {
  step.arguments = {draw.some(draw.wrong() ? 0 : 2)};
  step.ints() = {draw.between(-3, 3)};
}

void sorted(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  step.ints() = {draw.dim(step.arguments[0]), draw.chance(50)};
}

void largest(Draw& draw, Step& step) {
  const Argument self = draw.some();
  const int64_t d = draw.dim(self), w = d < 0 ? d + self.rank() : d, size = w >= 0 && w < self.rank() ? self.size(w) : 1;
  step.arguments = {self};
  step.ints() = {draw.between(draw.wrong() ? -1 : 0, draw.wrong() ? size + 1 : size), d, draw.chance(60)};
}

at::IntArrayRef shifts(const rt::Attributes& a) { return intsOf(a).slice(0, a.ints.size() == 1 ? 1 : a.ints.size() / 2); }
at::IntArrayRef rolledDims(const rt::Attributes& a) { return a.ints.size() == 1 ? at::IntArrayRef() : intsOf(a).slice(a.ints.size() / 2); }
Optional<int64_t> dimAt(const rt::Attributes& a, size_t i) { return a.ints.size() > i ? Optional<int64_t>(a.ints[i]) : Optional<int64_t>(); }

const Family family = {
    ROW(repeat, repeated, t[0].repeat(intsOf(a))),
    ROW(repeat_interleave, interleaved, t.size() > 1 ? at::repeat_interleave(t[0], t[1], dimAt(a, 0)) : at::repeat_interleave(t[0], a.ints[0], dimAt(a, 1))),
    ROW(roll, rolled, at::roll(t[0], shifts(a), rolledDims(a))),
    BOTH_ROW(tril, triangular, t[0].tril(a.ints[0]), t[0].tril_(a.ints[0])),
    BOTH_ROW(triu, triangular, t[0].triu(a.ints[0]), t[0].triu_(a.ints[0])),
    ROW(sort, sorted, std::get<0>(at::sort(t[0], Optional<bool>(true), a.ints[0], a.ints[1] != 0))),
    ROW(argsort, sorted, std::get<1>(at::sort(t[0], Optional<bool>(true), a.ints[0], a.ints[1] != 0))),
    ROW(topk, largest, std::get<0>(at::topk(t[0], a.ints[0], a.ints[1], a.ints[2] != 0))),
    ROW(topk_indices, largest, std::get<1>(at::topk(t[0], a.ints[0], a.ints[1], a.ints[2] != 0))),
};

}  // namespace
}  // namespace samples
