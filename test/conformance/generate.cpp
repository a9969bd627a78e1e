#include "test/conformance/generate.h"

#include <algorithm>

namespace samples {
namespace {

// What requires gradients is not written into integers: LibTorch then marks them as requiring gradients, and throws later.
void spareIntegers(Step& step) {
  const rt::Op op = step.row->op;
  if (step.kind != Step::Kind::inPlace && op != rt::Op::masked_fill) return;
  if (step.arguments.empty() || rt::kindOf(step.arguments[0].dtype) == rt::DTypeKind::floating) return;
  for (Argument& argument : step.arguments) argument.requiresGrad = false;
}

const Row& rowOf(Op op) {
  return *std::find_if(rows().begin(), rows().end(), [&](const Row& row) { return row.op == op; });
}

bool hasInPlace(const Row& row) {
  if (row.theirs || row.inPlace) return row.inPlace != nullptr;
  const size_t arity = size_t(rt::info(row.op).minTensors);
  return hasOverload(row.op, true, std::string(arity, 't')) || hasOverload(row.op, true, "t" + std::string(arity - 1, 'n'));
}
bool onlyInPlace(const Row& row) { return row.inPlace && !row.theirs; }

// A leaf that requires gradients refuses in-place writes: mostly its clone is written instead.
void cloneFirst(Draw& draw, Session& session, Step& step) {
  Argument& self = step.arguments[0];
  if (!self.requiresGrad || self.from >= 0 || draw.chance(15)) return;
  if (draw.chance(40)) {
    self.requiresGrad = false;
    return;
  }
  Step clone{.row = &rowOf(Op::clone), .arguments = {self}};
  session.run(clone);
  self.from = int(session.program().size()) - 1;
}

Step backwardFrom(Draw& draw, const Program& program, int step) {
  Step backward{.kind = Step::Kind::backward};
  backward.arguments.resize(1);
  backward.arguments[0].from = step;
  const bool finite = std::any_of(program.begin(), program.end(), [](const Step& one) { return one.row && one.row->finite; });
  backward.ints() = {draw.oneOf<int64_t>({0, 0, 0, 0, finite ? 0 : 1, 2})};
  return backward;
}

// Rows for a line of a program: views and in-place writes more often than their number would have it.
const Row& rowFor(Draw& draw, bool inPlace) {
  for (;;) {
    const Row& row = rows()[size_t(draw.between(0, int64_t(rows().size()) - 1))];
    const rt::OpKind kind = rt::info(row.op).kind;
    if (inPlace ? !hasInPlace(row) : !row.theirs && onlyInPlace(row)) continue;
    if (kind == rt::OpKind::create && !draw.chance(10)) continue;
    if (kind == rt::OpKind::unary && !draw.chance(40)) continue;
    if (kind != rt::OpKind::view && draw.chance(30)) continue;
    return row;
  }
}

class ProgramDraw {
 public:
  explicit ProgramDraw(uint64_t seed) : draw_(seed) { draw_.plain = draw_.chance(60); }

  Finding run() {
    Difference difference = inputs();
    for (int64_t lines = draw_.between(5, 15); !difference && lines > 0; --lines) difference = line();
    for (int64_t ends = draw_.between(1, 2); !difference && ends > 0; --ends) difference = backward();
    if (!difference) difference = session_.finish();
    return {session_.program(), difference, session_.open()};
  }

 private:
  int last() const { return int(session_.program().size()) - 1; }

  Difference inputs() {
    for (int64_t count = draw_.between(2, 4); count > 0; --count) {
      // Of one shape mostly, so that they meet.
      const bool alike = !pool_.empty() && draw_.chance(60);
      std::vector<int64_t> shape = alike ? draw_.broadcastPart(pool_[0].shape) : draw_.shape();
      Step input{.kind = Step::Kind::input, .arguments = {draw_.tensor(shape, draw_.chance(70) ? DType::float32 : draw_.dtype())}};
      if (Difference difference = session_.run(input)) return difference;
      keep();
    }
    return {};
  }

  // What the last step gave can be used from now on.
  void keep() {
    const at::Tensor& result = session_.result(size_t(last()));
    if (!result.defined() || result.numel() > 256 || result.dim() > 6) return;
    Argument argument;
    argument.from = last();
    argument.shape = result.sizes().vec();
    argument.dtype = DType(std::find_if(std::begin(dtypes), std::end(dtypes), [&](DType d) { return torchType(d) == result.scalar_type(); }) - std::begin(dtypes));
    argument.requiresGrad = result.requires_grad();
    pool_.push_back(argument);
  }

  Difference line() {
    const bool inPlace = draw_.chance(30);
    const Row& row = rowFor(draw_, inPlace);
    Step step{.kind = inPlace ? Step::Kind::inPlace : Step::Kind::call, .row = &row};
    draw_.earlier.clear();
    for (const Argument& one : pool_)
      if (const at::Tensor& t = session_.result(size_t(one.from)); !inPlace || !(t.is_leaf() && t.requires_grad()) || draw_.chance(5)) draw_.earlier.push_back(one);
    row.draw(draw_, step);
    spareIntegers(step);
    step.grad = !draw_.chance(8);
    if (draw_.chance(8)) step.when = int(draw_.between(0, last()));
    Difference difference = session_.run(step);
    if (!difference) keep();
    return difference;
  }

  // From one of the last results that can.
  Difference backward() {
    for (size_t i = pool_.size(); i-- > 0;) {
      const at::Tensor& result = session_.result(size_t(pool_[i].from));
      if (result.requires_grad() && !result.is_leaf() && draw_.chance(60)) return session_.run(backwardFrom(draw_, session_.program(), pool_[i].from));
    }
    return {};
  }

  static constexpr DType dtypes[] = {
#define DTYPE(name, type, kind, constant) DType::name,
#include "runtime/dtypes.def"
  };

  Draw draw_;
  Session session_;
  std::vector<Argument> pool_;
};

}  // namespace

Finding runProgram(uint64_t seed) { return ProgramDraw(seed).run(); }

Finding runCase(uint64_t seed, const Row& row) {
  Draw draw(seed);
  Session session;
  Step step{.row = &row};
  if (onlyInPlace(row) || (hasInPlace(row) && draw.chance(25))) step.kind = Step::Kind::inPlace;
  row.draw(draw, step);
  spareIntegers(step);
  step.grad = !draw.chance(6);
  if (step.kind == Step::Kind::inPlace) cloneFirst(draw, session, step);
  Difference difference = session.run(step);
  const int last = int(session.program().size()) - 1;
  const bool differentiable = !difference && session.result(size_t(last)).defined() && session.result(size_t(last)).requires_grad();
  if (differentiable) difference = session.run(backwardFrom(draw, session.program(), last));
  if (!difference) difference = session.finish();
  return {session.program(), difference, session.open()};
}

}  // namespace samples
