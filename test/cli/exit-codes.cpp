// REQUIRES: torch
// 0: nothing was found. 1: something was. 2: it could not be looked at properly, whatever else was found.
// RUN: expect 1 torch-tidy --no-verify %s -- %torch-flags
// RUN: expect 1 torch-tidy --no-verify --fail-on=warning %s -- %torch-flags
// RUN: expect 0 torch-tidy --no-verify --fail-on=error %s -- %torch-flags | FileCheck %s
// RUN: expect 0 torch-tidy --no-verify --fail-on=none %s -- %torch-flags | FileCheck %s
// RUN: expect 0 torch-tidy --checks=hardcoded-shape %s -- %torch-flags | count 0
// RUN: expect 0 torch-tidy --fail-on=none %s -- %torch-flags 2>&1 >/dev/null | count 0

// A file that is missing among others that are there.
// RUN: expect 2 torch-tidy --no-verify --fail-on=none %t.absent.cpp %s -- %torch-flags 2>%t.err | FileCheck %s --check-prefix=BESIDE
// RUN: cat %t.err | count 1
#include <torch/torch.h>

torch::Tensor forward(torch::Tensor x) {
  // CHECK: exit-codes.cpp:[[@LINE+1]]:3: warning: branch on a tensor value
  if ((x.sum() < 0).item<bool>()) x = x + 5;
  return x;
}
// CHECK: {{^}}1 warning{{$}}
// BESIDE: exit-codes.cpp:{{[0-9]+}}:3: warning:
// BESIDE: {{^}}1 error, 1 warning{{$}}
