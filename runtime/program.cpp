// The interpreter of Programs: one switch over the kinds of steps, slots in one array, scratch space that is reused from
// step to step, because the verifier runs thousands of programs on tensors of a few elements.

#include "runtime/program.h"

#include "runtime/host.h"

#include <cassert>
#include <limits>

namespace rt {

namespace {

struct Value {
  Tensor tensor;
  Scalar scalar;
};

class Interpreter {
 public:
  Interpreter(const Program& program, std::span<const Binding> bindings);
  Outcome run();

 private:
  bool runBlock(const Block&);  // false once the program has ended
  bool runStep(const Step&);
  bool runBranch(const Step&);
  void runCall(const Step&);
  void runInPlace(const Step&);
  void runMeta(const Step&);
  void finish(std::span<const Slot>);
  void loadArgs(const Step&, size_t from);
  void loadAttributes(const Step&);

  Value& slot(Slot s) { return values_[size_t(s)]; }
  const Tensor& tensor(const Step& step, size_t i) { return slot(step.args[i]).tensor; }
  const Scalar& scalar(const Step& step, size_t i) { return slot(step.args[i]).scalar; }
  void setScalar(const Step& step, const Scalar& v) { slot(step.dst).scalar = v; }
  void setTensor(Slot dst, Tensor v) { if (dst >= 0) slot(dst).tensor = std::move(v); }

  const Program& program_;
  std::vector<Value> values_;
  std::vector<Tensor> args_;
  Attributes attributes_;
  std::optional<GradMode> gradMode_;
  Outcome outcome_;
};

Interpreter::Interpreter(const Program& program, std::span<const Binding> bindings)
    : program_(program), values_(program.slots.size()) {
  assert(bindings.size() == program.inputs.size());
  for (size_t i = 0; i < bindings.size(); ++i) {
    const Slot s = program.inputs[i].slot;
    if (program.slots[size_t(s)].tensor) slot(s).tensor = bindings[i].tensor;
    else slot(s).scalar = castTo(program.slots[size_t(s)].type, bindings[i].scalar);
  }
}

// std::exception, not only rt::Error: a size computed from data may exceed what can be allocated.
Outcome Interpreter::run() {
  try {
    if (runBlock(program_.body)) finish(program_.outputs);
  } catch (const std::exception& e) {
    outcome_.threw = true;
    outcome_.message = e.what();
    outcome_.outputs.clear();
  }
  return std::move(outcome_);
}

bool Interpreter::runBlock(const Block& block) {
  for (const Step& step : block)
    if (!runStep(step)) return false;
  return true;
}

bool Interpreter::runStep(const Step& step) {
  switch (step.kind) {
    case Step::Kind::call: runCall(step); return true;
    case Step::Kind::inPlace: runInPlace(step); return true;
    case Step::Kind::assign: slot(step.dst) = Value(slot(step.args[0])); return true;
    case Step::Kind::constant: setScalar(step, castTo(step.type, step.value)); return true;
    case Step::Kind::host:
      setScalar(step, apply(step.hostOp, step.type, scalar(step, 0), scalar(step, step.args.size() - 1)));
      return true;
    case Step::Kind::item: setScalar(step, itemTo(step.type, tensor(step, 0).item())); return true;
    case Step::Kind::meta: runMeta(step); return true;
    case Step::Kind::branch: return runBranch(step);
    case Step::Kind::gradMode: gradMode_.emplace(castTo(HostType::boolean, step.value).b); return true;
    case Step::Kind::fail: throw Error(step.text);
    case Step::Kind::finish: finish(step.args); return false;
  }
  return true;
}

bool Interpreter::runBranch(const Step& step) {
  const bool arm = castTo(HostType::boolean, scalar(step, 0)).b;
  outcome_.taken.emplace_back(step.where, arm);
  return runBlock(arm ? step.then : step.otherwise);
}

void Interpreter::loadArgs(const Step& step, size_t from) {
  args_.clear();
  for (size_t i = from; i < step.args.size(); ++i) {
    const Slot s = step.args[i];
    if (s < 0) args_.emplace_back();
    else if (program_.slots[size_t(s)].tensor) args_.push_back(slot(s).tensor);
    else args_.emplace_back(slot(s).scalar);
  }
}

// A size that was read from data must not allocate gigabytes. The largest int64 is how Slice() spells "to the end".
int64_t checkedAttribute(int64_t v) {
  constexpr int64_t limit = int64_t(1) << 20;
  if (v > limit && v != std::numeric_limits<int64_t>::max()) throw Error("a size of " + std::to_string(v) + " is too large to be tried");
  return v;
}

void Interpreter::loadAttributes(const Step& step) {
  attributes_.ints.clear();
  if (step.ints.size() > Ints::capacity) throw Error(std::string(info(step.op).name) + ": " + std::to_string(step.ints.size()) + " numbers are too many");
  for (const Slot s : step.ints) attributes_.ints.push_back(checkedAttribute(castTo(HostType::int64, slot(s).scalar).i));
  if (step.reals.size() > Reals::capacity) throw Error(std::string(info(step.op).name) + ": " + std::to_string(step.reals.size()) + " numbers are too many");
  attributes_.reals.clear();
  for (const Slot s : step.reals) attributes_.reals.push_back(castTo(HostType::float64, slot(s).scalar).d);
  attributes_.keepdim = step.keepdim;
  attributes_.dtype = step.dtype;
  if (step.dtypeOf >= 0) attributes_.dtype = slot(step.dtypeOf).tensor.dtype();
}

void Interpreter::runCall(const Step& step) {
  loadArgs(step, 0);
  loadAttributes(step);
  setTensor(step.dst, call(step.op, args_, attributes_));
  args_.clear();
}

void Interpreter::runInPlace(const Step& step) {
  loadArgs(step, 1);
  loadAttributes(step);
  Tensor self = tensor(step, 0);
  callInPlace(step.op, self, args_, attributes_);
  setTensor(step.dst, std::move(self));
  args_.clear();
}

void Interpreter::runMeta(const Step& step) {
  const Tensor& t = tensor(step, 0);
  if (step.what != Meta::defined && !t.defined()) throw Error("the tensor is undefined");
  switch (step.what) {
    case Meta::size: return setScalar(step, t.size(castTo(HostType::int64, scalar(step, 1)).i));
    case Meta::dim: return setScalar(step, t.dim());
    case Meta::numel: return setScalar(step, t.numel());
    case Meta::defined: return setScalar(step, t.defined());
  }
}

void Interpreter::finish(std::span<const Slot> outputs) {
  outcome_.slots = outputs;
  outcome_.outputs.reserve(outputs.size());
  for (const Slot s : outputs) {
    const SlotInfo& info = program_.slots[size_t(s)];
    if (info.tensor) outcome_.outputs.push_back(slot(s).tensor);
    else outcome_.outputs.push_back(fromValues(std::span(&slot(s).scalar, 1), {}, dtypeOf(info.type)));
  }
}

}  // namespace

Outcome run(const Program& program, std::span<const Binding> bindings) {
  assert(malformed(program).empty());
  return Interpreter(program, bindings).run();
}

}  // namespace rt
