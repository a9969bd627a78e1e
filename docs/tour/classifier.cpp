#include "classifier.h"

ClassifierImpl::ClassifierImpl(int64_t classes) {
  conv1_ = register_module("conv1", torch::nn::Conv2d(3, 10, 5));
  conv2_ = register_module("conv2", torch::nn::Conv2d(10, 20, 5));
  hidden_ = register_module("hidden", torch::nn::Linear(320, 50));
  out_ = register_module("out", torch::nn::Linear(50, classes));
  mean_ = register_buffer("mean", torch::tensor({0.49f, 0.48f, 0.45f}).view({3, 1, 1}));
  deviation_ = register_buffer("deviation", torch::tensor({0.25f, 0.24f, 0.26f}).view({3, 1, 1}));
}

torch::Tensor ClassifierImpl::features(torch::Tensor images) {
  if (images.dim() == 3) images = images.unsqueeze(0);
  auto x = (images - mean_) / deviation_;

  // Images that were stored as bytes arrive in 0..255.
  if ((images.max() > 16).item<bool>()) x = x / 255;

  x = torch::relu(torch::max_pool2d(conv1_->forward(x), 2));
  return torch::relu(torch::max_pool2d(conv2_->forward(x), 2));
}

torch::Tensor ClassifierImpl::forward(torch::Tensor images) {
  auto x = features(images);

  // Each image at unit energy.
  auto energy = x.view({32, -1}).square().sum(1).add(1e-6).sqrt();
  x = x / energy.view({-1, 1, 1, 1});

  const float spread = x.std().item<float>();
  x = x.view({-1, 320}) / (spread + 1e-3);
  x = torch::relu(hidden_->forward(x));
  if (is_training()) x = torch::dropout(x, 0.1, true);
  return torch::log_softmax(out_->forward(x), 1);
}
