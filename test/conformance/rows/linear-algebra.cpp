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

std::vector<int64_t> of(std::initializer_list<int64_t> sizes) { return sizes; }

// bmm, mv, dot, outer.
void ofRanks(Draw& draw, Step& step) {
  const int64_t b = draw.between(0, 3), m = draw.between(draw.wrong() ? 0 : 1, 4), k = draw.between(draw.wrong() ? 0 : 1, 4), n = draw.between(1, 4), off = draw.wrong() ? 1 : 0;
  const DType dtype = usual(draw);
  std::vector<int64_t> left, right;
  if (step.row->op == Op::bmm) left = of({b, m, k}), right = of({draw.wrong() ? b + 1 : b, k + off, n});
  else if (step.row->op == Op::mv) left = of({m, k}), right = of({k + off});
  else left = of({k}), right = of({step.row->op == Op::outer ? n : k + off});
  if (draw.wrong()) right.push_back(1);
  step.arguments = {draw.tensor(left, dtype, Values::exact), draw.tensor(right, draw.wrong() ? draw.dtype() : dtype, Values::exact)};
}

void added(Draw& draw, Step& step) {
  const int64_t b = draw.between(1, 3), m = draw.between(draw.wrong() ? 0 : 1, 4), k = draw.between(draw.wrong() ? 0 : 1, 4), n = draw.between(1, 4), off = draw.wrong() ? 1 : 0;
  const DType dtype = usual(draw);
  std::vector<int64_t> self, left = {m, k}, right = {k + off, n};
  if (step.row->op == Op::addmm) self = {m, n};
  if (step.row->op == Op::addmv) self = {m}, right = {k + off};
  if (step.row->op == Op::baddbmm) self = {b, m, n}, left.insert(left.begin(), b), right.insert(right.begin(), b);
  step.arguments = {draw.tensor(draw.broadcastPart(self), draw.wrong() ? draw.dtype() : dtype, Values::exact), draw.tensor(left, dtype, Values::exact), draw.tensor(right, dtype, Values::exact)};
  const bool whole = rt::kindOf(dtype) != rt::DTypeKind::floating;
  if (draw.chance(50)) step.attributes.reals = {whole ? draw.oneOf({0.0, 1.0, 2.0}) : draw.oneOf({0.0, 1.0, 0.5, -2.0}), whole ? draw.oneOf({1.0, 3.0}) : draw.oneOf({1.0, 0.5, 0.0})};
}
at::Scalar factor(Tensors t, double v) { return at::isFloatingType(t[1].scalar_type()) ? at::Scalar(v) : at::Scalar(int64_t(v)); }

const Family family = {
    SUM_ROW(bmm, ofRanks, t[0].bmm(t[1])),
    SUM_ROW(mv, ofRanks, t[0].mv(t[1])),
    SUM_ROW(dot, ofRanks, t[0].dot(t[1])),
    ROW(outer, ofRanks, at::outer(t[0], t[1])),
    SUM_ROW(addmm, added, at::addmm(t[0], t[1], t[2], factor(t, a.real(0, 1)), factor(t, a.real(1, 1)))),
    SUM_ROW(addmv, added, at::addmv(t[0], t[1], t[2], factor(t, a.real(0, 1)), factor(t, a.real(1, 1)))),
    SUM_ROW(baddbmm, added, at::baddbmm(t[0], t[1], t[2], factor(t, a.real(0, 1)), factor(t, a.real(1, 1)))),
    SUM_ROW(matmul, product, t[0].matmul(t[1])),
    SUM_ROW(mm, product, t[0].mm(t[1])),
    SUM_ROW(linear, linear, at::linear(t[0], t[1], t[2])),
};

}  // namespace
}  // namespace samples
