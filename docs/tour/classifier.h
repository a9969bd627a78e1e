#pragma once

#include <torch/torch.h>

/// Two convolutions and two linear layers for images of 3 x 28 x 28.
class ClassifierImpl : public torch::nn::Module {
 public:
  explicit ClassifierImpl(int64_t classes);

  torch::Tensor forward(torch::Tensor images);
  /// The last feature map, [batch, 20, 4, 4], for the heads that share it.
  torch::Tensor features(torch::Tensor images);

 private:
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr};
  torch::nn::Linear hidden_{nullptr}, out_{nullptr};
  torch::Tensor mean_, deviation_;
};
TORCH_MODULE(Classifier);
