// REQUIRES: torch
// A file that does not compile: its errors are shown, exit 2; what was found in the sound parts is given, but not fixed.
// RUN: cp %s %t.cpp
// RUN: expect 2 torch-tidy --fail-on=none --fix %t.cpp -- %torch-flags >%t.out 2>%t.err
// RUN: FileCheck %s --input-file=%t.out --implicit-check-not=error: --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=STDERR --match-full-lines --implicit-check-not={{.}} --input-file=%t.err
// RUN: diff %s %t.cpp
#include <torch/torch.h>
// CHECK: .cpp:[[@LINE+1]]:10: error: 'lost.h' file not found
#include "lost.h"

// CHECK: .cpp:[[@LINE+3]]:32: error: use of undeclared identifier 'y'{{$}}
// CHECK-NEXT: | torch::Tensor wrong() { return y; }
// CHECK-NEXT: | ^{{$}}
torch::Tensor wrong() { return y; }

// What is found around an error means nothing.
torch::Tensor unsound(torch::Tensor x) {
  // CHECK: .cpp:[[@LINE+1]]:45: error: use of undeclared identifier 'y'
  if ((x.sum() < 0).item<bool>()) { x = x + y; }
  return x;
}

torch::Tensor sound(torch::Tensor x) {
  // CHECK: .cpp:[[@LINE+1]]:3: warning: branch on a tensor value
  if ((x.sum() < 0).item<bool>()) x = x + 5;
  // CHECK: .cpp:[[@LINE-1]]:3: note: no fix: the file has errors; this was found in a part that could be parsed{{$}}
  // CHECK-NOT: note:
  return x;
}
// CHECK: {{^}}3 errors, 1 warning
// STDERR: applied 0 fixes
