// A copy with a part of it replaced, and views by strides.
#include "test/conformance/samples.h"

#include <algorithm>

namespace samples {
namespace {

void intoSlice(Draw& draw, Step& step) {
  Argument self = draw.some(1, 4);
  if (self.rank() == 0) self = draw.tensor({3}, self.dtype);
  const int64_t d = draw.between(0, self.rank() - 1), size = self.size(d), start = draw.between(0, size), end = draw.between(start, size), by = draw.between(1, 2);
  std::vector<int64_t> part = self.shape;
  part[size_t(d)] = (end - start + by - 1) / by + draw.wrong();
  step.ints() = {d, start, end, by};
  step.arguments = {self, draw.tensor(part, self.dtype)};
}
void intoSelect(Draw& draw, Step& step) {
  Argument self = draw.some(1, 4);
  if (self.rank() == 0 || self.size(0) == 0) self = draw.tensor({3, 2}, self.dtype);
  std::vector<int64_t> part(self.shape.begin() + 1, self.shape.end());
  step.ints() = {0, draw.between(-1, self.size(0) - 1 + draw.wrong())};
  step.arguments = {self, draw.tensor(part, self.dtype)};
}
// Within a dense tensor of 12 elements: the layouts that a storage offset decides are LibTorch's own.
void strided(Draw& draw, Step& step) {
  step.arguments = {draw.tensor({12}, draw.dtype())};
  const int64_t a = draw.between(0, 3), b = draw.between(0, 2);
  step.ints() = draw.chance(50) ? rt::Ints{a, b, 3, 1} : rt::Ints{a, b, 2, draw.between(0, 3), draw.between(0, 4)};
  if (step.ints().size() == 5 || step.arguments[0].offset != 0) step.ints() = {a, b, 2, draw.between(0, 3)};
}
void intoStrided(Draw& draw, Step& step) {
  step.arguments = {draw.tensor({12}, DType::float32)};
  step.arguments[0].offset = 0, step.arguments[0].strides = {1}, step.arguments[0].values.resize(12, rt::Scalar(1.0));
  step.ints() = {2, 2, 3, 1};
  step.arguments.push_back(draw.tensor({2, 2}, DType::float32));
}
void intoDiagonal(Draw& draw, Step& step) {
  const int64_t rows = draw.between(1, 4), columns = draw.between(1, 4), offset = draw.between(-3, 3);
  const int64_t length = std::max<int64_t>(offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns), 0);
  step.arguments = {draw.tensor({rows, 2, columns}, draw.dtype())};
  step.ints() = {offset, 0, 2};
  step.arguments.push_back(draw.tensor({2, length + draw.wrong()}, step.arguments[0].dtype));
}
at::IntArrayRef half(const rt::Attributes& a, size_t which) { return {a.ints.begin() + which * 2, 2}; }

const Family family = {
    ROW(slice_scatter, intoSlice, at::slice_scatter(t[0], t[1], a.ints[0], a.ints[1], a.ints[2], a.ints[3])),
    ROW(select_scatter, intoSelect, at::select_scatter(t[0], t[1], a.ints[0], a.ints[1])),
    ROW(diagonal_scatter, intoDiagonal, at::diagonal_scatter(t[0], t[1], a.ints[0], a.ints[1], a.ints[2])),
    ROW(as_strided, strided, t[0].as_strided(half(a, 0), half(a, 1))),
    ROW(as_strided_scatter, intoStrided, at::as_strided_scatter(t[0], t[1], half(a, 0), half(a, 1))),
};

}  // namespace
}  // namespace samples
