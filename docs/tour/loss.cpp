#include "loss.h"

torch::Tensor AccuracyLossImpl::forward(torch::Tensor log_probabilities, torch::Tensor target) {
  auto correct = torch::eq(log_probabilities.argmax(1), target);
  accuracy_ = correct.to(torch::kFloat).mean().detach();
  return torch::nll_loss(log_probabilities, target);
}

torch::Tensor entropy(torch::Tensor probabilities) {
  auto result = torch::zeros_like(probabilities);
  if (probabilities.min().item<float>() > 0) result = -probabilities * torch::log(probabilities);
  return result.sum();
}

torch::Tensor robust(torch::Tensor loss) {
  return loss * (loss.item<float>() < 8);
}
