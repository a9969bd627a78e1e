// REQUIRES: torch
// What was run is kept, runs again with the same verdicts, and is printed as a program of its own.
// RUN: expect 1 torch-tidy --checks=host-branch --verify-report=%t.json %s -- %torch-flags
// RUN: expect 0 torch-tidy replay %t.json | FileCheck %s --check-prefix=AGAIN
// AGAIN: replay.cpp:{{[0-9]+}}: x = torch::where(x.sum() < 0, x + 5, x);
// AGAIN-NEXT: {{^}}  tested on {{[0-9]+}} inputs{{$}}
// AGAIN-NEXT: replay.cpp:{{[0-9]+}}: x = torch::where(x.sum() > 0, x.to(torch::kDouble), x);
// AGAIN-NEXT: {{^}}  refuted: at x = {{.*}} the dtype of x is float64 instead of float32{{$}}
// RUN: expect 0 torch-tidy replay --cpp %t.json | FileCheck %s --check-prefix=CPP
// CPP: // {{.*}}replay.cpp:{{[0-9]+}}: x = torch::where(x.sum() < 0, x + 5, x);
// CPP: std::vector<torch::Tensor> before(torch::Tensor
// CPP: if (v{{[0-9]+}}) {
// CPP: std::vector<torch::Tensor> after(torch::Tensor
// CPP: torch::where(
// CPP: int main() {
//
// A verdict that is another one by now is told, and so is a file that is no report.
// RUN: sed 's/"kind":"tested"/"kind":"refuted"/' %t.json > %t.other.json
// RUN: expect 1 torch-tidy replay %t.other.json | FileCheck %s --check-prefix=OTHER
// OTHER: tested on {{[0-9]+}} inputs; the file says refuted:
// RUN: expect 2 torch-tidy replay %s 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: {{.*}}replay.cpp: is no file of --verify-report:
// RUN: expect 2 torch-tidy replay %t.nowhere 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: {{.*}}nowhere: No such file or directory
// RUN: expect 2 torch-tidy replay 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: replay takes one file, which --verify-report has written
// RUN: expect 2 torch-tidy --cpp %s 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: --cpp goes with replay
#include <torch/torch.h>

torch::Tensor holds(torch::Tensor x) {
  if ((x.sum() < 0).item<bool>()) x = x + 5;
  return x;
}

torch::Tensor differs(torch::Tensor x) {
  if ((x.sum() > 0).item<bool>()) x = x.to(torch::kDouble);
  return x;
}
