// Optimizers and clipping, here and in LibTorch, on the same parameters and gradients: the parameters after every step.
#include "runtime/optim.h"
#include "test/conformance/referee.h"

#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim.h>

#include <gtest/gtest.h>

#include <cmath>

namespace conformance {
namespace {

constexpr DType types[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16};
constexpr int steps = 6;

// Nothing where LibTorch fuses as we do, and neither MKL's sqrt (`rootUlps`) nor the ends of half vectors are in the way.
double ulpsFor(DType dtype, double rootUlps) {
  const bool fuses = at::get_cpu_capability() == "AVX2" || at::get_cpu_capability() == "AVX512";
  const bool half = dtype == DType::float16 || dtype == DType::bfloat16;
  return half ? 4 + 3 * rootUlps : fuses ? rootUlps : 4 + rootUlps;
}

// Two parameters that differ in shape and layout, and a third that never gets a gradient.
std::vector<Argument> parameterValues(DType dtype) {
  std::vector<Argument> parameters = {{{37}, {}, dtype}, {{5, 7}, {}, dtype, true}, {{3}, {}, dtype}};
  for (size_t k = 0; k < parameters.size(); ++k)
    for (int64_t i = 0; i < rt::numelOf(parameters[k].shape); ++i) parameters[k].values.push_back(std::sin(double(i) * 1.7 + double(k)));
  return parameters;
}
// Of different sizes from step to step; some elements are 0 at times, one always.
Argument gradientValues(const Argument& parameter, int step) {
  Argument gradient{parameter.shape, {}, parameter.dtype};
  for (int64_t i = 0; i < rt::numelOf(parameter.shape); ++i)
    gradient.values.push_back(i == 4 || (i + step) % 9 == 0 ? 0 : std::cos(double(i) * 0.9 + double(step)) * std::pow(10.0, (i + step) % 5 - 3));
  return gradient;
}

struct Pair {
  std::vector<rt::Tensor> ours;
  std::vector<at::Tensor> theirs;
  explicit Pair(const std::vector<Argument>& values) {
    for (const Argument& value : values) {
      ours.push_back(value.ours());
      ours.back().setRequiresGrad(true);
      theirs.push_back(value.theirs().detach().requires_grad_(true));
    }
  }
  // The first `count` parameters get gradients.
  void setGradients(const std::vector<Argument>& values, int step, size_t count) {
    for (size_t k = 0; k < count; ++k) {
      const Argument gradient = gradientValues(values[k], step);
      const rt::Tensor cotangent = gradient.ours();
      rt::backward({&ours[k], 1}, {&cotangent, 1});
      theirs[k].mutable_grad() = gradient.theirs().clone();
    }
  }
  std::string difference(double ulps) const {
    for (size_t k = 0; k < ours.size(); ++k) {
      if (std::string text = conformance::difference(ours[k], theirs[k], ulps, ulps > 0); !text.empty()) return "parameter " + std::to_string(k) + ": " + text;
      if (ours[k].grad().defined() != theirs[k].grad().defined()) return "the gradient of parameter " + std::to_string(k) + " is defined on one side only";
    }
    return {};
  }
};

using MakeOurs = std::function<std::unique_ptr<rt::Optimizer>(std::vector<rt::Tensor>)>;
using MakeTheirs = std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<at::Tensor>)>;

void compareSteps(const std::string& name, double rootUlps, const MakeOurs& makeOurs, const MakeTheirs& makeTheirs) {
  Tally tally(name);
  for (DType dtype : types) {
    const std::vector<Argument> values = parameterValues(dtype);
    Pair pair(values);
    auto ours = makeOurs(pair.ours);
    auto theirs = makeTheirs(pair.theirs);
    const uint32_t before = pair.ours[0].version();
    const int64_t refereeBefore = pair.theirs[0]._version();
    for (int step = 0; step < steps; ++step) {
      ours->zero_grad();
      theirs->zero_grad();
      pair.setGradients(values, step, step == 2 ? 1 : 2);
      ours->step();
      theirs->step();
      std::string text = pair.difference(ulpsFor(dtype, rootUlps));
      tally.add({}, text.empty() ? text : std::string(rt::dtypeName(dtype)) + " step " + std::to_string(step) + ": " + text);
    }
    EXPECT_EQ(pair.ours[0].version() > before, pair.theirs[0]._version() > refereeBefore) << name << ": writes count, or do not";
  }
}

template <typename Ours, typename OurOptions, typename Theirs, typename TheirOptions>
void compareOptions(const std::string& name, double rootUlps, OurOptions ours, TheirOptions theirs) {
  compareSteps(name, rootUlps, [=](auto parameters) { return std::make_unique<Ours>(parameters, ours); },
               [=](auto parameters) { return std::make_unique<Theirs>(parameters, theirs); });
}

TEST(Optim, SGDEqualsLibTorch) {
  auto check = [](rt::SGDOptions o) {
    compareOptions<rt::SGD, rt::SGDOptions, torch::optim::SGD>(
        "SGD", 0, o, torch::optim::SGDOptions(o.lr).momentum(o.momentum).dampening(o.dampening).weight_decay(o.weight_decay).nesterov(o.nesterov));
  };
  check({.lr = 0.1});
  check({.lr = 0.1, .weight_decay = 0.01});
  check({.lr = 0.01, .momentum = 0.9});
  check({.lr = 0.01, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.1});
  check({.lr = 0.01, .momentum = 0.9, .weight_decay = 0.1, .nesterov = true});
}

TEST(Optim, AdamEqualsLibTorch) {
  auto check = [](rt::AdamOptions o) {
    compareOptions<rt::Adam, rt::AdamOptions, torch::optim::Adam>(
        "Adam", 2, o, torch::optim::AdamOptions(o.lr).betas(o.betas).eps(o.eps).weight_decay(o.weight_decay).amsgrad(o.amsgrad));
  };
  check({});
  check({.lr = 0.1, .weight_decay = 0.1});
  check({.lr = 0.1, .betas = {0.5, 0.6}, .eps = 1e-3, .amsgrad = true});
  check({.betas = {0, 0}});
}

TEST(Optim, AdamWEqualsLibTorch) {
  auto check = [](rt::AdamWOptions o) {
    compareOptions<rt::AdamW, rt::AdamWOptions, torch::optim::AdamW>(
        "AdamW", 2, o, torch::optim::AdamWOptions(o.lr).betas(o.betas).eps(o.eps).weight_decay(o.weight_decay).amsgrad(o.amsgrad));
  };
  check({});
  check({.lr = 0.1, .weight_decay = 0});
  check({.lr = 0.1, .betas = {0.5, 0.6}, .eps = 1e-3, .weight_decay = 0.3, .amsgrad = true});
}

TEST(Optim, RMSpropEqualsLibTorch) {
  auto check = [](rt::RMSpropOptions o) {
    compareOptions<rt::RMSprop, rt::RMSpropOptions, torch::optim::RMSprop>(
        "RMSprop", 4, o, torch::optim::RMSpropOptions(o.lr).alpha(o.alpha).eps(o.eps).weight_decay(o.weight_decay).momentum(o.momentum).centered(o.centered));
  };
  check({});
  check({.weight_decay = 0.1, .momentum = 0.9});
  check({.lr = 0.1, .alpha = 0.5, .eps = 1e-3, .centered = true});
  check({.lr = 0.1, .momentum = 0.5, .centered = true});
}

TEST(Optim, DefaultsAreLibTorchs) {
  auto fields = [](auto o) { return std::tuple(o.lr, o.betas.first, o.betas.second, o.eps, o.weight_decay, o.amsgrad); };
  auto theirFields = [](auto o) { return std::tuple(o.lr(), std::get<0>(o.betas()), std::get<1>(o.betas()), o.eps(), o.weight_decay(), o.amsgrad()); };
  EXPECT_EQ(fields(rt::AdamOptions()), theirFields(torch::optim::AdamOptions()));
  EXPECT_EQ(fields(rt::AdamWOptions()), theirFields(torch::optim::AdamWOptions()));
  const rt::SGDOptions sgd{.lr = 0.5};
  const torch::optim::SGDOptions theirSgd(0.5);
  EXPECT_EQ(std::tuple(sgd.momentum, sgd.dampening, sgd.weight_decay, sgd.nesterov),
            std::tuple(theirSgd.momentum(), theirSgd.dampening(), theirSgd.weight_decay(), theirSgd.nesterov()));
  const rt::RMSpropOptions rms;
  const torch::optim::RMSpropOptions theirRms;
  EXPECT_EQ(std::tuple(rms.lr, rms.alpha, rms.eps, rms.weight_decay, rms.momentum, rms.centered),
            std::tuple(theirRms.lr(), theirRms.alpha(), theirRms.eps(), theirRms.weight_decay(), theirRms.momentum(), theirRms.centered()));
}

std::string gradientDifference(const Pair& pair, double ulps) {
  for (size_t k = 0; k < pair.ours.size(); ++k) {
    if (!pair.theirs[k].grad().defined()) continue;
    if (std::string text = difference(pair.ours[k].grad(), pair.theirs[k].grad(), ulps); !text.empty()) return "gradient " + std::to_string(k) + ": " + text;
  }
  return {};
}

// The norm is a sum, which LibTorch forms lane by lane: the last bits of it, and so of what is scaled by it, differ.
TEST(Optim, ClippingByNormEqualsLibTorch) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Tally tally("clip_grad_norm_");
  for (DType dtype : types)
    for (size_t count : {0, 1, 2})
      for (double type : {2.0, 1.0, 3.0, 0.5, 0.0, inf, -inf})
        for (double most : {0.5, 3.0, 1e9}) {
          const std::vector<Argument> values = parameterValues(dtype);
          Pair pair(values);
          pair.setGradients(values, 1, count);
          const double norm = rt::clip_grad_norm_(pair.ours, most, type), wanted = torch::nn::utils::clip_grad_norm_(pair.theirs, most, type);
          const double epsilon = dtype == DType::float64 ? 2.3e-16 : dtype == DType::float32 ? 1.2e-7 : dtype == DType::float16 ? 9.8e-4 : 7.9e-3;
          const bool near = norm == wanted || std::abs(norm - wanted) <= 8 * epsilon * std::abs(wanted);
          std::string text = near ? gradientDifference(pair, 8) : "norm " + std::to_string(norm) + " instead of " + std::to_string(wanted);
          tally.add({}, text.empty() ? text : std::string(rt::dtypeName(dtype)) + " order " + std::to_string(type) + ", at most " + std::to_string(most) + ": " + text);
        }
}

TEST(Optim, ANormThatIsNotFiniteIsRefusedOnRequest) {
  const std::vector<Argument> values = {{{2}, {1, 2}, DType::float32}};
  Pair pair(values);
  const Argument gradient{{2}, {1, std::numeric_limits<double>::infinity()}, DType::float32};
  const rt::Tensor cotangent = gradient.ours();
  rt::backward({&pair.ours[0], 1}, {&cotangent, 1});
  pair.theirs[0].mutable_grad() = gradient.theirs().clone();
  EXPECT_THROW(rt::clip_grad_norm_(pair.ours, 1, 2, true), rt::Error);
  EXPECT_THROW(torch::nn::utils::clip_grad_norm_(pair.theirs, 1, 2, true), c10::Error);
  EXPECT_EQ(rt::clip_grad_norm_(pair.ours, 1), torch::nn::utils::clip_grad_norm_(pair.theirs, 1));
  EXPECT_EQ(gradientDifference(pair, 0), "");
}

TEST(Optim, ClippingByValueEqualsLibTorch) {
  Tally tally("clip_grad_value_");
  for (DType dtype : types)
    for (double most : {0.05, 1.0, 1e4}) {
      const std::vector<Argument> values = parameterValues(dtype);
      Pair pair(values);
      pair.setGradients(values, 1, 2);
      rt::clip_grad_value_(pair.ours, most);
      torch::nn::utils::clip_grad_value_(pair.theirs, most);
      tally.add({}, gradientDifference(pair, 0));
    }
}

// One training step: Linear(10, 1), mean squared error, Adam, 32 rows. The gradients are sums in another order; what Adam makes
// of them at its first step is lr * g / (|g| + eps), which is the same.
TEST(Practice, T2_4) {
  torch::manual_seed(7);
  torch::nn::Linear model(10, 1);
  const at::Tensor x = torch::randn({32, 10}), y = torch::randn({32, 1});
  auto copyOf = [](const at::Tensor& from) {
    std::vector<rt::Scalar> values;
    const at::Tensor flat = from.detach().contiguous();
    for (int64_t i = 0; i < flat.numel(); ++i) values.push_back(double(flat.const_data_ptr<float>()[i]));
    return rt::fromValues(values, {from.sizes().begin(), from.sizes().end()}, DType::float32);
  };
  rt::Tensor weight = copyOf(model->weight), bias = copyOf(model->bias);
  weight.setRequiresGrad(true);
  bias.setRequiresGrad(true);

  torch::optim::Adam theirs(model->parameters(), torch::optim::AdamOptions(0.01));
  theirs.zero_grad();
  const at::Tensor theirLoss = torch::nn::functional::mse_loss(model(x), y);
  theirLoss.backward();
  theirs.step();

  rt::Adam ours({weight, bias}, {.lr = 0.01});
  ours.zero_grad();
  const rt::Tensor in[] = {copyOf(x), weight, bias};
  const rt::Tensor error = rt::call(Op::linear, in) - copyOf(y), loss = rt::ops::mean(error * error);
  rt::backward({&loss, 1}, {});
  ours.step();

  EXPECT_EQ(difference(loss, theirLoss, 4), "");
  EXPECT_EQ(difference(weight.grad(), model->weight.grad(), 16, 1), "");
  EXPECT_EQ(difference(bias.grad(), model->bias.grad(), 16, 1), "");
  EXPECT_EQ(difference(weight, model->weight, 1), "");
  EXPECT_EQ(difference(bias, model->bias, 1), "");
}

}  // namespace
}  // namespace conformance
