#include "test/rewrites/mutants.h"

#include "runtime/verify/values.h"

#include <functional>

namespace rt {

namespace {

// One op for its neighbour, both ways.
constexpr std::pair<const char*, const char*> neighbours[] = {
    {"lt", "le"},   {"gt", "ge"},   {"eq", "ne"},       {"lt", "gt"},     {"add", "sub"},         {"mul", "div"},           {"logical_and", "logical_or"},
    {"max", "min"}, {"sum", "mean"}, {"amax", "amin"},  {"log", "log1p"}, {"exp", "expm1"},       {"sqrt", "rsqrt"},        {"any", "all"},
    {"abs", "neg"}, {"sin", "cos"}, {"tanh", "sigmoid"}, {"maximum", "minimum"}, {"clamp_min", "clamp_max"}, {"max_dim", "min_dim"}, {"argmax", "argmin"},
    {"floor", "ceil"}, {"relu", "abs"}, {"isnan", "isinf"}, {"norm", "sum"}, {"square", "abs"}, {"isnan", "isfinite"},
};

std::vector<Op> neighboursOf(Op op) {
  std::vector<Op> result;
  for (const auto& [a, b] : neighbours) {
    if (op == opNamed(a)) result.push_back(*opNamed(b));
    if (op == opNamed(b)) result.push_back(*opNamed(a));
  }
  return result;
}

class Mutator {
 public:
  explicit Mutator(const Program& program) : program_(program) {}
  std::vector<Mutant> all() {
    for (size_t i = 0; i < program_.body.size(); ++i) mutate(i);
    return std::move(mutants_);
  }

 private:
  // The program with `change` made to step i, which may also grow the program.
  void add(size_t i, const std::string& what, const std::function<void(Program&, Step&)>& change) {
    Program changed = program_;
    Step step = changed.body[i];
    change(changed, step);
    changed.body[i] = std::move(step);
    if (malformed(changed).empty()) mutants_.push_back({what + " in step " + std::to_string(i + 1), std::move(changed)});
  }

  void mutate(size_t i) {
    const Step& step = program_.body[i];
    if (step.kind == Step::Kind::call) mutateCall(i, step);
    if (step.kind == Step::Kind::constant) mutateConstant(i, step);
    if (step.kind == Step::Kind::inPlace)
      for (const Op op : neighboursOf(step.op)) add(i, std::string(info(op).name) + "_ for " + info(step.op).name + "_", [op](Program&, Step& s) { s.op = op; });
  }

  void mutateCall(size_t i, const Step& step) {
    for (const Op op : neighboursOf(step.op)) add(i, std::string(info(op).name) + " for " + info(step.op).name, [op](Program&, Step& s) { s.op = op; });
    if (step.op == Op::where) {
      add(i, "arms swapped", [](Program&, Step& s) { std::swap(s.args[1], s.args[2]); });
      add(i, "the first arm always", [](Program&, Step& s) { s.args[2] = s.args[1]; });
      add(i, "the other arm always", [](Program&, Step& s) { s.args[1] = s.args[2]; });
      before(i, "a negated condition", Op::logical_not, 0);
      before(i, "a detached arm", Op::detach, 1);
      before(i, "another detached arm", Op::detach, 2);
    }
    if (step.op == Op::logical_not) add(i, "no negation", [](Program&, Step& s) { s.op = Op::clone; });
    if (step.op == Op::detach) add(i, "no detach", [](Program&, Step& s) { s.op = Op::clone; });
    if (step.args.size() == 2 && (step.op == Op::sub || step.op == Op::div || step.op == Op::pow)) add(i, "operands swapped", [](Program&, Step& s) { std::swap(s.args[0], s.args[1]); });
    if (info(step.op).kind == OpKind::reduce && !step.ints.empty()) add(i, "keepdim", [](Program&, Step& s) { s.keepdim = !s.keepdim; });
    if (step.dtype) add(i, "another dtype", [](Program&, Step& s) { s.dtype = *s.dtype == DType::float64 ? DType::float32 : DType::float64; });
    if (info(step.op).kind == OpKind::unary && info(step.op).differentiable) before(i, "a detached operand", Op::detach, 0);
  }

  // The operand goes through another op first.
  void before(size_t i, const std::string& what, Op op, size_t operand) {
    const Slot from = program_.body[i].args[operand];
    if (from < 0 || !program_.slots[size_t(from)].tensor) return;
    Program changed = program_;
    changed.slots.push_back({"", true, HostType::float64});
    const Slot slot = Slot(changed.slots.size()) - 1;
    Step extra{.kind = Step::Kind::call, .dst = slot, .args = {from}, .op = op};
    changed.body[i].args[operand] = slot;
    changed.body.insert(changed.body.begin() + ptrdiff_t(i), std::move(extra));
    mutants_.push_back({what + " in step " + std::to_string(i + 1), std::move(changed)});
  }

  void mutateConstant(size_t i, const Step& step) {
    if (step.type == HostType::boolean) return;
    if (!isFloating(step.type)) {
      for (const int64_t by : {1, -1}) add(i, "a number " + std::to_string(by) + " off", [by](Program&, Step& s) { s.value = Scalar(s.value.i + by); });
      return;
    }
    for (const bool up : {true, false})
      add(i, up ? "the next number" : "the number before", [up](Program&, Step& s) { s.value = neighbour(quantize(s.value, DType::float32), DType::float32, up); });
  }

  const Program& program_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> mutantsOf(const Program& program) { return Mutator(program).all(); }

}  // namespace rt
