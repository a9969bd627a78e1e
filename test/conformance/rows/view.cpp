// Views: the same storage seen with other sizes and strides.
#include "test/conformance/samples.h"

#include <algorithm>
#include <numeric>

namespace samples {
namespace {

// The sizes once more, cut or joined elsewhere; -1 for one of them at times.
std::vector<int64_t> otherShape(Draw& draw, const std::vector<int64_t>& shape) {
  int64_t rest = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
  std::vector<int64_t> result;
  while (rest > 1 && result.size() < 4 && draw.chance(75)) {
    int64_t part = draw.oneOf<int64_t>({1, 2, 3, 4, 5, 6});
    if (rest % part != 0) continue;
    result.push_back(part);
    rest /= part;
  }
  if (rest != 1 || draw.chance(40)) result.insert(result.begin() + draw.between(0, int64_t(result.size())), rest);
  if (draw.wrong()) result.push_back(draw.oneOf<int64_t>({2, 0, -2, 7}));
  if (!result.empty() && draw.chance(30)) result[size_t(draw.between(0, int64_t(result.size()) - 1))] = -1;
  return draw.chance(15) ? shape : result;
}

void shaped(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  step.ints() = otherShape(draw, step.arguments[0].shape);
}

void ranges(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  int64_t first = draw.dim(step.arguments[0]), second = draw.dim(step.arguments[0]);
  auto wrapped = [&](int64_t d) { return d < 0 ? d + step.arguments[0].rank() : d; };
  if (wrapped(first) > wrapped(second) && !draw.wrong()) std::swap(first, second);
  step.ints() = {first, second};
}

void twoDims(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  step.ints() = {draw.dim(step.arguments[0]), draw.dim(step.arguments[0])};
}
void squeezed(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  step.ints() = draw.dims(step.arguments[0]);
  if (release.major < 2 && step.ints().size() > 1) step.ints().resize(1);  // several: from LibTorch 2 on
}
void oneMore(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  step.ints() = {draw.dim(step.arguments[0], 1)};
}
void only(Draw& draw, Step& step) { step.arguments = {draw.some(0, draw.chance(80) ? 2 : 5)}; }

void permuted(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  const int64_t rank = step.arguments[0].rank();
  for (int64_t d = 0; d < rank; ++d) step.ints().insert(size_t(draw.between(0, d)), draw.chance(15) ? d - rank : d);
  if (rank && draw.wrong()) step.ints()[0] = draw.between(-1, rank);
}

void expanded(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  std::vector<int64_t> sizes = step.arguments[0].shape;
  for (int64_t& size : sizes) size = size == 1 && draw.chance(60) ? draw.between(0, 3) : draw.chance(20) ? -1 : size;
  while (sizes.size() < 6 && draw.chance(25)) sizes.insert(sizes.begin(), draw.between(draw.wrong() ? -1 : 0, 3));
  if (!sizes.empty() && draw.wrong()) sizes[size_t(draw.between(0, int64_t(sizes.size()) - 1))] = 7;
  step.ints() = sizes;
}

// A dimension, and its size.
std::pair<int64_t, int64_t> along(Draw& draw, const Step& step) {
  const Argument& from = step.arguments[0];
  const int64_t d = draw.dim(from), wrapped = d < 0 ? d + from.rank() : d;
  return {d, wrapped >= 0 && wrapped < from.rank() ? from.size(wrapped) : 3};
}

void narrowed(Draw& draw, Step& step) {
  step.arguments = {draw.some(draw.wrong() ? 0 : 1)};
  auto [d, size] = along(draw, step);
  int64_t start = draw.between(draw.wrong() ? -size - 1 : draw.chance(20) ? -size : 0, size);
  int64_t length = draw.between(0, start < 0 ? -start : size - start);
  step.ints() = {d, start, draw.wrong() ? length + draw.between(-2, 2) : length};
}
void selected(Draw& draw, Step& step) {
  step.arguments = {draw.some(draw.wrong() ? 0 : 1)};
  auto [d, size] = along(draw, step);
  step.ints() = {d, draw.wrong() ? draw.oneOf({size, -size - 1}) : draw.between(draw.chance(30) ? -size : 0, size - 1)};
}
void sliced(Draw& draw, Step& step) {
  step.arguments = {draw.some(draw.wrong() ? 0 : 1)};
  auto [d, size] = along(draw, step);
  step.ints() = {d, draw.between(-size - 1, size + 1), draw.chance(20) ? INT64_MAX : draw.between(-size - 1, size + 2), draw.wrong() ? draw.between(-1, 0) : draw.between(1, 3)};
}

void moved(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  const int64_t rank = step.arguments[0].rank(), count = draw.between(rank > 0 ? 1 : 0, rank);
  std::vector<int64_t> from(static_cast<size_t>(rank)), to;
  std::iota(from.begin(), from.end(), int64_t(0));
  to = from;
  for (auto* list : {&from, &to})
    for (size_t i = list->size(); i-- > 1;) std::swap((*list)[i], (*list)[size_t(draw.between(0, int64_t(i)))]);
  for (auto* list : {&from, &to})
    for (int64_t i = 0; i < count; ++i) step.ints().push_back(draw.wrong() ? rank : (*list)[size_t(i)] - (draw.chance(20) ? rank : 0));
}

void diagonals(Draw& draw, Step& step) {
  step.arguments = {draw.some(draw.wrong() ? 0 : 2)};
  step.ints() = {draw.between(-3, 3), draw.dim(step.arguments[0]), draw.dim(step.arguments[0])};
}

at::IntArrayRef half(const rt::Attributes& a, bool second) { return intsOf(a).slice(second ? a.ints.size() / 2 : 0, a.ints.size() / 2); }

const Family family = {
    ROW(movedim, moved, t[0].movedim(half(a, false), half(a, true))),
    ROW(diagonal, diagonals, t[0].diagonal(a.ints[0], a.ints[1], a.ints[2])),
    ROW(view, shaped, t[0].view(intsOf(a))),
    ROW(reshape, shaped, t[0].reshape(intsOf(a))),
    ROW(flatten, ranges, t[0].flatten(a.ints[0], a.ints[1])),
#if TORCH_VERSION_MAJOR >= 2
    ROW(squeeze, squeezed, a.ints.empty() ? t[0].squeeze() : t[0].squeeze(intsOf(a))),
#else
    ROW(squeeze, squeezed, a.ints.empty() ? t[0].squeeze() : t[0].squeeze(a.ints[0])),
#endif
    ROW(unsqueeze, oneMore, t[0].unsqueeze(a.ints[0])),
    ROW(permute, permuted, t[0].permute(intsOf(a))),
    ROW(transpose, twoDims, t[0].transpose(a.ints[0], a.ints[1])),
    ROW(t, only, t[0].t()),
    ROW(expand, expanded, t[0].expand(intsOf(a))),
    ROW(narrow, narrowed, t[0].narrow(a.ints[0], a.ints[1], a.ints[2])),
    ROW(select, selected, t[0].select(a.ints[0], a.ints[1])),
    ROW(slice, sliced, t[0].slice(a.ints[0], a.ints[1], a.ints[2], a.ints[3])),
};

}  // namespace
}  // namespace samples
