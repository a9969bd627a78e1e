// Pooling over one to three dimensions.
#include "test/conformance/samples.h"

namespace samples {
namespace {

at::IntArrayRef part(const rt::Attributes& a, size_t at, size_t n) { return {a.ints.begin() + at, n}; }

Argument image(Draw& draw, size_t rank, DType dtype, Values values) {
  std::vector<int64_t> shape = {draw.chance(3) ? 0 : draw.between(1, 3)};
  if (draw.chance(80)) shape.insert(shape.begin(), draw.chance(6) ? 0 : draw.between(1, 3));
  for (size_t d = 0; d < rank; ++d) shape.push_back(draw.chance(2) ? 0 : draw.between(1, rank == 1 ? 12 : rank == 2 ? 7 : 4));
  if (draw.wrong()) shape.push_back(2);
  return draw.tensor(shape, dtype, values);
}
DType usual(Draw& draw) { return draw.chance(90) ? draw.floating() : draw.dtype(); }

// Kernel, stride and padding of each dimension.
void strided(Draw& draw, Step& step, size_t rank) {
  std::vector<int64_t> kernel;
  for (size_t d = 0; d < rank; ++d) kernel.push_back(draw.chance(1) ? 0 : draw.between(1, 3));
  for (int64_t size : kernel) step.ints().push_back(size);
  for (int64_t size : kernel) step.ints().push_back(draw.chance(1) ? 0 : draw.chance(50) ? size : draw.between(1, 3));
  const bool padded = draw.chance(50);
  for (int64_t size : kernel) step.ints().push_back(padded ? draw.between(draw.wrong() ? -1 : 0, size / 2 + draw.wrong()) : 0);
}

template <size_t rank> void largest(Draw& draw, Step& step) {
  step.arguments = {image(draw, rank, usual(draw), Values::any)};
  strided(draw, step, rank);
  const bool dilated = draw.chance(30);
  for (size_t d = 2 * rank; dilated && d < 3 * rank; ++d) step.ints()[d] = 0;
  for (size_t d = 0; d < rank; ++d) step.ints().push_back(draw.chance(1) ? 0 : dilated ? draw.between(1, 2) : 1);
  // Dilated and with padding, or rounded up, a window may lie beside its image, and LibTorch's gradient writes there.
  step.ints().push_back(dilated ? 0 : draw.between(0, 1));
}
template <size_t rank> void mean(Draw& draw, Step& step) {
  step.arguments = {image(draw, rank, usual(draw), Values::exact)};
  strided(draw, step, rank);
  step.ints().push_back(draw.between(0, 1));
  step.ints().push_back(draw.between(0, 1));
  if (rank > 1 && draw.chance(30)) step.ints().push_back(draw.chance(4) ? 0 : draw.between(1, 5));
}
template <size_t rank> void adaptive(Draw& draw, Step& step, int64_t lowest, Values values) {
  step.arguments = {image(draw, rank, usual(draw), values)};
  const bool one = draw.chance(15);
  for (size_t d = 0; d < rank; ++d) step.ints().push_back(one ? 1 : draw.wrong() ? draw.between(rank == 1 ? -1 : 0, lowest) : draw.between(1, 5));
}
template <size_t rank> void adaptiveMean(Draw& draw, Step& step) { adaptive<rank>(draw, step, 0, Values::exact); }
template <size_t rank> void adaptiveLargest(Draw& draw, Step& step) { adaptive<rank>(draw, step, 1, Values::any); }

// A gradient, and before the ints of the pooling the sizes of what was pooled.
template <size_t rank> void meanBackward(Draw& draw, Step& step) {
  std::vector<int64_t> shape = {draw.between(1, 2), draw.between(1, 2)}, kernel, stride, padding, sizes;
  for (size_t d = 0; d < rank; ++d) {
    kernel.push_back(draw.between(1, 3));
    stride.push_back(draw.between(1, 3));
    padding.push_back(draw.between(0, kernel.back() / 2));
    sizes.push_back(kernel.back() + draw.between(0, 4));
    shape.push_back((sizes.back() + 2 * padding.back() - kernel.back()) / stride.back() + 1);
  }
  for (const auto* list : {&sizes, &kernel, &stride, &padding})
    for (int64_t v : *list) step.ints().push_back(v);
  step.ints().push_back(0);
  step.ints().push_back(draw.between(0, 1));
  if (draw.chance(30)) step.ints().push_back(draw.between(1, 5));
  step.arguments = {draw.tensor(shape, draw.floating(), Values::exact)};
}
template <size_t rank> void adaptiveBackward(Draw& draw, Step& step) {
  std::vector<int64_t> shape = {draw.between(1, 2), draw.between(1, 2)};
  for (size_t d = 0; d < rank; ++d) shape.push_back(draw.between(1, 3)), step.ints().push_back(draw.between(1, 5));
  step.arguments = {draw.tensor(shape, draw.floating(), Values::exact)};
}

Optional<int64_t> divisor(const rt::Attributes& a, size_t at) { return a.ints.size() > at ? Optional<int64_t>(a.ints[at]) : Optional<int64_t>(); }
// What was pooled, of which only the sizes are asked.
at::Tensor pooled(const at::Tensor& g, const rt::Attributes& a, size_t n) {
  std::vector<int64_t> sizes = {g.size(0), g.size(1)};
  for (int64_t size : part(a, 0, n)) sizes.push_back(size);
  return at::zeros(sizes, g.options());
}

const Family family = {
    ROW(max_pool1d, largest<1>, at::max_pool1d(t[0], part(a, 0, 1), part(a, 1, 1), part(a, 2, 1), part(a, 3, 1), a.ints[4] != 0)),
    ROW(max_pool2d, largest<2>, at::max_pool2d(t[0], part(a, 0, 2), part(a, 2, 2), part(a, 4, 2), part(a, 6, 2), a.ints[8] != 0)),
    ROW(max_pool3d, largest<3>, at::max_pool3d(t[0], part(a, 0, 3), part(a, 3, 3), part(a, 6, 3), part(a, 9, 3), a.ints[12] != 0)),
    ROW(max_pool2d_indices, largest<2>, std::get<1>(at::max_pool2d_with_indices(t[0], part(a, 0, 2), part(a, 2, 2), part(a, 4, 2), part(a, 6, 2),
        a.ints[8] != 0))),
    ROW(max_pool3d_indices, largest<3>, std::get<1>(at::max_pool3d_with_indices(t[0], part(a, 0, 3), part(a, 3, 3), part(a, 6, 3), part(a, 9, 3),
        a.ints[12] != 0))),
    ROW(adaptive_max_pool1d, adaptiveLargest<1>, std::get<0>(at::adaptive_max_pool1d(t[0], intsOf(a)))),
    ROW(adaptive_max_pool2d, adaptiveLargest<2>, std::get<0>(at::adaptive_max_pool2d(t[0], intsOf(a)))),
    ROW(adaptive_max_pool3d, adaptiveLargest<3>, std::get<0>(at::adaptive_max_pool3d(t[0], intsOf(a)))),
    ROW(adaptive_max_pool2d_indices, adaptiveLargest<2>, std::get<1>(at::adaptive_max_pool2d(t[0], intsOf(a)))),
    ROW(adaptive_max_pool3d_indices, adaptiveLargest<3>, std::get<1>(at::adaptive_max_pool3d(t[0], intsOf(a)))),
    SUM_ROW(avg_pool1d, mean<1>, at::avg_pool1d(t[0], part(a, 0, 1), part(a, 1, 1), part(a, 2, 1), a.ints[3] != 0, a.ints[4] != 0)),
    SUM_ROW(avg_pool2d, mean<2>, at::avg_pool2d(t[0], part(a, 0, 2), part(a, 2, 2), part(a, 4, 2), a.ints[6] != 0, a.ints[7] != 0, divisor(a, 8))),
    SUM_ROW(avg_pool3d, mean<3>, at::avg_pool3d(t[0], part(a, 0, 3), part(a, 3, 3), part(a, 6, 3), a.ints[9] != 0, a.ints[10] != 0, divisor(a, 11))),
    SUM_ROW(avg_pool2d_backward, meanBackward<2>, at::avg_pool2d_backward(t[0], pooled(t[0], a, 2), part(a, 2, 2), part(a, 4, 2), part(a, 6, 2),
        a.ints[8] != 0, a.ints[9] != 0, divisor(a, 10)).contiguous()),
    SUM_ROW(avg_pool3d_backward, meanBackward<3>, at::avg_pool3d_backward(t[0], pooled(t[0], a, 3), part(a, 3, 3), part(a, 6, 3), part(a, 9, 3),
        a.ints[12] != 0, a.ints[13] != 0, divisor(a, 14)).contiguous()),
    SUM_ROW(adaptive_avg_pool1d, adaptiveMean<1>, at::adaptive_avg_pool1d(t[0], intsOf(a))),
    SUM_ROW(adaptive_avg_pool2d, adaptiveMean<2>, at::adaptive_avg_pool2d(t[0], intsOf(a))),
    SUM_ROW(adaptive_avg_pool3d, adaptiveMean<3>, at::adaptive_avg_pool3d(t[0], intsOf(a))),
    SUM_ROW(_adaptive_avg_pool2d, adaptiveMean<2>, at::_adaptive_avg_pool2d(t[0], intsOf(a))),
    SUM_ROW(_adaptive_avg_pool3d, adaptiveMean<3>, at::_adaptive_avg_pool3d(t[0], intsOf(a))),
    SUM_ROW(_adaptive_avg_pool2d_backward, adaptiveBackward<2>, at::_adaptive_avg_pool2d_backward(t[0], pooled(t[0], a, 2)).contiguous()),
    SUM_ROW(_adaptive_avg_pool3d_backward, adaptiveBackward<3>, at::_adaptive_avg_pool3d_backward(t[0], pooled(t[0], a, 3)).contiguous()),
};

}  // namespace
}  // namespace samples
