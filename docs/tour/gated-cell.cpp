#include "gated-cell.h"

GatedCellImpl::GatedCellImpl(const GatedCellOptions& options) : options_(options) {
  gates_ = register_module("gates", torch::nn::Linear(options.inputs + options.units, 2 * options.units));
  refine_ = register_module("refine", torch::nn::Linear(options.units, options.units));
  gain_ = register_parameter("gain", torch::ones({options.units}));
}

torch::Tensor GatedCellImpl::activate(torch::Tensor x) const {
  if (options_.smooth) return x * x + torch::sin(x);
  return x * x * x;
}

torch::Tensor GatedCellImpl::advance(torch::Tensor input, torch::Tensor state) {
  auto gates = gates_->forward(torch::cat({input, state}, 1)).chunk(2, 1);
  auto keep = torch::sigmoid(gates[0]);
  auto next = keep * state + (1 - keep) * activate(gates[1]);
  if (options_.residual) next = next + state;

  // A state that grows is halved, one that dies out is refined.
  auto size = next.abs().max();
  if (size.item<float>() > 1) next = next / 2;
  if (size.item<float>() < 0.125f) next = refine_->forward(next);
  return next;
}

torch::Tensor GatedCellImpl::forward(torch::Tensor steps, torch::Tensor state) {
  if (!state.defined()) state = torch::zeros({steps.size(1), options_.units}, steps.options());
  for (int64_t t = 0; t < steps.size(0); ++t) state = advance(steps[t], state);

  auto balance = state.mean();
  if ((balance < 0).item<bool>()) state = state * gain_;
  return balance.item().toFloat() > 4 ? state - balance : state;
}
