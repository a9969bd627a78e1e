// Convolutions in one to three dimensions.
#include "test/conformance/samples.h"

#include <algorithm>
#include <cmath>

namespace samples {
namespace {

Optional<at::Tensor> bias(Tensors t) { return t.size() > 2 && t[2].defined() ? Optional<at::Tensor>(t[2]) : Optional<at::Tensor>(); }
at::IntArrayRef part(const rt::Attributes& a, size_t at, size_t n) { return {a.ints.begin() + at, n}; }

// Ints for each dimension, mostly `usual`.
void each(Draw& draw, Step& step, size_t rank, int64_t usual, int64_t highest, int64_t wrong) {
  const bool odd = draw.chance(40);
  for (size_t d = 0; d < rank; ++d) step.ints().push_back(draw.wrong() && draw.chance(30) ? wrong : odd ? draw.between(usual, highest) : usual);
}

// What is infinite in a weight meets the padding's zeros in some of LibTorch's kernels and not in others.
void makeFinite(Argument& argument) {
  for (rt::Scalar& v : argument.values)
    if (v.kind == rt::Scalar::Kind::floating && !std::isfinite(v.d)) v = rt::Scalar(0.5);
}

// Input, weight and bias: [N, C * groups, d...] with [O * groups, C, k...]; transposed, [N, O * groups, d...] with the same.
void operands(Draw& draw, Step& step, size_t rank, int64_t groups, bool transposed, bool batched) {
  const DType dtype = draw.chance(90) ? draw.floating() : draw.chance(60) ? DType::int64 : draw.dtype();
  const int64_t seen = draw.chance(3) ? 0 : draw.between(1, 3), made = draw.between(1, 3);
  std::vector<int64_t> input = {(transposed ? made : seen) * groups + draw.wrong()}, weight = {made * groups + (draw.wrong() && groups > 1), seen};
  if (batched) input.insert(input.begin(), draw.chance(5) ? 0 : draw.chance(5) ? 17 : draw.between(1, 3));
  for (size_t d = 0; d < rank; ++d) {
    input.push_back(draw.chance(1) ? 0 : draw.between(1, rank == 1 ? 12 : rank == 2 ? 6 : 4));
    weight.push_back(draw.chance(1) ? 0 : draw.chance(30) ? 1 : draw.between(1, rank == 3 ? 3 : 4));
  }
  if (draw.wrong()) input.push_back(1);
  if (draw.wrong()) weight.pop_back();
  auto other = [&] { return draw.chance(97) ? dtype : draw.dtype(); };
  step.arguments = {draw.tensor(input, dtype, Values::exact), draw.tensor(weight, other(), Values::exact)};
  makeFinite(step.arguments[1]);
  if (draw.chance(70)) makeFinite(step.arguments[0]);
  if (draw.chance(50)) step.arguments.push_back(draw.tensor({(transposed ? seen : made) * groups + draw.wrong()}, other(), Values::exact));
  for (Argument& argument : step.arguments) argument.requiresGrad &= rt::kindOf(dtype) == rt::DTypeKind::floating;
}

// In half types, oneDNN as it comes with LibTorch 2.15 reads and writes beside its memory where a place sees nothing but padding,
// there or in the gradient: wrong numbers, and crashes. `dilation`: where in the ints it begins.
void avoidOutwork(Step& step, size_t rank, size_t dilation) {
  const DType dtype = step.arguments[0].dtype;
  if (dtype != DType::float16 && dtype != DType::bfloat16) return;
  for (size_t d = 0; d < rank; ++d) {
    rt::Ints& ints = step.ints();
    const std::vector<int64_t>& kernel = step.arguments[1].shape;
    ints[d] = 1;
    ints[rank + d] = std::min(ints[rank + d], std::max<int64_t>(0, d + 2 < kernel.size() ? kernel[d + 2] - 1 : 0));
    if (ints[rank + d] > 0) ints[dilation + d] = 1;
  }
}

int64_t groupsOf(Draw& draw) { return draw.wrong() && draw.chance(30) ? 0 : draw.chance(70) ? 1 : draw.between(1, 3); }

template <size_t rank> void forward(Draw& draw, Step& step) {
  const int64_t groups = groupsOf(draw), padding = draw.chance(25) ? draw.between(1, 2) : 0;
  operands(draw, step, rank, std::max<int64_t>(groups, 1), false, draw.chance(80));
  each(draw, step, rank, 1, padding == 2 && !draw.wrong() ? 1 : 3, 0);
  each(draw, step, rank, 0, 2, -1);
  each(draw, step, rank, 1, 2, 0);
  avoidOutwork(step, rank, 2 * rank);
  step.ints().push_back(groups);
  if (padding) step.ints().push_back(padding);
}
template <size_t rank> void transposed(Draw& draw, Step& step) {
  const int64_t groups = groupsOf(draw);
  operands(draw, step, rank, std::max<int64_t>(groups, 1), true, draw.chance(80));
  each(draw, step, rank, 1, 3, 0);
  each(draw, step, rank, 0, 2, -1);
  each(draw, step, rank, 0, draw.chance(50) ? 2 : 0, -1);
  step.ints().push_back(groups);
  each(draw, step, rank, 1, 2, -1);
  avoidOutwork(step, rank, 3 * rank + 1);
}
void general(Draw& draw, Step& step) {
  const size_t rank = size_t(draw.between(1, 3));
  const int64_t groups = groupsOf(draw);
  const bool transposed = draw.chance(40);
  operands(draw, step, rank, std::max<int64_t>(groups, 1), transposed, true);
  each(draw, step, rank, 1, 3, 0);
  each(draw, step, rank, 0, 2, -1);
  each(draw, step, rank, 1, 2, -1);
  each(draw, step, rank, 0, transposed ? 1 : 0, -1);
  avoidOutwork(step, rank, 2 * rank);
  step.ints().push_back(groups);
  step.ints().push_back(transposed);
}
// The image and the places of a convolution that fits.
void weightOf(Draw& draw, Step& step) {
  const size_t rank = size_t(draw.between(1, 3));
  const int64_t groups = draw.between(1, 2), batch = draw.between(1, 3);
  std::vector<int64_t> image = {batch, groups * draw.between(1, 2)}, places = {batch, groups * draw.between(1, 2)}, kernel;
  for (size_t d = 0; d < rank; ++d) step.ints().push_back(draw.between(1, 2));
  for (size_t d = 0; d < rank; ++d) step.ints().push_back(draw.between(0, 2));
  for (size_t d = 0; d < rank; ++d) step.ints().push_back(draw.between(1, 2));
  for (size_t d = 0; d < rank; ++d) {
    const int64_t element = draw.between(1, 3), count = draw.between(1, 3), reach = step.ints()[2 * rank + d] * (element - 1) + 1;
    image.push_back(std::max<int64_t>(1, (count - 1) * step.ints()[d] + reach - 2 * step.ints()[rank + d]));
    places.push_back((image.back() + 2 * step.ints()[rank + d] - reach) / step.ints()[d] + 1);
    step.ints().push_back(element);
  }
  step.ints().push_back(groups);
  const DType dtype = draw.oneOf({DType::float32, DType::float64});
  step.arguments = {draw.tensor(image, dtype, Values::exact), draw.tensor(places, dtype, Values::exact)};
  for (Argument& argument : step.arguments) makeFinite(argument);
}

at::Tensor convolved(Tensors t, const rt::Attributes& a) {
  const size_t n = size_t(t[1].dim()) - 2;
  return at::convolution(t[0], t[1], bias(t), part(a, 0, n), part(a, n, n), part(a, 2 * n, n), a.ints[4 * n + 1] != 0, part(a, 3 * n, n), a.ints[4 * n]);
}
// The gradient of the weight, of which only the sizes are asked.
at::Tensor weightGradient(const at::Tensor& image, const at::Tensor& places, const rt::Attributes& a) {
  const size_t n = size_t(image.dim()) - 2;
  std::vector<int64_t> sizes = {places.size(1), image.size(1) / a.ints[4 * n]}, none(n, 0);
  for (int64_t size : part(a, 3 * n, n)) sizes.push_back(size);
  return std::get<1>(at::convolution_backward(places, image, at::zeros(sizes, image.options()), {}, part(a, 0, n), part(a, n, n), part(a, 2 * n, n), false,
      none, a.ints[4 * n], {false, true, false})).contiguous();
}

using Numbers = at::Tensor (*)(const at::Tensor&, const at::Tensor&, const Optional<at::Tensor>&, at::IntArrayRef, at::IntArrayRef, at::IntArrayRef, int64_t);
using Named = at::Tensor (*)(const at::Tensor&, const at::Tensor&, const Optional<at::Tensor>&, at::IntArrayRef, StringView, at::IntArrayRef, int64_t);
at::Tensor padded(Tensors t, const rt::Attributes& a, size_t n, Numbers numbers, Named named) {
  const int64_t padding = a.integer(3 * n + 1, 0);
  if (padding) return named(t[0], t[1], bias(t), part(a, 0, n), padding == 1 ? "valid" : "same", part(a, 2 * n, n), a.ints[3 * n]);
  return numbers(t[0], t[1], bias(t), part(a, 0, n), part(a, n, n), part(a, 2 * n, n), a.ints[3 * n]);
}

const Family family = {
    FINITE_ROW(convolution, general, convolved(t, a)),
    FINITE_ROW(convolution_weight, weightOf, weightGradient(t[0], t[1], a)),
    FINITE_ROW(conv1d, forward<1>, padded(t, a, 1, at::conv1d, at::conv1d)),
    FINITE_ROW(conv2d, forward<2>, padded(t, a, 2, at::conv2d, at::conv2d)),
    FINITE_ROW(conv3d, forward<3>, padded(t, a, 3, at::conv3d, at::conv3d)),
    FINITE_ROW(conv_transpose1d, transposed<1>, at::conv_transpose1d(t[0], t[1], bias(t), part(a, 0, 1), part(a, 1, 1), part(a, 2, 1), a.ints[3], part(a, 4,
        1))),
    FINITE_ROW(conv_transpose2d, transposed<2>, at::conv_transpose2d(t[0], t[1], bias(t), part(a, 0, 2), part(a, 2, 2), part(a, 4, 2), a.ints[6], part(a, 7,
        2))),
    FINITE_ROW(conv_transpose3d, transposed<3>, at::conv_transpose3d(t[0], t[1], bias(t), part(a, 0, 3), part(a, 3, 3), part(a, 6, 3), a.ints[9], part(a, 10,
        3))),
};

}  // namespace
}  // namespace samples
