// Optimizers and the clipping of gradients: what LibTorch 2.15's torch/optim/*.h and torch/nn/utils/clip_grad.h do, with their
// names of options and their defaults. The operations and their order are LibTorch's, and as it does with AVX2 and AVX-512 a
// product is fused with the sum that it goes into. What is left: LibTorch's sqrt is MKL's, which is not always rounded to
// nearest, so that steps of Adam, AdamW and RMSprop differ from it by an ulp here and there; SGD's are equal bit for bit.
#pragma once

#include "runtime/tensor.h"

#include <limits>
#include <utility>
#include <vector>

namespace rt {

struct SGDOptions {
  double lr = std::numeric_limits<double>::quiet_NaN();  // has no default: must be given
  double momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;                                 // needs momentum > 0 and dampening 0
};
struct AdamOptions {
  double lr = 1e-3;
  std::pair<double, double> betas = {0.9, 0.999};        // each in [0, 1)
  double eps = 1e-8, weight_decay = 0;
  bool amsgrad = false;
};
struct AdamWOptions {
  double lr = 1e-3;
  std::pair<double, double> betas = {0.9, 0.999};
  double eps = 1e-8, weight_decay = 1e-2;
  bool amsgrad = false;
};
struct RMSpropOptions {
  double lr = 1e-2, alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false;
};

/// Of leaves. A parameter whose gradient is undefined keeps its value and its state.
class Optimizer {
 public:
  explicit Optimizer(std::vector<Tensor> parameters);    // throws for an undefined tensor and for a non-leaf
  virtual ~Optimizer() = default;
  void step();                                           // under GradMode off
  void zero_grad();                                      // makes the gradients undefined
  const std::vector<Tensor>& parameters() const { return parameters_; }

 protected:
  virtual void update(size_t i, Tensor p, Tensor grad) = 0;

 private:
  std::vector<Tensor> parameters_;
};

/// Options may be changed between steps. An option out of its range is an Error of the constructor.
class SGD : public Optimizer {
 public:
  SGD(std::vector<Tensor> parameters, SGDOptions);
  SGDOptions& options() { return options_; }

 private:
  void update(size_t i, Tensor p, Tensor grad) override;
  SGDOptions options_;
  std::vector<Tensor> momenta_;
};

/// Adam and AdamW differ in what weight decay does: it is added to the gradient, or shrinks the weight itself.
class Adam : public Optimizer {
 public:
  explicit Adam(std::vector<Tensor> parameters, AdamOptions options = {}) : Adam(std::move(parameters), options, false) {}
  AdamOptions& options() { return options_; }

 protected:
  Adam(std::vector<Tensor> parameters, AdamOptions, bool decoupled);

 private:
  struct State {
    int64_t step = 0;
    Tensor average, square, largest;  // exp_avg, exp_avg_sq, max_exp_avg_sq
  };
  void update(size_t i, Tensor p, Tensor grad) override;
  AdamOptions options_;
  bool decoupled_;
  std::vector<State> states_;
};
class AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Tensor> parameters, AdamWOptions o = {})
      : Adam(std::move(parameters), {o.lr, o.betas, o.eps, o.weight_decay, o.amsgrad}, true) {}
};

class RMSprop : public Optimizer {
 public:
  explicit RMSprop(std::vector<Tensor> parameters, RMSpropOptions = {});
  RMSpropOptions& options() { return options_; }

 private:
  struct State { Tensor square, average, momentum; };
  void update(size_t i, Tensor p, Tensor grad) override;
  RMSpropOptions options_;
  std::vector<State> states_;
};

/// Scales the gradients so that their norm, all together, is at most max_norm; returns the norm before, 0 without gradients.
/// norm_type may be infinity. Throws for a norm that is not finite if asked to. The norm is summed in another order than
/// LibTorch's: a few ulps of it differ.
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type = 2, bool error_if_nonfinite = false);
/// Clamps every element of the gradients to [-clip_value, clip_value].
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);

}  // namespace rt
