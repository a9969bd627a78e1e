// REQUIRES: torch
// A template's finding stands once, whatever it is instantiated with, and is fixed only if the rewrite holds in every
// instantiation.
// RUN: expect 1 torch-tidy --checks=host-branch %s -- %torch-flags | FileCheck %s --implicit-check-not=warning: --implicit-check-not=verified
#include <torch/torch.h>

template <typename T>
torch::Tensor never(torch::Tensor x) {
  // CHECK: :[[@LINE+1]]:3: warning: branch on a tensor value
  if ((x.sum() > 0).item().toBool()) x = x + 1;
  return x;
}
// CHECK: note: verified: the rewrite gives the same values

// With an int the sum keeps the dtype; with a double an int64 tensor becomes float32.
template <typename T, typename Step>
torch::Tensor shift(T x, Step by) {
  // CHECK: :[[@LINE+1]]:3: warning: branch on a tensor value
  if ((x.sum() > 0).template item<bool>()) x = x + by;
  return x;
}
template torch::Tensor shift(torch::Tensor, int);
template torch::Tensor shift(torch::Tensor, double);
// CHECK: note: verified, where the tensors are floating point: the rewrite gives the same values

template <typename T, typename Step>
torch::Tensor shiftByNumbers(T x, Step by) {
  // CHECK: :[[@LINE+1]]:3: warning: branch on a tensor value
  if ((x.sum() > 0).template item<bool>()) x = x + by;
  return x;
}
template torch::Tensor shiftByNumbers(torch::Tensor, int);
template torch::Tensor shiftByNumbers(torch::Tensor, int64_t);
// CHECK: note: verified: the rewrite gives the same values

template <typename T>
struct Layer : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    // CHECK: :[[@LINE+1]]:5: warning: branch on a tensor value
    if ((x.sum() > 0).template item<bool>()) x = x + x;
    return x;
  }
};
template struct Layer<int>;
template struct Layer<float>;
// CHECK: note: verified: the rewrite gives the same values

// CHECK: {{^}}4 warnings, 3 fixable with --fix, 1 with --unsafe-fixes{{$}}
