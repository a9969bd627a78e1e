// A layout says the shapes, a pattern the values. Every layout sees several patterns, the smallest one sees all special
// values and their combinations.

#include "runtime/verify/inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rt {

namespace {

const std::vector<Shape> commonShapes = {{}, {1}, {2}, {3}, {0}, {2, 3}, {1, 3}, {3, 1}, {2, 2}, {4}, {2, 3, 4}};

// Each row: the shape of one input, and of the others.
const std::vector<std::pair<Shape, Shape>> broadcastingShapes = {
    {{}, {1}}, {{1}, {}}, {{3}, {}}, {{}, {3}}, {{3}, {1}}, {{1}, {3}}, {{2, 3}, {3}}, {{3}, {2, 3}},
    {{2, 3}, {}}, {{}, {2, 3}}, {{1, 3}, {2, 1}}, {{2, 1}, {1, 3}}, {{2, 3}, {2, 1}}, {{2, 1}, {2, 3}}, {{0}, {1}}, {{1}, {0}},
    {{2, 3}, {3, 2}}, {{3, 2}, {2, 3}},
};

constexpr size_t manyElements = 100'000;  // of all trials of a plan together: fixed sizes can be large

// Shapes of an input whose first dimension is known.
std::vector<Shape> fixedShapes(int64_t size) { return {{size}, {size, 1}, {size, 2}, {size, 2, 3}}; }

enum class PatternKind : size_t { counting, window, normal, negative, positive, ties, uniform, oneSpecial, count };

}  // namespace

Inputs::Inputs(const Profile& profile, DType dtype, uint64_t seed)
    : profile_(profile), dtype_(dtype), random_(seed + 1000 * uint64_t(dtype)), pools_(size_t(DType::float64) + 1) {}

Scalar Inputs::special(size_t input, DType dtype, size_t k) {
  static const std::vector<Scalar> indices = {Scalar(0), Scalar(1), Scalar(0), Scalar(1), Scalar(2), Scalar(-1)};
  if (profile_.inputs[input].dtype == DType::int64) return indices[k % indices.size()];
  std::vector<Scalar>& pool = pools_[size_t(dtype)];
  if (pool.empty()) pool = specialValues(dtype, profile_.literals);
  return pool[k % pool.size()];
}

// A value of the dtype near v: integers get more room, or random ones would all be 0 and 1.
Scalar Inputs::near(DType dtype, double v) const {
  if (dtype == DType::boolean) return Scalar(v > 0);
  return quantize(Scalar(isFloating(dtype) ? v : std::round(4 * v)), dtype);
}

// `value(input, dtype, element)`. Flags are boolean in two of four trials.
template <typename Value>
Trial& Inputs::add(const Layout& layout, Value value) {
  const bool alternate = trials_.size() / 2 % 2 == 0;
  Trial& trial = trials_.emplace_back();
  trial.dtype = dtype_;
  for (size_t i = 0; i < layout.size(); ++i) {
    InputValue& input = trial.inputs.emplace_back();
    input.dtype = dtypeIn(profile_.inputs[i], dtype_, alternate);
    input.shape = layout[i];
    const size_t n = size_t(numel(layout[i]));
    input.values.reserve(n);
    elements_ += n;
    for (size_t k = 0; k < n; ++k) input.values.push_back(value(i, input.dtype, k));
  }
  return trial;
}

// All special values alone; then pairs of simple ones; then random combinations of all.
void Inputs::addScalars(const Layout& layout) {
  const size_t simple = 8, values = specialValues(dtype_, profile_.literals).size();
  for (size_t v = 0; v < values; ++v) add(layout, [&](size_t i, DType d, size_t) { return special(i, d, v); });
  if (layout.size() < 2) return;
  for (size_t v = 0; layout.size() == 2 && v < simple * simple; ++v)
    if (v % simple != v / simple) add(layout, [&](size_t i, DType d, size_t) { return special(i, d, i ? v / simple : v % simple); });
  for (size_t v = 0; layout.size() > 2 && v < simple * simple; ++v)
    add(layout, [&](size_t i, DType d, size_t) { return special(i, d, random_.below(simple)); });
  for (size_t v = 0; v < values; ++v)
    add(layout, [&](size_t i, DType d, size_t) { return special(i, d, random_.below(values)); });
}

// Without gradients in every fourth trial; in every second where a program writes in place, since LibTorch forbids that on
// a leaf that requires a gradient.
void Inputs::addPattern(const Layout& layout, size_t kind) {
  const size_t start = random_.below(64), sign = random_.below(2);
  const auto value = [&](size_t i, DType d, size_t k) -> Scalar {
    if (profile_.inputs[i].dtype == DType::int64) return special(i, d, random_.below(64));
    switch (PatternKind(kind % size_t(PatternKind::count))) {
      case PatternKind::counting: return near(d, double((i + k) % 5 + 1) * ((i + k + sign) % 2 ? -1 : 1));
      case PatternKind::window: return special(i, d, start + k + 7 * i);
      case PatternKind::negative: return near(d, -std::fabs(random_.normal()) - 0.125);
      case PatternKind::positive: return near(d, std::fabs(random_.normal()) + 0.125);
      case PatternKind::ties: return near(d, double(k / 2 + 1) * (sign ? -1 : 1));
      case PatternKind::uniform: return near(d, random_.uniform() * 8 - 4);
      case PatternKind::oneSpecial: return k == 0 ? special(i, d, start + 3 * i) : near(d, 0);
      default: return near(d, random_.normal());
    }
  };
  Trial& trial = add(layout, value);
  trial.gradients = random_.below(profile_.writes ? 2 : 4) != 0;
  if (random_.below(4) == 0)
    for (InputValue& input : trial.inputs) input.transposed = input.shape.size() == 2;
}

std::vector<Layout> Inputs::alikeLayouts() const {
  std::vector<Layout> layouts;
  const auto add = [&](const Layout& layout) { if (!std::ranges::count(layouts, layout)) layouts.push_back(layout); };
  const auto layoutOf = [&](const Shape& common, auto elementShape, size_t fixed) {
    Layout layout;
    for (size_t i = 0; i < profile_.inputs.size(); ++i) {
      const InputProfile& p = profile_.inputs[i];
      if (p.host) layout.emplace_back();
      else if (p.firstSize) layout.push_back(fixedShapes(*p.firstSize)[fixed]);
      else layout.push_back(p.element ? elementShape(i) : common);
    }
    return layout;
  };
  const auto variants = [&](const Shape& common, size_t fixed) {
    add(layoutOf(common, [](size_t) { return Shape{}; }, fixed));
    add(layoutOf(common, [](size_t) { return Shape{1}; }, fixed));
    add(layoutOf(common, [](size_t i) { return i % 2 ? Shape{1} : Shape{}; }, fixed));
    add(layoutOf(common, [](size_t i) { return i % 2 ? Shape{} : Shape{1}; }, fixed));
    add(layoutOf(common, [&](size_t) { return common; }, fixed));
  };
  variants(profile_.base, 0);
  for (const Shape& common : commonShapes)
    for (size_t fixed = 0; fixed < 4; ++fixed) variants(common, fixed);
  for (const InputProfile& p : profile_.inputs)
    for (size_t fixed = 0; p.firstSize && fixed < 4; ++fixed) variants(fixedShapes(*p.firstSize)[fixed], fixed);
  return layouts;
}

std::vector<Layout> Inputs::broadcastingLayouts() const {
  std::vector<Layout> layouts;
  for (const auto& [one, others] : broadcastingShapes) {
    for (size_t chosen = 0; chosen < profile_.inputs.size(); ++chosen) {
      const auto fixed = [&](size_t i) { return profile_.inputs[i].host || profile_.inputs[i].element; };
      if (fixed(chosen) || profile_.inputs[chosen].firstSize) continue;
      Layout& layout = layouts.emplace_back();
      for (size_t i = 0; i < profile_.inputs.size(); ++i) {
        const auto size = profile_.inputs[i].firstSize;
        layout.push_back(fixed(i) ? Shape{} : size ? fixedShapes(*size)[0] : i == chosen ? one : others);
      }
    }
  }
  return layouts;
}

std::vector<Trial> Inputs::take(size_t budget) {
  if (trials_.size() > budget) trials_.resize(budget);
  return std::exchange(trials_, {});
}

// Half of the budget at most for single elements, then every layout in turn until it is used up.
std::vector<Trial> Inputs::alike(size_t budget) {
  if (profile_.inputs.empty()) budget = std::min<size_t>(budget, 1);
  const std::vector<Layout> layouts = alikeLayouts();
  addScalars(layouts[0]);
  if (trials_.size() > budget / 2) trials_.resize(budget / 2);
  for (size_t kind = 0; trials_.size() < budget && elements_ < manyElements; ++kind)
    for (const Layout& layout : layouts) addPattern(layout, kind);
  return take(budget);
}

std::vector<Trial> Inputs::broadcasting(size_t budget) {
  const std::vector<Layout> layouts = broadcastingLayouts();
  for (size_t kind = 0; !layouts.empty() && trials_.size() < budget && elements_ < manyElements; ++kind)
    for (const Layout& layout : layouts) addPattern(layout, kind);
  return take(budget);
}

Trial Inputs::scattered(const Trial& like, double scale, double shift) {
  Trial trial = like;
  for (InputValue& input : trial.inputs)
    for (Scalar& v : input.values) v = quantize(Scalar(random_.normal() * scale + shift), input.dtype);
  return trial;
}

}  // namespace rt
