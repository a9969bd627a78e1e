#include "detector.h"

DetectorHeadImpl::DetectorHeadImpl(int64_t channels, Settings settings) : settings_(std::move(settings)) {
  box_ = register_module("box", torch::nn::Conv2d(channels, 4, 1));
  score_ = register_module("score", torch::nn::Conv2d(channels, 1, 1));
}

// Boxes in units of the largest side, when there is one.
torch::Tensor DetectorHeadImpl::normalised(torch::Tensor boxes) const {
  auto largest = boxes.abs().amax();
  if (largest.item<float>() > 0)
    boxes = boxes / largest;
  else
    boxes = torch::zeros_like(boxes);
  return boxes;
}

Detections DetectorHeadImpl::forward(torch::Tensor features) {
  const int64_t batch = features.size(0);
  auto boxes = box_->forward(features).permute({0, 2, 3, 1}).reshape({batch, -1, 4});
  auto scores = torch::sigmoid(score_->forward(features)).view({batch, -1});
  if (scores.size(1) > settings_["most"].item<int64_t>()) {
    scores = scores.slice(1, 0, settings_["most"].item<int64_t>());
    boxes = boxes.slice(1, 0, settings_["most"].item<int64_t>());
  }
  boxes = normalised(boxes) + torch::zeros({1, 1, 4}, boxes.options());

  // Nothing to be seen: the scores are spread.
  const float threshold = settings_["threshold"].item<float>();
  if (scores.max().item<float>() < threshold) scores = scores / scores.sum();
  return {boxes, scores};
}
