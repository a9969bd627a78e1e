#pragma once

#include <torch/torch.h>

/// Negative log likelihood that remembers the accuracy of the last batch.
class AccuracyLossImpl : public torch::nn::Module {
 public:
  torch::Tensor forward(torch::Tensor log_probabilities, torch::Tensor target);
  torch::Tensor accuracy() const { return accuracy_; }

 private:
  torch::Tensor accuracy_;
};
TORCH_MODULE(AccuracyLoss);

/// How undecided the predictions are; 0 where that is not defined.
torch::Tensor entropy(torch::Tensor probabilities);

/// `loss` with outlier batches switched off.
torch::Tensor robust(torch::Tensor loss);
