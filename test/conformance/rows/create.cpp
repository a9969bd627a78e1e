// Creation: from sizes, numbers, or after another tensor.
#include "test/conformance/samples.h"

namespace samples {
namespace {

void asked(Draw& draw, Step& step) {
  if (draw.chance(50)) step.attributes.dtype = draw.dtype();
}
std::vector<int64_t> sizes(Draw& draw) {
  std::vector<int64_t> shape = draw.shape();
  if (!shape.empty() && draw.wrong()) shape[0] = -1;
  return shape;
}
void sized(Draw& draw, Step& step) {
  step.ints() = sizes(draw);
  asked(draw, step);
}
void square(Draw& draw, Step& step) {
  step.ints() = {draw.between(draw.wrong() ? -1 : 0, 4)};
  if (draw.chance(50)) step.ints().push_back(draw.between(draw.wrong() ? -1 : 0, 4));
  asked(draw, step);
}
void full(Draw& draw, Step& step) {
  sized(draw, step);
  step.arguments = {draw.number(step.attributes.dtype.value_or(draw.dtype()))};
}
void like(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  asked(draw, step);
}
void fullLike(Draw& draw, Step& step) {
  like(draw, step);
  step.arguments.push_back(draw.number(step.attributes.dtype.value_or(step.arguments[0].dtype)));
}
void fresh(Draw& draw, Step& step) {
  like(draw, step);
  step.ints() = sizes(draw);
}
void freshFull(Draw& draw, Step& step) {
  fullLike(draw, step);
  step.ints() = sizes(draw);
}

Argument bound(double v, bool floating) {
  Argument argument;
  argument.kind = Argument::Kind::number;
  argument.values = {floating ? rt::Scalar(v) : rt::Scalar(int64_t(v))};
  return argument;
}
// end; start, end; start, end, step.
void range(Draw& draw, Step& step) {
  const int64_t count = draw.between(1, 3);
  const bool floating = draw.chance(40);
  double start = double(draw.between(-3, 3)), end = start + double(draw.between(draw.wrong() ? -3 : 0, 12)), by = floating ? draw.oneOf({0.5, 1.0, 0.3, 2.0}) : double(draw.between(1, 3));
  if (draw.chance(20)) std::swap(start, end), by = -by;
  if (draw.wrong()) by = 0;
  if (count == 1) step.arguments = {bound(draw.wrong() ? -2 : double(draw.between(0, 9)) + (floating ? 0.5 : 0), floating)};
  else step.arguments = {bound(start, floating && draw.chance(70)), bound(end, floating)};
  if (count == 3) step.arguments.push_back(bound(by, floating));
  if (draw.chance(20)) step.attributes.dtype = draw.dtype();
}

void spaced(Draw& draw, Step& step) {
  const bool floating = draw.chance(60);
  step.arguments = {bound(double(draw.between(-8, 8)) / (floating ? 4 : 1), floating), bound(double(draw.between(-8, 8)) / (floating ? 4 : 1), floating)};
  step.ints() = {draw.wrong() ? -1 : draw.between(0, 40)};
  asked(draw, step);
}

at::TensorOptions options(const rt::Attributes& a) { return a.dtype ? at::TensorOptions(torchType(*a.dtype)) : at::TensorOptions(); }
at::Tensor arange(Tensors t, const rt::Attributes& a) {
  if (t.size() == 1) return at::arange(number(t[0]), options(a));
  return t.size() == 2 ? at::arange(number(t[0]), number(t[1]), options(a)) : at::arange(number(t[0]), number(t[1]), number(t[2]), options(a));
}

const Family family = {
    ROW(zeros, sized, at::zeros(intsOf(a), options(a))),
    ROW(ones, sized, at::ones(intsOf(a), options(a))),
    ROW(full, full, at::full(intsOf(a), number(t[0]), options(a))),
    ROW(arange, range, arange(t, a)),
    ROW(linspace, spaced, at::linspace(number(t[0]), number(t[1]), a.ints[0], options(a))),
    ROW(empty, sized, at::empty(intsOf(a), options(a)).zero_()),
    ROW(empty_like, like, at::empty_like(t[0], options(a)).zero_()),
    ROW(eye, square, a.ints.size() == 1 ? at::eye(a.ints[0], options(a)) : at::eye(a.ints[0], a.ints[1], options(a))),
    ROW(zeros_like, like, at::zeros_like(t[0], options(a))),
    ROW(ones_like, like, at::ones_like(t[0], options(a))),
    ROW(full_like, fullLike, at::full_like(t[0], number(t[1]), options(a))),
    ROW(new_zeros, fresh, t[0].new_zeros(intsOf(a), options(a))),
    ROW(new_ones, fresh, t[0].new_ones(intsOf(a), options(a))),
    ROW(new_full, freshFull, t[0].new_full(intsOf(a), number(t[1]), options(a))),
};

}  // namespace
}  // namespace samples
