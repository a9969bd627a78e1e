// Normalizations, embeddings and dropout.
#include "test/conformance/samples.h"

#include "runtime/random.h"

#include <algorithm>
#include <mutex>

namespace samples {
namespace {

Optional<at::Tensor> maybe(Tensors t, size_t i) { return i < t.size() && t[i].defined() ? Optional<at::Tensor>(t[i]) : Optional<at::Tensor>(); }

bool isHalf(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }
// Parameters are of the input's dtype, or, of half types, in float32.
DType parameterType(Draw& draw, DType dtype) { return draw.wrong() ? draw.dtype() : isHalf(dtype) && draw.chance(60) ? DType::float32 : dtype; }
Argument parameter(Draw& draw, std::vector<int64_t> shape, DType dtype) {
  if (draw.chance(25)) return Draw::undefined();
  if (!shape.empty() && draw.chance(2)) ++shape[0];
  return draw.tensor(shape, draw.chance(98) ? dtype : draw.dtype(), Values::exact);
}
void epsilon(Draw& draw, Step& step) {
  if (draw.chance(50)) step.attributes.reals.push_back(draw.oneOf({1e-5, 1e-3, 0.1, 0.5}));
}

// Input, weight, bias, running mean and variance.
void channels(Draw& draw, Step& step) {
  Argument input = draw.tensor(draw.shape(draw.wrong() ? 1 : 2, 5), draw.chance(95) ? draw.floating() : draw.dtype(), Values::exact);
  const int64_t count = input.rank() > 1 ? input.size(1) : 1;
  const DType dtype = parameterType(draw, input.dtype);
  const bool training = draw.chance(60);
  step.arguments = {input, parameter(draw, {count}, dtype), parameter(draw, {count}, dtype)};
  step.ints() = {training};
  if (draw.chance(training ? 60 : 97)) {
    Argument mean = draw.tensor({count}, dtype, Values::exact), variance = draw.tensor({count}, dtype, Values::exact);
    mean.requiresGrad = variance.requiresGrad = false;
    mean.from = variance.from = -1;
    for (rt::Scalar& v : variance.values)
      if (v.kind == rt::Scalar::Kind::floating) v = rt::Scalar(draw.oneOf({0.25, 0.5, 1.0, 2.0, 4.0}));
    if (mean.values.empty() || variance.values.empty()) mean = variance = draw.tensor({count}, dtype, Values::exact);
    step.arguments.push_back(mean);
    step.arguments.push_back(variance);
  }
  if (draw.chance(60)) step.attributes.reals = {draw.oneOf({0.1, 0.0, 1.0, 0.25}), draw.oneOf({1e-5, 1e-3, 0.1})};
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
void roots(Draw& draw, Step& step) { lastDimensions(draw, step, false); }
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
  Argument weight = draw.tensor(draw.wrong() ? draw.shape(1, 3) : std::vector<int64_t>{draw.between(1, 5), draw.between(1, 4)}, draw.chance(92) ? draw.floating() : draw.dtype());
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
at::Tensor dropout(const at::Tensor& input, double p, bool training) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  at::manual_seed(rt::Generator::defaultSeed);
  rt::manualSeed(rt::Generator::defaultSeed);  // for the next case
  if (!training || p == 0 || p == 1 || p > 1 || input.numel() == 0) return at::dropout(input, p, training);
  at::Tensor noise = at::empty_like(input);
  noise.bernoulli_(at::full_like(input, 1 - p, at::TensorOptions(at::kDouble)));
  return input.mul(noise.div_(1 - p));
}

Optional<double> epsilonOf(const rt::Attributes& a) { return a.reals.size() ? Optional<double>(a.reals[0]) : Optional<double>(); }
at::Tensor normalizedInBatch(Tensors t, const rt::Attributes& a) {
  return std::get<0>(at::native_batch_norm(t[0], maybe(t, 1), maybe(t, 2), maybe(t, 3), maybe(t, 4), a.ints[0] != 0, a.real(0, 0.1), a.real(1, 1e-5)));
}

#define UPDATING_ROW(name, draw, ...) {Op::name, draw, THEIRS(__VA_ARGS__), nullptr, "", true, 64, true}
#define CENTRED_ROW(name, draw, ...) {Op::name, draw, THEIRS(__VA_ARGS__), nullptr, "", true, 64}
const Family family = {
    UPDATING_ROW(native_batch_norm, channels, normalizedInBatch(t, a)),
    UPDATING_ROW(batch_norm, channels, at::batch_norm(t[0], maybe(t, 1), maybe(t, 2), maybe(t, 3), maybe(t, 4), a.ints[0] != 0, a.real(0, 0.1), a.real(1, 1e-5), false)),
    UPDATING_ROW(instance_norm, channels, at::instance_norm(t[0], maybe(t, 1), maybe(t, 2), maybe(t, 3), maybe(t, 4), a.ints[0] != 0, a.real(0, 0.1), a.real(1, 1e-5), false)),
    CENTRED_ROW(layer_norm, layers, at::layer_norm(t[0], intsOf(a), maybe(t, 1), maybe(t, 2), a.real(0, 1e-5))),
    CENTRED_ROW(group_norm, groups, at::group_norm(t[0], a.ints[0], maybe(t, 1), maybe(t, 2), a.real(0, 1e-5))),
    CENTRED_ROW(rms_norm, roots, at::rms_norm(t[0], intsOf(a), maybe(t, 1), epsilonOf(a))),
    ROW(embedding, embedded, at::embedding(t[0], t[1], a.integer(0, -1), a.integer(1, 0) != 0)),
    ROW(dropout, dropped, dropout(t[0], a.reals[0], a.ints[0] != 0)),
};

}  // namespace
}  // namespace samples
