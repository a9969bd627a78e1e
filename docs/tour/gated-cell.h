#pragma once

#include <torch/torch.h>

struct GatedCellOptions {
  int64_t inputs = 28;
  int64_t units = 32;
  bool residual = false;  // the state is added to its successor
  bool smooth = true;     // x^2 + sin(x) as the activation, or x^3
};

/// A recurrent cell with one gate, run over a whole sequence.
class GatedCellImpl : public torch::nn::Module {
 public:
  explicit GatedCellImpl(const GatedCellOptions& options);

  /// [time, batch, inputs] and an optional first state [batch, units] -> the last state.
  torch::Tensor forward(torch::Tensor steps, torch::Tensor state = {});

 private:
  torch::Tensor activate(torch::Tensor x) const;
  torch::Tensor advance(torch::Tensor input, torch::Tensor state);

  GatedCellOptions options_;
  torch::nn::Linear gates_{nullptr}, refine_{nullptr};
  torch::Tensor gain_;
};
TORCH_MODULE(GatedCell);
