#pragma once

#include <torch/torch.h>

#include <map>
#include <string>

/// A value of the detector's settings file. Its item() has nothing to do with tensors.
class Setting {
 public:
  Setting(double value = 0) : value_(value) {}
  template <typename T>
  T item() const { return static_cast<T>(value_); }

 private:
  double value_;
};
using Settings = std::map<std::string, Setting>;

struct Detections {
  torch::Tensor boxes;   // [batch, places, 4]: left, top, right, bottom
  torch::Tensor scores;  // [batch, places]
};

/// Boxes and scores from a feature map [batch, channels, height, width].
class DetectorHeadImpl : public torch::nn::Module {
 public:
  DetectorHeadImpl(int64_t channels, Settings settings);

  Detections forward(torch::Tensor features);

 private:
  torch::Tensor normalised(torch::Tensor boxes) const;

  Settings settings_;
  torch::nn::Conv2d box_{nullptr}, score_{nullptr};
};
TORCH_MODULE(DetectorHead);
