// RUN: expect 1 torch-tidy --checks=hardcoded-shape %s -- %torch-flags | FileCheck %s --implicit-check-not=warning:
// RUN: cp %s %t.cpp
// RUN: expect 1 torch-tidy --checks=hardcoded-shape --fix %t.cpp -- %torch-flags > %t.out
// RUN: FileCheck %s --check-prefix=FIXED --input-file=%t.cpp
// REQUIRES: torch
#include <torch/torch.h>

using torch::Tensor;

struct ShapesImpl : torch::nn::Module {
  torch::nn::Conv2d conv_{nullptr};
  Tensor weight_;

  Tensor forward(Tensor x) {
    auto flat = x.view({32, -1});
    // CHECK: [[@LINE-1]]:25: warning: literal 32 as the first size in 'view' freezes the batch size [hardcoded-shape]
    // CHECK: x.size(0)
    // CHECK: note: verified, where x.size(0) is 32: the rewrite gives the same values
    // FIXED: auto flat = x.view({x.size(0), -1});
    auto hidden = conv_->forward(x);
    hidden = hidden.reshape({16, 8, -1});
    // CHECK: [[@LINE-1]]:30: warning: literal 16 as the first size in 'reshape'
    // CHECK: hidden.size(0)
    auto state = torch::zeros({64, 10}, x.options());
    // CHECK: [[@LINE-1]]:32: warning: literal 64 as the first size in 'zeros'
    return flat + state + hidden.flatten(1);
  }

  // Structure: channels, sides of a box, a feature size in another place; a weight; sizes that are asked for.
  Tensor forward_silent(Tensor x) {
    auto features = x.view({-1, 320});
    auto colours = x.view({3, -1});
    auto boxes = x.reshape({4, -1});
    auto kernel = weight_.view({64, -1});
    auto own = x.view({x.size(0), -1});
    auto grid = torch::zeros({28, 28});
    return features.sum() + colours.sum() + boxes.sum() + kernel.sum() + own.sum() + grid.sum();
  }
};

// Not a forward method.
Tensor load(Tensor x) { return x.view({100, -1}); }
