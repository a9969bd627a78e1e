// Elementwise rows that take C++ numbers behind their tensors, and those whose name in aten is another.
#include "test/conformance/samples.h"

#include <cmath>

namespace samples {
namespace {

// One tensor, and none, some or all of the numbers, which are drawn from `choices`.
template <int most> void numbered(Draw& draw, Step& step, std::initializer_list<double> choices, bool floating) {
  step.arguments = {floating && !draw.wrong() ? draw.someFloating() : draw.some()};
  for (int i = 0, count = int(draw.between(0, most)); i < count; ++i) {
    Argument number = draw.number(DType::float32);
    number.values = {rt::Scalar(draw.oneOf(choices))};
    step.arguments.push_back(number);
  }
}

// At NaN (and logit's gradient at 0), LibTorch's vector loop and its loop for the rest have different gradients.
void withoutNaN(Step& step) {
  if (!step.arguments[0].requiresGrad) return;
  for (rt::Scalar& value : step.arguments[0].values)
    if (value.kind == rt::Scalar::Kind::floating && (std::isnan(value.d) || (value.d == 0 && step.row->op == Op::logit))) value.d = 0.25;
}

double real(Tensors t, size_t i, double otherwise) { return i < t.size() ? t[i].item().toDouble() : otherwise; }

void slope(Draw& draw, Step& step) { numbered<1>(draw, step, {0.01, 0.5, 0.0, 2.0, -0.5}, true); withoutNaN(step); }
void scales(Draw& draw, Step& step) { numbered<3>(draw, step, {1.0, 0.5, 2.0, 1.673}, true); withoutNaN(step); }
void smooth(Draw& draw, Step& step) { numbered<2>(draw, step, {1.0, 20.0, 2.0, 0.5}, true); }
void lambda(Draw& draw, Step& step) { numbered<1>(draw, step, {0.5, 1.0, 0.0, 2.0}, true); withoutNaN(step); }
void bounds(Draw& draw, Step& step) {
  numbered<0>(draw, step, {}, !draw.chance(20));
  withoutNaN(step);
  if (!draw.chance(70)) return;
  const int64_t low = draw.between(-3, 1);
  for (double bound : {double(low), double(low + draw.between(0, 4))}) {
    Argument number = draw.number(DType::float32);
    number.values = {rt::Scalar(bound)};
    step.arguments.push_back(number);
  }
}
void alone(Draw& draw, Step& step) {
  step.arguments = {draw.someFloating()};
  withoutNaN(step);
}
void two(Draw& draw, Step& step) {
  Argument a = draw.some();
  step.arguments = {a, draw.tensor(draw.broadcastPart(a.shape), draw.chance(75) ? a.dtype : draw.dtype())};
}
void weighted(Draw& draw, Step& step) {
  Argument a = draw.someFloating();
  const int64_t channels = a.rank() < 2 ? 1 : a.size(1);
  step.arguments = {a, draw.tensor({draw.chance(40) ? 1 : channels + draw.wrong()}, a.dtype)};
}
void order(Draw& draw, Step& step) {
  step.arguments = {draw.someFloating()};
  Argument number = draw.number(DType::int64);
  number.values = {rt::Scalar(double(draw.between(0, 3)))};
  step.arguments.push_back(number);
}
Argument small(Draw& draw, DType dtype) {
  Argument number = draw.number(dtype);
  const int64_t whole = draw.oneOf<int64_t>({1, 2, 3, -2});
  number.values = {rt::kindOf(dtype) == rt::DTypeKind::floating ? rt::Scalar(draw.oneOf({0.5, -2.0, 3.0})) : rt::Scalar(whole)};
  return number;
}
void scaled(Draw& draw, Step& step) {
  two(draw, step);
  if (draw.chance(70)) step.arguments.push_back(small(draw, step.arguments[0].dtype));
}
void product(Draw& draw, Step& step) {
  Argument a = draw.some(0, 4, Values::exact);
  step.arguments = {a, draw.tensor(draw.broadcastPart(a.shape), a.dtype, Values::exact), draw.tensor(draw.broadcastPart(a.shape), a.dtype, Values::exact)};
  if (draw.chance(60)) step.arguments.push_back(small(draw, a.dtype));
}
void cleaned(Draw& draw, Step& step) {
  step.arguments = {draw.some()};
  for (int i = 0, count = int(draw.between(0, 3)); i < count; ++i) {
    Argument number = draw.number(DType::float32);
    number.values = {rt::Scalar(draw.oneOf({0.0, 1.5, -2.0, 100.0}))};
    step.arguments.push_back(draw.chance(20) ? Draw::undefined() : number);
  }
}
Optional<double> realOr(Tensors t, size_t i) { return i < t.size() && t[i].defined() ? Optional<double>(t[i].item().toDouble()) : Optional<double>(); }
at::Scalar alpha(Tensors t, size_t i) { return i < t.size() ? number(t[i]) : at::Scalar(1); }

const Family family = {
    ROW(leaky_relu, slope, at::leaky_relu(t[0], real(t, 1, 0.01))),
    ROW(elu, scales, at::elu(t[0], real(t, 1, 1), real(t, 2, 1), real(t, 3, 1))),
    ROW(threshold, bounds, at::threshold(t[0], real(t, 1, 0), real(t, 2, 0))),
    ROW(hardtanh, bounds, at::hardtanh(t[0], real(t, 1, -1), real(t, 2, 1))),
    ROW(softplus, smooth, at::softplus(t[0], real(t, 1, 1), real(t, 2, 20))),
    ROW(hardshrink, lambda, at::hardshrink(t[0], real(t, 1, 0.5))),
    ROW(softshrink, lambda, at::softshrink(t[0], real(t, 1, 0.5))),
    ROW(gelu, alone, at::gelu(t[0])),
    ROW(gelu_tanh, alone, at::gelu(t[0], "tanh")),
    ROW(polygamma, order, at::polygamma(int64_t(real(t, 1, 0)), t[0])),
    ROW(hardswish, alone, at::hardswish(t[0])),
    ROW(hardsigmoid, alone, at::hardsigmoid(t[0])),
    ROW(logit, alone, at::logit(t[0])),
    SUM_ROW(selu, alone, at::selu(t[0])),
    SUM_ROW(celu, slope, at::celu(t[0], real(t, 1, 1))),
    ROW(relu6, alone, at::relu6(t[0])),
    SUM_ROW(softsign, alone, t[0] / (1 + t[0].abs())),
    ROW(tanhshrink, alone, t[0] - t[0].tanh()),
    ROW(prelu, weighted, at::prelu(t[0], t[1])),
    ROW(nan_to_num, cleaned, at::nan_to_num(t[0], realOr(t, 1), realOr(t, 2), realOr(t, 3))),
    ROW(div_floor, two, at::div(t[0], t[1], "floor")),
    ROW(div_trunc, two, at::div(t[0], t[1], "trunc")),
    SUM_ROW(rsub, scaled, at::rsub(t[0], t[1], alpha(t, 2))),
    ROW(float_power, two, at::float_power(t[0], t[1])),
    {rt::Op::addcmul, product, THEIRS(at::addcmul(t[0], t[1], t[2], alpha(t, 3))), THEIRS(t[0].addcmul_(t[1], t[2], alpha(t, 3))), true},
    {rt::Op::addcdiv, product, THEIRS(at::addcdiv(t[0], t[1], t[2], alpha(t, 3))), THEIRS(t[0].addcdiv_(t[1], t[2], alpha(t, 3))), true},
};

}  // namespace
}  // namespace samples
