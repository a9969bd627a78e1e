// RUN: expect 1 torch-tidy --checks=scalar-compare %s -- %torch-flags | FileCheck %s --implicit-check-not=warning:
// RUN: cp %s %t.cpp
// RUN: expect 1 torch-tidy --checks=scalar-compare --fix %t.cpp -- %torch-flags > %t.out
// RUN: FileCheck %s --check-prefix=FIXED --input-file=%t.cpp
// REQUIRES: torch
#include <torch/torch.h>

#include <vector>

using torch::Tensor;

struct MaskImpl : torch::nn::Module {
  std::vector<bool> seen_;

  // The consumer takes tensors: the comparison can stay on the device.
  Tensor forward(Tensor x) {
    return x * (x.sum().item<float>() > 2);
    // CHECK: [[@LINE-1]]:17: warning: comparison of a tensor value on the host makes the host wait for the device [scalar-compare]
    // CHECK: x.sum() > 2
    // CHECK: note:
    // FIXED: {{return x \* \((x.sum\(\) > 2|x.sum\(\).item<float>\(\) > 2)\);}}
  }

  // The consumer takes a host bool.
  Tensor forward_flag(Tensor x) {
    seen_.push_back(x.max().item<double>() >= 1);
    // CHECK: [[@LINE-1]]:21: warning: comparison of a tensor value on the host
    // CHECK: note: no fix: what uses the result takes a host bool, not a tensor
    return x;
  }

  // Branches are host-branch's; comparisons of host numbers, sizes and whole tensors are no host reads.
  Tensor forward_silent(Tensor x, int limit) {
    if (x.sum().item<float>() > 2) x = -x;
    bool large = x.sum().item<float>() > 3;
    if (large) x = x + 1;
    auto mask = x > 0;
    bool many = x.size(0) > limit;
    seen_.push_back(many);
    return torch::where(mask, x, -x) * (limit > 3);
  }
};
