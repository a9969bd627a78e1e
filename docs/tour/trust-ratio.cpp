#include "trust-ratio.h"

TrustRatio::TrustRatio(std::vector<torch::Tensor> parameters, const TrustRatioOptions& options)
    : Optimizer({torch::optim::OptimizerParamGroup(std::move(parameters))}, std::make_unique<TrustRatioOptions>(options)) {}

torch::Tensor TrustRatio::step(LossClosure closure) {
  torch::Tensor loss;
  if (closure != nullptr) {
    at::AutoGradMode gradients(true);
    loss = closure();
  }
  torch::NoGradGuard noGradients;
  for (auto& group : param_groups()) {
    auto& options = static_cast<TrustRatioOptions&>(group.options());
    const double largest = options.largest_ratio();
    for (auto& weight : group.params()) {
      if (!weight.grad().defined()) continue;
      auto update = weight.grad();
      if (options.weight_decay() != 0) update = update + weight * options.weight_decay();

      auto weight_norm = weight.norm();
      auto update_norm = update.norm();
      auto ratio = torch::ones_like(weight_norm);
      if (weight_norm.item<float>() > 0 && update_norm.item<float>() > 0) ratio = weight_norm / update_norm;
      if (ratio.item<float>() > largest) ratio = torch::full_like(ratio, largest);

      weight.sub_(update * ratio * options.lr());
    }
  }
  return loss;
}
