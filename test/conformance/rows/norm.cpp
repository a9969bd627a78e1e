// Normalizations, embeddings and dropout.
#include "test/conformance/samples.h"

#include "runtime/random.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace samples {
namespace {

Optional<at::Tensor> maybe(Tensors t, size_t i) { return i < t.size() && t[i].defined() ? Optional<at::Tensor>(t[i]) : Optional<at::Tensor>(); }

bool isHalf(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }
// Parameters are of the input's dtype, or, of half types, in float32.
DType parameterType(Draw& draw, DType dtype) { return draw.wrong() ? draw.dtype() : isHalf(dtype) && draw.chance(60) ? DType::float32 : dtype; }
// LibTorch's kernels read parameters as if they lay without gaps.
Argument dense(Argument argument) {
  int64_t step = 1;
  argument.strides = argument.shape;
  for (size_t d = argument.shape.size(); d-- > 0; step *= argument.shape[d]) argument.strides[d] = step;
  argument.offset = 0;
  argument.values.resize(size_t(step), argument.values.empty() ? rt::Scalar(1.0) : argument.values[0]);
  return argument;
}
Argument vector(Draw& draw, std::vector<int64_t> shape, DType dtype) {
  const std::vector<Argument> earlier = std::exchange(draw.earlier, {});
  Argument argument = dense(draw.tensor(shape, dtype, Values::exact));
  draw.earlier = earlier;
  for (rt::Scalar& v : argument.values)
    if (v.kind == rt::Scalar::Kind::floating && !std::isfinite(v.d)) v = rt::Scalar(1.5);  // times what rounding has left of 0
  return argument;
}
Argument parameter(Draw& draw, std::vector<int64_t> shape, DType dtype, bool wrong = true) {
  if (draw.chance(25)) return Draw::undefined();
  if (!shape.empty() && wrong && draw.chance(2)) ++shape[0];
  return vector(draw, shape, draw.chance(98) ? dtype : draw.dtype());
}
// Where a set's elements are nearly equal, a small one makes much of rounding.
void epsilon(Draw& draw, Step& step) { step.attributes.reals.push_back(draw.oneOf({1e-3, 0.01, 0.1, 0.5})); }

// Input, weight, bias, running mean and variance.
void channels(Draw& draw, Step& step) {
  std::vector<int64_t> shape = draw.shape(draw.wrong() && step.row->op != Op::native_batch_norm ? 1 : 2, 5);
  for (int64_t& size : shape)
    if (step.row->op == Op::native_batch_norm) size = std::max<int64_t>(size, 1);
  Argument input = draw.tensor(shape, draw.chance(95) ? draw.floating() : draw.dtype(), Values::exact);
  const int64_t count = input.rank() > 1 ? input.size(1) : 1;
  const DType dtype = parameterType(draw, input.dtype);
  const bool training = draw.chance(60), wrong = step.row->op != Op::native_batch_norm;
  step.arguments = {input, parameter(draw, {count}, dtype, wrong), parameter(draw, {count}, dtype, wrong)};
  step.ints() = {training};
  step.attributes.reals = {draw.oneOf({0.1, 0.0, 1.0, 0.25}), draw.oneOf({1e-3, 0.01, 0.1})};
  if (!draw.chance(training ? 60 : 97)) return;
  Argument mean = vector(draw, {count}, dtype), variance = vector(draw, {count}, dtype);
  mean.requiresGrad = variance.requiresGrad = false;
  for (rt::Scalar& v : variance.values)
    if (v.kind == rt::Scalar::Kind::floating) v = rt::Scalar(draw.oneOf({0.25, 0.5, 1.0, 2.0, 4.0}));
  step.arguments.push_back(mean);
  step.arguments.push_back(variance);
}
void lastDimensions(Draw& draw, Step& step, bool biased) {
  Argument input = draw.someFloating(1, 5, Values::exact);
  const int64_t count = draw.between(draw.wrong() ? 0 : 1, input.rank());
  std::vector<int64_t> sizes(input.shape.end() - count, input.shape.end());
  if (!sizes.empty() && draw.wrong()) ++sizes[0];
  for (int64_t size : sizes) step.ints().push_back(size);
  const DType dtype = parameterType(draw, input.dtype);
  step.arguments = {input, parameter(draw, sizes, dtype)};
  if (biased) step.arguments.push_back(parameter(draw, sizes, dtype));
  epsilon(draw, step);
}
void layers(Draw& draw, Step& step) { lastDimensions(draw, step, true); }
[[maybe_unused]] void roots(Draw& draw, Step& step) { lastDimensions(draw, step, false); }
void groups(Draw& draw, Step& step) {
  std::vector<int64_t> shape = draw.shape(draw.wrong() ? 1 : 2, 5);
  const int64_t count = draw.between(1, 3);
  if (shape.size() > 1) shape[1] *= draw.wrong() ? 1 : count;
  Argument input = draw.tensor(shape, draw.chance(95) ? draw.floating() : draw.dtype(), Values::exact);
  const DType dtype = parameterType(draw, input.dtype);
  const int64_t channels = shape.size() > 1 ? shape[1] : 1;
  step.ints() = {draw.wrong() ? draw.between(0, 2) : count};
  step.arguments = {input, parameter(draw, {channels}, dtype), parameter(draw, {channels}, dtype)};
  epsilon(draw, step);
}

void embedded(Draw& draw, Step& step) {
  Argument weight = draw.tensor(draw.wrong() ? draw.shape(1, 3) : std::vector<int64_t>{draw.between(1, 5), draw.between(1, 4)}, draw.chance(92)
      ? draw.floating() : draw.dtype());
  step.arguments = {weight, draw.index(draw.shape(0, 3), weight.rank() ? weight.size(0) : 1)};
  if (draw.chance(60)) step.ints() = {draw.between(-1, weight.rank() ? weight.size(0) - 1 : 0), draw.between(0, 1)};
}

void dropped(Draw& draw, Step& step) {
  step.arguments = {draw.some(0, 4)};
  step.ints() = {draw.chance(80)};
  step.attributes.reals = {draw.wrong() ? 1.5 : draw.oneOf({0.5, 0.25, 0.1, 0.0, 1.0})};
}

// LibTorch's dropout but for its draw, which takes probabilities in a tensor: with a number, LibTorch may draw from MKL's
// generator. Both sides begin at the seed that ours begins at.
at::Tensor thinned(const at::Tensor& input, double p, bool training) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  at::manual_seed(rt::Generator::defaultSeed);
  rt::manualSeed(rt::Generator::defaultSeed);  // for the next case
  if (!training || p == 0 || p == 1 || p > 1 || input.numel() == 0) return at::dropout(input, p, training);
  at::Tensor noise = at::empty_like(input);
  noise.bernoulli_(at::full_like(input, 1 - p, at::TensorOptions(at::kDouble)));
  return input.mul(noise.div_(1 - p));
}

[[maybe_unused]] Optional<double> epsilonOf(const rt::Attributes& a) { return a.reals.size() ? Optional<double>(a.reals[0]) : Optional<double>(); }
[[maybe_unused]] at::Tensor normalizedInBatch(Tensors t, const rt::Attributes& a) {
  return std::get<0>(at::native_batch_norm(t[0], maybe(t, 1), maybe(t, 2), maybe(t, 3), maybe(t, 4), a.ints[0] != 0, a.real(0, 0.1), a.real(1, 1e-5)));
}

#define UPDATING_ROW(name, draw, ...) {Op::name, draw, THEIRS(__VA_ARGS__), nullptr, "", true, 64, true}
#define CENTRED_ROW(name, draw, ...) {Op::name, draw, THEIRS(__VA_ARGS__), nullptr, "", true, 64}
const Family family = {
    UPDATING_ROW(batch_norm, channels, at::batch_norm(t[0], maybe(t, 1), maybe(t, 2), maybe(t, 3), maybe(t, 4), a.ints[0] != 0, a.real(0, 0.1), a.real(1,
        1e-5), false)),
    UPDATING_ROW(instance_norm, channels, at::instance_norm(t[0], maybe(t, 1), maybe(t, 2), maybe(t, 3), maybe(t, 4), a.ints[0] != 0, a.real(0, 0.1),
        a.real(1, 1e-5), false)),
    CENTRED_ROW(layer_norm, layers, at::layer_norm(t[0], intsOf(a), maybe(t, 1), maybe(t, 2), a.real(0, 1e-5))),
    CENTRED_ROW(group_norm, groups, at::group_norm(t[0], a.ints[0], maybe(t, 1), maybe(t, 2), a.real(0, 1e-5))),
#if TORCH_VERSION_MAJOR >= 2
    UPDATING_ROW(native_batch_norm, channels, normalizedInBatch(t, a)),
    CENTRED_ROW(rms_norm, roots, at::rms_norm(t[0], intsOf(a), maybe(t, 1), epsilonOf(a))),
#endif
    SUM_ROW(embedding, embedded, at::embedding(t[0], t[1], a.integer(0, -1), a.integer(1, 0) != 0)),
    ROW(dropout, dropped, thinned(t[0], a.reals[0], a.ints[0] != 0)),
};

}  // namespace
}  // namespace samples
