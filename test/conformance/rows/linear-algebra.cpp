// Products of matrices in all their rank cases.
#include "test/conformance/samples.h"

namespace samples {
namespace {

DType usual(Draw& draw) { return draw.chance(85) ? draw.floating() : draw.integer(); }

// [m, k] with [k, n], with or without batches, vectors at times, mismatched at times.
void product(Draw& draw, Step& step) {
  const bool matrices = step.row->op == Op::mm;
  Argument left = draw.some(draw.wrong() ? 0 : matrices ? 2 : 1, matrices && !draw.wrong() ? 2 : 4, Values::exact);
  if (!draw.wrong() && rt::kindOf(left.dtype) != rt::DTypeKind::floating) left = draw.tensor(left.shape, usual(draw), Values::exact);
  const int64_t k = (left.rank() ? left.shape.back() : 2) + (draw.wrong() ? 1 : 0);
  std::vector<int64_t> right = {k, draw.between(draw.wrong() ? 0 : 1, 4)};
  if (!matrices && draw.chance(20)) right = {k};
  if (!matrices && right.size() == 2 && draw.chance(40)) {
    std::vector<int64_t> batch = left.rank() > 2 ? std::vector<int64_t>(left.shape.begin(), left.shape.end() - 2) : std::vector<int64_t>{draw.between(1, 3)};
    batch = draw.broadcastPart(batch);
    right.insert(right.begin(), batch.begin(), batch.end());
  }
  step.arguments = {left, draw.tensor(right, draw.wrong() ? draw.dtype() : left.dtype, Values::exact)};
}

void linear(Draw& draw, Step& step) {
  Argument input = draw.someFloating(draw.wrong() ? 0 : 1, 4, Values::exact);
  const int64_t in = (input.rank() ? input.shape.back() : 2) + (draw.wrong() ? 1 : 0), out = draw.between(1, 4);
  Argument weight = draw.tensor(draw.chance(8) ? std::vector<int64_t>{in} : std::vector<int64_t>{out, in}, input.dtype, Values::exact);
  step.arguments = {input, weight, draw.chance(40) ? Draw::undefined() : draw.tensor({out + (draw.wrong() ? 1 : 0)}, input.dtype, Values::exact)};
}

const Family family = {
    SUM_ROW(matmul, product, t[0].matmul(t[1])),
    SUM_ROW(mm, product, t[0].mm(t[1])),
    SUM_ROW(linear, linear, at::linear(t[0], t[1], t[2])),
};

}  // namespace
}  // namespace samples
