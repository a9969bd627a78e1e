#pragma once

#include <torch/torch.h>

struct TrustRatioOptions : torch::optim::OptimizerCloneableOptions<TrustRatioOptions> {
  explicit TrustRatioOptions(double lr = 0.01) : lr_(lr) {}
  TORCH_ARG(double, lr) = 0.01;
  TORCH_ARG(double, weight_decay) = 0;
  TORCH_ARG(double, largest_ratio) = 10;

 public:
  double get_lr() const override { return lr(); }
  void set_lr(const double lr) override { lr_ = lr; }
};

/// Gradient descent whose step is scaled, for each tensor, by the norm of the weights over the norm of the update.
class TrustRatio : public torch::optim::Optimizer {
 public:
  TrustRatio(std::vector<torch::Tensor> parameters, const TrustRatioOptions& options);

  torch::Tensor step(LossClosure closure = nullptr) override;
};
