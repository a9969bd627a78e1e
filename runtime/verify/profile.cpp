// Probing: run `before` on simple inputs, vary one thing at a time, see what throws.

#include "runtime/verify/profile.h"

#include "runtime/verify/values.h"
#include "runtime/verify/verify.h"

#include <algorithm>
#include <set>

namespace rt {

namespace {

class Prober {
 public:
  Prober(const Program& program, Profile& profile) : program_(program), profile_(profile) {}
  void findBase();
  void findElements();

 private:
  bool runs(std::span<const Shape> shapes) const;
  bool runsInEveryArm(std::span<const Shape> shapes) const;
  Outcome runWith(std::span<const Shape> shapes, double value) const;
  bool acceptBase(bool everyArm);
  bool nextKinds(int changed, bool everyArm);
  Shape shapeOf(size_t input, const Shape& common) const;
  std::vector<Shape> shapesAt(const Shape& common) const;

  const Program& program_;
  Profile& profile_;
};

Shape Prober::shapeOf(size_t input, const Shape& common) const {
  Shape shape = profile_.inputs[input].host ? Shape() : common;
  if (const auto size = profile_.inputs[input].firstSize) {
    if (shape.empty()) shape = {*size};
    else shape[0] = *size;
  }
  return shape;
}

std::vector<Shape> Prober::shapesAt(const Shape& common) const {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < profile_.inputs.size(); ++i) shapes.push_back(shapeOf(i, common));
  return shapes;
}

constexpr double probes[] = {1.0, -1.0, 0.0, 0.5, 100.0, -100.0};

Outcome Prober::runWith(std::span<const Shape> shapes, double value) const {
  std::vector<Binding> bindings;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const InputProfile& p = profile_.inputs[i];
    const DType dtype = p.host ? dtypeOf(*p.host) : dtypeIn(p, DType::float32, false);
    const Scalar v = quantize(Scalar(p.dtype ? 0.0 : value), dtype);
    const std::vector<Scalar> values(size_t(numel(shapes[i])), v);
    Binding& b = bindings.emplace_back();
    if (p.host) b.scalar = v;
    else b.tensor = fromValues(values, shapes[i], dtype);
  }
  return run(program_, bindings);
}

bool Prober::runs(std::span<const Shape> shapes) const {
  return std::ranges::any_of(probes, [&](double value) { return !runWith(shapes, value).threw; });
}

// Arms that do nothing but throw, as checks have them.
void collectFailing(const Block& block, std::set<std::pair<uint32_t, bool>>& arms) {
  for (const Step& step : block) {
    for (const bool arm : {true, false}) {
      const Block& inner = arm ? step.then : step.otherwise;
      if (!inner.empty() && inner.back().kind == Step::Kind::fail) arms.insert({step.where, arm});
      collectFailing(inner, arms);
    }
  }
}

// A mask of floats passes where the arm that needs a mask is not taken: no arm may be one that always throws.
bool Prober::runsInEveryArm(std::span<const Shape> shapes) const {
  std::set<std::pair<uint32_t, bool>> thrown, passed;
  for (const double value : probes) {
    const Outcome o = runWith(shapes, value);
    (o.threw ? thrown : passed).insert(o.taken.begin(), o.taken.end());
    if (!o.threw && o.taken.empty()) return true;
  }
  std::set<std::pair<uint32_t, bool>> allowed = passed;
  collectFailing(program_.body, allowed);
  return !passed.empty() && std::ranges::includes(allowed, thrown);
}

bool Prober::acceptBase(bool everyArm) {
  for (const Shape& base : {Shape{}, Shape{1}, Shape{1, 1}, Shape{2, 2}, Shape{2}, Shape{1, 1, 1}, Shape{1, 1, 1, 1}}) {
    if (everyArm ? !runsInEveryArm(shapesAt(base)) : !runs(shapesAt(base))) continue;
    profile_.base = base;
    return true;
  }
  return false;
}

// Tries every way to make `changed` of the tensor inputs masks or indices.
bool Prober::nextKinds(int changed, bool everyArm) {
  if (changed == 0) return acceptBase(everyArm);
  for (InputProfile& p : profile_.inputs) {
    if (p.host || p.dtype || p.floatingOnly) continue;
    for (const DType dtype : {DType::boolean, DType::int64}) {
      p.dtype = dtype;
      if (nextKinds(changed - 1, everyArm)) return true;
    }
    p.dtype.reset();
  }
  return false;
}

void Prober::findBase() {
  const int inputs = int(profile_.inputs.size());
  for (int changed = 0; changed <= std::min(1, inputs); ++changed)
    if (nextKinds(changed, /*everyArm=*/true)) return;
  for (int changed = 0; changed <= std::min(2, inputs); ++changed)
    if (nextKinds(changed, /*everyArm=*/false)) return;
}

void Prober::findElements() {
  if (numel(profile_.base) != 1) return;
  for (size_t i = 0; i < profile_.inputs.size(); ++i) {
    InputProfile& p = profile_.inputs[i];
    if (p.host || p.firstSize) continue;
    std::vector<Shape> shapes = shapesAt(profile_.base);
    shapes[i] = Shape(std::max<size_t>(1, profile_.base.size()), 2);
    p.element = !runs(shapes);
  }
}

struct Uses { bool flag = false, other = false; };

void countUses(const Block& block, Slot slot, Uses& uses) {
  for (const Step& step : block) {
    const bool used = std::ranges::count(step.args, slot) > 0 || step.dst == slot;
    if (used) (step.kind == Step::Kind::item && step.type == HostType::boolean ? uses.flag : uses.other) = true;
    countUses(step.then, slot, uses);
    countUses(step.otherwise, slot, uses);
  }
}

bool writes(const Block& block) {
  return std::ranges::any_of(block, [](const Step& step) {
    return step.kind == Step::Kind::inPlace || writes(step.then) || writes(step.otherwise);
  });
}

InputProfile declared(const Program& program, const Input& input) {
  InputProfile p;
  const SlotInfo& slot = program.slots[size_t(input.slot)];
  if (!slot.tensor) p.host = slot.type;
  p.floatingOnly = input.floatingOnly;
  p.parameter = input.parameter;
  p.constant = input.constant;
  Uses uses;
  countUses(program.body, input.slot, uses);
  p.flag = slot.tensor && uses.flag && !uses.other && !std::ranges::count(program.outputs, input.slot);
  return p;
}

}  // namespace

Profile profileOf(const Program& before, const Program& after, const VerifyOptions& options) {
  Profile profile;
  for (const Input& input : before.inputs) profile.inputs.push_back(declared(before, input));
  for (const auto& [input, size] : options.fixedSizes) profile.inputs[size_t(input)].firstSize = size;
  profile.literals = literalsOf(before, after);
  profile.writes = writes(before.body) || writes(after.body);
  Prober prober(before, profile);
  prober.findBase();
  prober.findElements();
  return profile;
}

DType dtypeIn(const InputProfile& p, DType dtype, bool alternate) {
  if (p.host) return dtypeOf(*p.host);
  if (p.dtype) return *p.dtype;
  if (p.flag && alternate) return DType::boolean;
  return p.floatingOnly && !isFloating(dtype) ? DType::float32 : dtype;
}

}  // namespace rt
