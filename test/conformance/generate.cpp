#include "test/conformance/generate.h"

#include <algorithm>

namespace samples {
namespace {

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

Step backwardFrom(Draw& draw, int step) {
  Step backward{.kind = Step::Kind::backward};
  backward.arguments.resize(1);
  backward.arguments[0].from = step;
  backward.ints() = {draw.oneOf<int64_t>({0, 0, 0, 0, 1, 2})};
  return backward;
}

}  // namespace

Finding runCase(uint64_t seed, const Row& row) {
  Draw draw(seed);
  Session session;
  Step step{.row = &row};
  if (onlyInPlace(row) || (hasInPlace(row) && draw.chance(25))) step.kind = Step::Kind::inPlace;
  row.draw(draw, step);
  step.grad = !draw.chance(6);
  if (step.kind == Step::Kind::inPlace) cloneFirst(draw, session, step);
  Difference difference = session.run(step);
  const int last = int(session.program().size()) - 1;
  const bool differentiable = !difference && session.result(size_t(last)).defined() && session.result(size_t(last)).requires_grad();
  if (differentiable) difference = session.run(backwardFrom(draw, last));
  if (!difference) difference = session.finish();
  return {session.program(), difference, session.open()};
}

}  // namespace samples
