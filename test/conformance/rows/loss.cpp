// Losses and distances. ints[0] of a loss is the reduction.
#include "test/conformance/samples.h"

#include <algorithm>
#include <cmath>

namespace samples {
namespace {

int64_t reduction(const rt::Attributes& a) { return a.integer(0, 1); }
Optional<at::Tensor> maybe(Tensors t, size_t i) { return i < t.size() && t[i].defined() ? Optional<at::Tensor>(t[i]) : Optional<at::Tensor>(); }

void reduce(Draw& draw, Step& step) {
  if (draw.chance(90)) step.ints() = {draw.between(0, 2)};
}
void alsoReal(Draw& draw, Step& step, std::initializer_list<double> choices) {
  if (draw.chance(60)) step.attributes.reals = {draw.oneOf(choices)};
}
DType mostly(Draw& draw, DType dtype) { return draw.chance(92) ? dtype : draw.dtype(); }
Argument valuesOf(Draw& draw, Argument argument, std::initializer_list<double> choices) {
  for (rt::Scalar& v : argument.values) v = rt::kindOf(argument.dtype) == rt::DTypeKind::floating ? rt::Scalar(draw.oneOf(choices)) : rt::Scalar(int64_t(draw.between(0, 1)));
  if (argument.dtype == DType::boolean)
    for (rt::Scalar& v : argument.values) v = rt::Scalar(v.i != 0);
  return argument;
}

// LibTorch refuses gradients of weights and of some targets.
void onlyWrong(Draw& draw, Argument& argument) { argument.requiresGrad = argument.requiresGrad && draw.wrong(); }

// Input and target: mostly of one shape and dtype, at times broadcasting.
void pair(Draw& draw, Step& step, Values values) {
  Argument a = draw.chance(92) ? draw.someFloating(0, 5, values) : draw.some(0, 5, values);
  step.arguments = {a, draw.tensor(draw.chance(80) ? a.shape : draw.broadcastPart(a.shape), mostly(draw, a.dtype), values)};
  reduce(draw, step);
}
void plain(Draw& draw, Step& step) { pair(draw, step, draw.chance(60) ? Values::exact : Values::any); }
void bounded(Draw& draw, Step& step) {
  plain(draw, step);
  alsoReal(draw, step, {1.0, 0.5, 2.0, 0.25, draw.wrong() ? 0.0 : 0.1, draw.wrong() ? -1.0 : 1.0});
}
void signs(Draw& draw, Step& step, Values values) {
  pair(draw, step, values);
  step.arguments[1] = valuesOf(draw, step.arguments[1], {1, -1, 1, -1, 0.5});
  onlyWrong(draw, step.arguments[1]);
}
void margins(Draw& draw, Step& step) { signs(draw, step, draw.chance(60) ? Values::exact : Values::any); }
void hinged(Draw& draw, Step& step) {
  signs(draw, step, Values::exact);
  alsoReal(draw, step, {1.0, 0.5, 2.0, 0.0});
}
void divergence(Draw& draw, Step& step) {
  plain(draw, step);
  if (!step.ints().empty() && draw.chance(40)) step.ints().push_back(1);
}
void poisson(Draw& draw, Step& step) {
  plain(draw, step);
  step.ints() = {draw.between(0, 2), draw.between(0, 1), draw.between(0, 1)};
  if (draw.chance(30)) step.attributes.reals = {1e-4};
}

// Probabilities, and weights that broadcast.
void probabilities(Draw& draw, Step& step) {
  Argument a = draw.someFloating(0, 4, Values::exact);
  Argument target = draw.tensor(a.shape, draw.wrong() ? draw.dtype() : a.dtype, Values::exact);
  if (!draw.wrong()) a = valuesOf(draw, a, {0, 0.25, 0.5, 0.75, 1, 0.125, 0.875});
  if (!draw.wrong()) target = valuesOf(draw, target, {0, 0, 0.5, 1, 1, 0.25});
  step.arguments = {a, target};
  if (draw.chance(40)) step.arguments.push_back(draw.tensor(draw.broadcastPart(a.shape), mostly(draw, a.dtype), Values::exact));
  if (step.arguments.size() > 2) onlyWrong(draw, step.arguments[2]);
  reduce(draw, step);
}
void logits(Draw& draw, Step& step) {
  plain(draw, step);
  if (draw.chance(50)) return;
  for (int i = 0; i < 2; ++i) {
    const Argument& a = step.arguments[0];
    Argument weight = draw.chance(30) ? Draw::undefined() : draw.tensor(draw.broadcastPart(a.shape), mostly(draw, a.dtype), Values::exact);
    onlyWrong(draw, weight);
    step.arguments.push_back(weight);
  }
}

// Logarithms or scores of classes, and the class of each: [C] and [], [N, C] and [N], [N, C, d...] and [N, d...].
void classes(Draw& draw, Step& step) {
  Argument a = draw.someFloating(draw.wrong() ? 0 : 1, 5, Values::exact);
  std::vector<int64_t> shape = a.shape;
  const size_t at = a.rank() > 1 ? 1 : 0;
  const int64_t count = a.rank() ? a.size(int64_t(at)) : 1;
  if (a.rank()) shape.erase(shape.begin() + int64_t(at));
  if (!shape.empty() && draw.wrong()) ++shape[0];
  Argument target = draw.index(shape, count);
  if (target.values.empty() && a.rank() > 2) target.dtype = DType::int64;  // LibTorch looks at the dtype in the backward pass only
  reduce(draw, step);
  if (draw.chance(40)) {
    step.ints() = {draw.between(0, 2), draw.chance(30) ? -100 : draw.between(-1, std::max<int64_t>(count - 1, 0))};
    if (target.dtype == DType::int64 && draw.chance(60))
      for (rt::Scalar& v : target.values)
        if (draw.chance(30)) v = rt::Scalar(step.ints()[1]);
  }
  step.arguments = {a, target};
  if (!draw.chance(45)) return;
  Argument weight = draw.tensor({count + draw.wrong()}, draw.chance(95) ? a.dtype : draw.dtype(), Values::exact);
  onlyWrong(draw, weight);
  step.arguments.push_back(weight);
}
void entropy(Draw& draw, Step& step) {
  classes(draw, step);
  const Argument a = step.arguments[0];
  if (draw.chance(35)) {
    step.arguments[1] = draw.tensor(a.shape, draw.chance(90) ? a.dtype : draw.dtype(), Values::exact);
    if (!step.ints().empty() && !draw.wrong()) step.ints().resize(1);
    if (step.arguments.size() > 2) step.arguments[2].requiresGrad = rt::kindOf(step.arguments[2].dtype) == rt::DTypeKind::floating && draw.chance(50);
  }
  alsoReal(draw, step, {0.0, 0.5, 0.25, 1.0, draw.wrong() ? 1.5 : 0.1});
}

void vectors(Draw& draw, Step& step) {
  Argument a = draw.chance(90) ? draw.someFloating(0, 4, Values::exact) : draw.some(0, 4, Values::exact);
  step.arguments = {a, draw.tensor(draw.chance(70) ? a.shape : draw.broadcastPart(a.shape), mostly(draw, a.dtype), Values::exact)};
}
void similar(Draw& draw, Step& step) {
  vectors(draw, step);
  if (draw.chance(80)) step.ints() = {draw.dim(step.arguments[0])};
  alsoReal(draw, step, {1e-8, 0.5, 2.0});
}
void apart(Draw& draw, Step& step) {
  vectors(draw, step);
  step.attributes.keepdim = draw.chance(30);
  alsoReal(draw, step, {2.0, 1.0, 3.0, 0.5, double(INFINITY), 0.0});
  if (!step.attributes.reals.empty() && draw.chance(50)) step.attributes.reals.push_back(0.25);
}
void unit(Draw& draw, Step& step) {
  step.arguments = {draw.someFloating(0, 4, Values::exact)};
  if (draw.chance(80)) step.ints() = {draw.dim(step.arguments[0])};
  alsoReal(draw, step, {2.0, 1.0, 3.0, double(INFINITY)});
  if (!step.attributes.reals.empty() && draw.chance(50)) step.attributes.reals.push_back(2.0);
}
void embedded(Draw& draw, Step& step) {
  Argument a = draw.someFloating(1, draw.wrong() ? 3 : 2, Values::exact);
  std::vector<int64_t> rows(a.shape.begin(), a.shape.end() - 1);
  Argument target = valuesOf(draw, draw.tensor(rows, draw.chance(70) ? a.dtype : DType::int64, Values::exact), {1, -1});
  target.requiresGrad = false;
  step.arguments = {a, draw.tensor(a.shape, draw.chance(92) ? a.dtype : draw.floating(), Values::exact), target};
  reduce(draw, step);
  alsoReal(draw, step, {0.0, 0.5, -0.25});
}
void ranked(Draw& draw, Step& step) {
  plain(draw, step);
  const Argument a = step.arguments[0];
  step.arguments.push_back(valuesOf(draw, draw.tensor(draw.broadcastPart(a.shape), mostly(draw, a.dtype), Values::exact), {1, -1}));
  alsoReal(draw, step, {0.0, 0.5, 1.0});
}
void triplets(Draw& draw, Step& step) {
  Argument a = draw.someFloating(draw.wrong() ? 0 : 1, 3, Values::exact);
  step.arguments = {a, draw.tensor(a.shape, mostly(draw, a.dtype), Values::exact), draw.tensor(a.shape, a.dtype, Values::exact)};
  step.ints() = {draw.between(0, 2), draw.between(0, 1)};
  alsoReal(draw, step, {1.0, 0.5, 2.0});
  if (!step.attributes.reals.empty() && draw.chance(50)) step.attributes.reals.push_back(draw.oneOf({1.0, 2.0, 3.0}));
}

// As torch::nn::functional::normalize, whose header would take longer to compile than the rest.
at::Tensor normalized(const at::Tensor& t, double p, int64_t dim, double eps) { return t / t.norm(p, dim, true).clamp_min(eps).expand_as(t); }

// The numbers at the end: what the last step takes away from, where that cancels.
const Family family = {
    SUM_ROW(mse_loss, plain, at::mse_loss(t[0], t[1], reduction(a))),
    SUM_ROW(l1_loss, plain, at::l1_loss(t[0], t[1], reduction(a))),
    SUM_ROW(smooth_l1_loss, bounded, at::smooth_l1_loss(t[0], t[1], reduction(a), a.real(0, 1))),
    SUM_ROW(huber_loss, bounded, at::huber_loss(t[0], t[1], reduction(a), a.real(0, 1))),
    SUM_ROW(soft_margin_loss, margins, at::soft_margin_loss(t[0], t[1], reduction(a))),
    SUM_ROW(binary_cross_entropy, probabilities, at::binary_cross_entropy(t[0], t[1], maybe(t, 2), reduction(a))),
    {Op::binary_cross_entropy_with_logits, logits, THEIRS(at::binary_cross_entropy_with_logits(t[0], t[1], maybe(t, 2), maybe(t, 3), reduction(a))), nullptr, "", true, 1},
    SUM_ROW(nll_loss, classes, at::nll_loss_nd(t[0], t[1], maybe(t, 2), reduction(a), a.integer(1, -100))),
    SUM_ROW(cross_entropy_loss, entropy, at::cross_entropy_loss(t[0], t[1], maybe(t, 2), reduction(a), a.integer(1, -100), a.real(0, 0))),
    {Op::kl_div, divergence, THEIRS(at::kl_div(t[0], t[1], reduction(a), a.integer(1, 0) != 0)), nullptr, "", true, 8},
    {Op::poisson_nll_loss, poisson, THEIRS(at::poisson_nll_loss(t[0], t[1], a.ints[1] != 0, a.ints[2] != 0, a.real(0, 1e-8), reduction(a))), nullptr, "", true, 8},
    SUM_ROW(cosine_similarity, similar, at::cosine_similarity(t[0], t[1], a.integer(0, 1), a.real(0, 1e-8))),
    {Op::cosine_embedding_loss, embedded, THEIRS(at::cosine_embedding_loss(t[0], t[1], t[2], a.real(0, 0), reduction(a))), nullptr, "", true, 1},
    SUM_ROW(hinge_embedding_loss, hinged, at::hinge_embedding_loss(t[0], t[1], a.real(0, 1), reduction(a))),
    SUM_ROW(margin_ranking_loss, ranked, at::margin_ranking_loss(t[0], t[1], t[2], a.real(0, 0), reduction(a))),
    {Op::triplet_margin_loss, triplets, THEIRS(at::triplet_margin_loss(t[0], t[1], t[2], a.real(0, 1), a.real(1, 2), a.real(2, 1e-6), a.ints[1] != 0, reduction(a))), nullptr, "", true, 8},
    SUM_ROW(pairwise_distance, apart, at::pairwise_distance(t[0], t[1], a.real(0, 2), a.real(1, 1e-6), a.keepdim)),
    SUM_ROW(normalize, unit, normalized(t[0], a.real(0, 2), a.integer(0, 1), a.real(1, 1e-12))),
};

}  // namespace
}  // namespace samples
