// REQUIRES: torch113
// The oldest LibTorch that is read: the version of the file's own headers is the one that is imitated and named.
// RUN: expect 1 torch-tidy %s -- %torch113-flags | FileCheck %s --implicit-check-not=warning:
#include <torch/torch.h>

struct Net : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    // CHECK: :[[@LINE+1]]:5: warning: branch on a tensor value makes the host wait for the device [host-branch]
    if ((x.sum() < 0).item<bool>()) x = x + 5;
    // CHECK: x = torch::where(x.sum() < 0, x + 5, x);
    // CHECK: note: verified: the rewrite gives the same values, shapes, dtypes and gradients on {{[0-9]+}} inputs ({{.*}}) [torch 1.13]{{$}}
    return x;
  }
};
