// Optimizers without LibTorch: what a step does to leaves, gradients and versions, by hand where one step is a short formula.
#include "runtime/ops.h"
#include "runtime/optim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

namespace rt {
namespace {

Tensor parameter(std::vector<Scalar> values) {
  const int64_t n = int64_t(values.size());
  return fromValues(values, {n}, DType::float64).setRequiresGrad(true);
}
void backwardOf(const Tensor& loss) { backward({&loss, 1}, {}); }
void setGradient(const Tensor& p, std::vector<Scalar> values) {
  const Tensor cotangent = fromValues(values, {int64_t(values.size())}, DType::float64);
  backward({&p, 1}, {&cotangent, 1});
}
std::string messageOf(const std::function<void()>& run) {
  try { run(); } catch (const Error& error) { return error.what(); }
  return "";
}

std::vector<std::pair<const char*, std::function<std::unique_ptr<Optimizer>(std::vector<Tensor>)>>> all() {
  return {{"SGD", [](auto p) { return std::make_unique<SGD>(p, SGDOptions{.lr = 0.1, .momentum = 0.5}); }},
          {"Adam", [](auto p) { return std::make_unique<Adam>(p, AdamOptions{.lr = 0.1}); }},
          {"AdamW", [](auto p) { return std::make_unique<AdamW>(p, AdamWOptions{.lr = 0.1}); }},
          {"RMSprop", [](auto p) { return std::make_unique<RMSprop>(p, RMSpropOptions{.lr = 0.1, .momentum = 0.5}); }}};
}

TEST(Optimizer, AStepWritesTheLeafInPlace) {
  for (const auto& [name, make] : all()) {
    Tensor p = parameter({1.0, 2.0}), still = parameter({3.0});
    auto optimizer = make({p, still});
    backwardOf(ops::sum(p * p));
    optimizer->step();
    EXPECT_TRUE(p.isLeaf() && p.requiresGrad()) << name;
    EXPECT_LT(p.at(0).d, 1) << name;
    EXPECT_EQ(still.at(0).d, 3) << name << " moved a parameter without a gradient";
    EXPECT_TRUE(p.grad().defined()) << name;
    EXPECT_EQ(p.grad().at(0).d, 2) << name << " changed the gradient";
    optimizer->zero_grad();
    EXPECT_FALSE(p.grad().defined()) << name;
  }
}

TEST(Optimizer, FindsTheLeastSquare) {
  for (const auto& [name, make] : all()) {
    Tensor p = parameter({1.0, -2.0});
    auto optimizer = make({p});
    double loss = 0;
    for (int i = 0; i < 300; ++i) {
      optimizer->zero_grad();
      const Tensor error = p - 0.25, total = ops::sum(error * error);
      loss = total.item().d;
      backwardOf(total);
      optimizer->step();
    }
    EXPECT_LT(loss, 0.02) << name;
  }
}

TEST(SGD, TwoStepsWithMomentumAndDampening) {
  Tensor p = parameter({1.0});
  SGD sgd({p}, {.lr = 0.5, .momentum = 0.5, .dampening = 0.25});
  setGradient(p, {1.0});
  sgd.step();  // the first momentum is the gradient, undamped
  EXPECT_EQ(p.at(0).d, 0.5);
  sgd.step();  // 0.5 * 1 + 0.75 * 1
  EXPECT_EQ(p.at(0).d, 0.5 - 0.5 * 1.25);
}

TEST(SGD, NesterovLooksAhead) {
  Tensor p = parameter({1.0});
  SGD sgd({p}, {.lr = 0.5, .momentum = 0.5, .nesterov = true});
  setGradient(p, {1.0});
  sgd.step();
  EXPECT_EQ(p.at(0).d, 1 - 0.5 * 1.5);
}

TEST(SGD, OptionsMayChangeBetweenSteps) {
  Tensor p = parameter({1.0});
  SGD sgd({p}, {.lr = 0.5});
  setGradient(p, {1.0});
  sgd.options().lr = 0.25;
  sgd.step();
  EXPECT_EQ(p.at(0).d, 0.75);
}

TEST(Adam, TheFirstStepIsTheLearningRate) {
  Tensor p = parameter({1.0, 1.0, 1.0});
  Adam adam({p}, {.lr = 0.125, .eps = 0});
  setGradient(p, {3.0, -1e-6, 1e6});
  adam.step();
  EXPECT_DOUBLE_EQ(p.at(0).d, 0.875);
  EXPECT_DOUBLE_EQ(p.at(1).d, 1.125);
  EXPECT_DOUBLE_EQ(p.at(2).d, 0.875);
}

TEST(Adam, WeightDecayIsAGradientOrShrinksTheWeight) {
  for (bool decoupled : {false, true}) {
    Tensor p = parameter({1.0});
    auto optimizer = decoupled ? std::unique_ptr<Optimizer>(new AdamW({p}, {.lr = 0.5, .eps = 0, .weight_decay = 0.5}))
                               : std::unique_ptr<Optimizer>(new Adam({p}, {.lr = 0.5, .eps = 0, .weight_decay = 0.5}));
    setGradient(p, {-0.25});  // with the decay of 0.5 the other way
    optimizer->step();
    EXPECT_DOUBLE_EQ(p.at(0).d, decoupled ? 1 - 0.25 + 0.5 : 1 - 0.5);
  }
}

// LibTorch's SGD writes through .data(), which no version counts; the others write the parameter itself.
TEST(Optimizer, AStepOutdatesWhatWasSavedForBackwardExceptWithSGD) {
  for (const auto& [name, make] : all()) {
    Tensor p = parameter({1.0});
    auto optimizer = make({p});
    setGradient(p, {1.0});
    const Tensor saved = ops::sum(p * p);
    optimizer->step();
    EXPECT_EQ(messageOf([&] { backwardOf(saved); }).empty(), std::string(name) == "SGD") << name;
  }
}

TEST(Optimizer, RefusalsSayWhy) {
  const Tensor p = parameter({1.0});
  EXPECT_EQ(messageOf([&] { SGD sgd({p}, {}); }), "optimizer: lr is nan, not >= 0");
  EXPECT_EQ(messageOf([&] { SGD sgd({p}, {.lr = 1, .momentum = 0.5, .dampening = 0.5, .nesterov = true}); }),
            "optimizer: nesterov needs a momentum above 0 and no dampening");
  EXPECT_EQ(messageOf([&] { Adam adam({p}, {.betas = {0.9, 1}}); }), "optimizer: a beta is 1, not in [0, 1)");
  EXPECT_EQ(messageOf([&] { RMSprop rmsprop({p}, {.alpha = -0.5}); }), "optimizer: alpha is -0.5, not >= 0");
  EXPECT_EQ(messageOf([&] { Adam adam({p, p * 2}); }), "optimizer: parameter 1 is not a leaf; only leaves can be optimized");
  EXPECT_EQ(messageOf([&] { Adam adam({p, {}}); }), "optimizer: parameter 1 is undefined");
}

TEST(ClipGrad, ScalesAllGradientsByOneFactor) {
  Tensor p = parameter({0.0, 0.0}), q = parameter({0.0}), without = parameter({0.0});
  setGradient(p, {3.0, 0.0});
  setGradient(q, {4.0});
  EXPECT_EQ(clip_grad_norm_({p, q, without}, 1), 5);
  EXPECT_NEAR(p.grad().at(0).d, 0.6, 1e-6);
  EXPECT_NEAR(q.grad().at(0).d, 0.8, 1e-6);
  EXPECT_FALSE(without.grad().defined());
  EXPECT_EQ(clip_grad_norm_({without}, 1), 0);
}

TEST(ClipGrad, LeavesSmallGradientsAsTheyAre) {
  Tensor p = parameter({0.0, 0.0});
  setGradient(p, {3.0, 4.0});
  EXPECT_EQ(clip_grad_norm_({p}, 6), 5);
  EXPECT_EQ(p.grad().at(0).d, 3);
  clip_grad_value_({p}, 3.5);
  EXPECT_EQ(p.grad().at(0).d, 3);
  EXPECT_EQ(p.grad().at(1).d, 3.5);
}

}  // namespace
}  // namespace rt
