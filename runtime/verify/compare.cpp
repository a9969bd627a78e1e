// The observer of runs. What is compared, in this order: exceptions, outputs (dtype, shape, bits), what the inputs hold
// afterwards, exceptions of the backward pass, gradients; then what only some programs see: strides, and writes that change
// nothing. The first difference is reported.

#include "runtime/verify/compare.h"

#include "runtime/verify/values.h"

#include <algorithm>
#include <cmath>

namespace rt {

namespace {

using Kind = Difference::Kind;
using Found = std::optional<Difference>;

struct Observation {
  std::vector<Binding> inputs;   // as the program got them; in-place steps write to them
  std::vector<Tensor> leaves;    // where gradients arrive; undefined for inputs without
  std::vector<uint32_t> versions;
  Outcome outcome;
};

// An input that is written to must not be a leaf, as little as a hidden state is one in a model. Parameters are leaves.
Tensor asInput(const Tensor& leaf, const Profile& profile, size_t i) {
  return profile.writes && !profile.inputs[i].parameter ? leaf.clone() : leaf;
}

Observation prepare(const Profile& profile, const Trial& trial, bool gradients, Device device) {
  Observation o;
  for (size_t i = 0; i < trial.inputs.size(); ++i) {
    const InputValue& input = trial.inputs[i];
    Binding& binding = o.inputs.emplace_back();
    Tensor& leaf = o.leaves.emplace_back();
    if (profile.inputs[i].host) {
      binding.scalar = input.values[0];
    } else {
      binding.tensor = materialize(input, device);
      if (gradients && isFloating(input.dtype) && !profile.inputs[i].constant) {
        leaf = binding.tensor.setRequiresGrad(true);
        binding.tensor = asInput(leaf, profile, i);
      }
    }
    o.versions.push_back(binding.tensor.defined() ? binding.tensor.version() : 0);
  }
  return o;
}

Observation observe(const Program& program, const Pair& pair, const Trial& trial, bool gradients) {
  Observation o = prepare(pair.profile, trial, gradients, pair.device);
  o.outcome = run(program, o.inputs);
  return o;
}

bool wrote(const Observation& o, size_t i) {
  const Tensor& t = o.inputs[i].tensor;
  return t.defined() && t.version() != o.versions[i];
}

Tensor onHost(const Tensor& t) { return t.device() == Device::cpu ? t : t.to(Device::cpu); }

using SameScalar = bool (*)(const Scalar&, const Scalar&);

// Gradients: 0 and -0 add up to the same.
bool sameNumber(const Scalar& a, const Scalar& b) {
  const double x = a.toDouble(), y = b.toDouble();
  return x == y || (std::isnan(x) && std::isnan(y));
}

bool sameElements(const Tensor& a, const Tensor& b, SameScalar same) {
  const Tensor x = onHost(a), y = onHost(b);
  for (int64_t i = 0, n = x.numel(); i < n; ++i)
    if (!same(x.at(i), y.at(i))) return false;
  return true;
}

template <typename Predicate>
bool allElements(const Tensor& t, Predicate holds) {
  const Tensor x = onHost(t);
  for (int64_t i = 0, n = x.numel(); i < n; ++i)
    if (!holds(x.at(i).toDouble())) return false;
  return true;
}

bool allZero(const Tensor& t) {
  return allElements(t, [](double v) { return v == 0; });
}
bool allFinite(const Tensor& t) {
  return !t.defined() || allElements(t, [](double v) { return std::isfinite(v); });
}

std::string instead(const std::string& what, const std::string& after, const std::string& before) {
  return what + " is " + after + " instead of " + before;
}

std::string shapeText(const Tensor& t) { return toText(Shape(t.sizes().begin(), t.sizes().end())); }
std::string valueText(const Tensor& t) { return toText(onHost(t)); }

Found compareThrows(const Outcome& before, const Outcome& after) {
  if (before.threw == after.threw) return {};
  if (before.threw) return Difference{Kind::throws, "the rewrite does not throw: 'before' throws '" + before.message + "'"};
  return Difference{Kind::throws, "the rewrite throws '" + after.message + "': 'before' does not throw"};
}

Found compareOutput(const std::string& name, const Tensor& before, const Tensor& after) {
  if (before.defined() != after.defined())
    return Difference{Kind::outputs, instead(name, after.defined() ? "defined" : "undefined", before.defined() ? "defined" : "undefined")};
  if (!before.defined()) return {};
  const std::string of = name.starts_with("the result ") ? name.substr(11) : name;
  if (!std::ranges::equal(before.sizes(), after.sizes()))
    return Difference{Kind::shape, instead("the shape of " + of, shapeText(after), shapeText(before))};
  if (before.dtype() != after.dtype())
    return Difference{Kind::dtype, instead("the dtype of " + of, dtypeName(after.dtype()), dtypeName(before.dtype()))};
  if (sameElements(before, after, identical)) return {};
  const Kind kind = sameElements(before, after, sameNumber) ? Kind::signOfZero : Kind::value;
  return Difference{kind, instead(name, valueText(after), valueText(before)), allFinite(before), allFinite(after)};
}

Found compareOutputs(const Program& program, const Outcome& before, const Outcome& after) {
  if (before.outputs.size() != after.outputs.size())
    return Difference{Kind::outputs, instead("the number of results", std::to_string(after.outputs.size()), std::to_string(before.outputs.size()))};
  for (size_t i = 0; i < before.outputs.size(); ++i)
    if (Found d = compareOutput(resultName(program, before.slots, i), before.outputs[i], after.outputs[i])) return d;
  return {};
}

const std::string& inputName(const Program& program, size_t i) { return program.slots[size_t(program.inputs[i].slot)].name; }

Found compareInputs(const Program& program, const Observation& before, const Observation& after) {
  for (size_t i = 0; i < before.inputs.size(); ++i) {
    const bool wasWritten = wrote(before, i), isWritten = wrote(after, i);
    if (!wasWritten && !isWritten) continue;
    const Tensor &x = before.inputs[i].tensor, &y = after.inputs[i].tensor;
    const std::string& name = inputName(program, i);
    if (!sameElements(x, y, identical)) return Difference{Kind::content, "afterwards " + instead(name, valueText(y), valueText(x))};
    if (wasWritten && !isWritten) return Difference{Kind::write, "the rewrite no longer writes to " + name + " in place"};
  }
  return {};
}

// Where a dimension has one element, or the tensor none, a stride says nothing.
bool sameLayout(const Tensor& a, const Tensor& b) {
  if (!a.defined() || a.numel() < 2) return true;
  for (size_t d = 0; d < a.sizes().size(); ++d)
    if (a.sizes()[d] > 1 && a.strides()[d] != b.strides()[d]) return false;
  return true;
}

Found compareSlightly(const Program& program, const Observation& before, const Observation& after) {
  for (size_t i = 0; i < before.inputs.size(); ++i)
    if (wrote(after, i) && !wrote(before, i)) return Difference{Kind::write, inputName(program, i)};
  for (size_t i = 0; i < before.outcome.outputs.size(); ++i)
    if (!sameLayout(before.outcome.outputs[i], after.outcome.outputs[i])) return Difference{Kind::layout, resultName(program, before.outcome.slots, i)};
  return {};
}

// ---- gradients

// Eighths, so that every floating dtype holds them, and nothing cancels as ones would.
Tensor cotangentFor(const Tensor& output, size_t index, bool unit, Device device) {
  std::vector<Scalar> values(size_t(output.numel()));
  Random random(index + 1);
  for (Scalar& v : values) v = Scalar(unit ? 1.0 : double(random.below(15) + 1) / 8 * (random.below(2) ? 1 : -1));
  return fromValues(values, Shape(output.sizes().begin(), output.sizes().end()), output.dtype(), device);
}

uint64_t requiring(const Outcome& o) {
  uint64_t bits = 0;
  for (size_t i = 0; i < o.outputs.size() && i < 64; ++i)
    if (o.outputs[i].defined() && o.outputs[i].requiresGrad()) bits |= uint64_t(1) << i;
  return bits;
}

// The message of what the backward pass threw, or nothing.
std::optional<std::string> differentiate(const Outcome& o, std::span<const Tensor> cotangents) {
  std::vector<Tensor> outputs, seeds;
  for (size_t i = 0; i < o.outputs.size(); ++i) {
    if (!o.outputs[i].defined() || !o.outputs[i].requiresGrad()) continue;
    outputs.push_back(o.outputs[i]);
    seeds.push_back(cotangents[i]);
  }
  if (outputs.empty()) return {};
  try {
    backward(outputs, seeds);
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

// Where definedness does not matter, an undefined gradient reads as the zeros that it stands for.
std::string gradientText(const Tensor& g, const Tensor& other) {
  if (g.defined()) return valueText(g);
  const std::vector<Scalar> zeros(size_t(other.numel()));
  return toText(fromValues(zeros, Shape(other.sizes().begin(), other.sizes().end()), other.dtype()));
}

Found compareDefinedness(const std::string& name, const Tensor& before, const Tensor& after) {
  const Tensor& defined = before.defined() ? before : after;
  const std::string value = allZero(defined) ? "zeros" : valueText(defined);
  const bool gained = after.defined();
  return Difference{Kind::definedness, instead("the gradient of " + name, gained ? value : "undefined", gained ? "undefined" : value) +
                                           (gained ? ": an optimizer with weight decay would change it"
                                                   : ": an optimizer with weight decay would no longer change it")};
}

Found compareGradient(const std::string& name, const Tensor& before, const Tensor& after, bool parameter) {
  if (!before.defined() && !after.defined()) return {};
  if (before.defined() && after.defined()) {
    if (sameElements(before, after, sameNumber)) return {};
  } else {
    if (parameter) return compareDefinedness(name, before, after);
    if (allZero(before.defined() ? before : after)) return {};
  }
  return Difference{Kind::gradient, instead("the gradient of " + name, gradientText(after, before), gradientText(before, after)),
                    allFinite(before), allFinite(after)};
}

Found compareGradients(const Pair& pair, const Observation& before, const Observation& after) {
  for (size_t i = 0; i < before.leaves.size(); ++i) {
    if (!before.leaves[i].defined()) continue;
    const std::string& name = inputName(pair.before, i);
    if (Found d = compareGradient(name, before.leaves[i].grad(), after.leaves[i].grad(), pair.profile.inputs[i].parameter)) return d;
  }
  return {};
}

// Sets `threw` when both backward passes throw.
Found compareBackward(const Pair& pair, const Trial& trial, const Observation& before, const Observation& after, Comparison& c) {
  c.requiresBefore = requiring(before.outcome);
  c.requiresAfter = requiring(after.outcome);
  if (!c.requiresBefore && !c.requiresAfter) return {};
  std::vector<Tensor> cotangents(before.outcome.outputs.size());
  for (size_t i = 0; i < cotangents.size() && i < 64; ++i)
    if ((c.requiresBefore | c.requiresAfter) >> i & 1)
      cotangents[i] = cotangentFor(before.outcome.outputs[i], i, trial.unitCotangents, pair.device);
  const auto x = differentiate(before.outcome, cotangents), y = differentiate(after.outcome, cotangents);
  c.threw = x && y;
  if (x && y) return c.message = *x, Found();
  if (x) return Difference{Kind::backwardThrows, "the backward pass of the rewrite does not throw: that of 'before' throws '" + *x + "'"};
  if (y) return Difference{Kind::backwardThrows, "the backward pass of the rewrite throws '" + *y + "': that of 'before' does not throw"};
  return compareGradients(pair, before, after);
}

Found compareRuns(const Pair& pair, const Trial& trial, const Observation& before, const Observation& after, Comparison& c) {
  if (Found d = compareThrows(before.outcome, after.outcome)) return d;
  c.threw = before.outcome.threw;
  c.message = before.outcome.message;
  if (c.threw) return {};
  if (Found d = compareOutputs(pair.before, before.outcome, after.outcome)) return d;
  if (Found d = compareInputs(pair.before, before, after)) return d;
  c.slight = compareSlightly(pair.before, before, after);
  return trial.gradients ? compareBackward(pair, trial, before, after, c) : Found();
}

}  // namespace

std::string resultName(const Program& program, std::span<const Slot> slots, size_t i) {
  const std::string& name = program.slots[size_t(slots[i])].name;
  if (!name.empty()) return "the result " + name;
  return slots.size() == 1 ? "the result" : "result " + std::to_string(i + 1);
}

Comparison compare(const Pair& pair, const Trial& trial) {
  Comparison c;
  Observation before = observe(pair.before, pair, trial, trial.gradients);
  const Observation after = observe(pair.after, pair, trial, trial.gradients);
  c.difference = compareRuns(pair, trial, before, after, c);
  c.before = std::move(before.outcome);
  c.before.outputs.clear();
  return c;
}

Outcome runBefore(const Pair& pair, const Trial& trial) { return observe(pair.before, pair, trial, false).outcome; }

}  // namespace rt
