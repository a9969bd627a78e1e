// REQUIRES: torch
// 0: nothing was found. 1: something was. 2: it could not be looked at properly, whatever else was found.
// RUN: expect 1 torch-tidy %s -- %torch-flags
// RUN: expect 1 torch-tidy --fail-on=warning %s -- %torch-flags
// RUN: expect 0 torch-tidy --fail-on=error %s -- %torch-flags | FileCheck %s
// RUN: expect 0 torch-tidy --fail-on=none %s -- %torch-flags | FileCheck %s
// RUN: expect 0 torch-tidy --checks=hardcoded-shape %s -- %torch-flags | count 0
// RUN: expect 0 torch-tidy --fail-on=none --quiet %s -- %torch-flags 2>&1 >/dev/null | count 0

// An error: the findings in the sound parts are still given.
// RUN: expect 2 torch-tidy %s -- %torch-flags -DWRONG 2>&1 | FileCheck %s --check-prefixes=ERROR,CHECK --implicit-check-not=generated
// RUN: expect 2 torch-tidy --fail-on=none %s -- %torch-flags -DWRONG 2>&1 | FileCheck %s --check-prefix=ERROR
// A file that is missing among others that are there.
// RUN: expect 2 torch-tidy --fail-on=none %t.absent.cpp %s -- %torch-flags 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ABSENT --input-file=%t.err
// ABSENT: absent.cpp: no such file
#include <torch/torch.h>

#ifdef WRONG
// ERROR: exit-codes.cpp:[[@LINE+3]]:31: error: use of undeclared identifier 'y'
// ERROR-NEXT: | torch::Tensor wrong() { return y; }
// ERROR-NEXT: | ^
torch::Tensor wrong() { return y; }
#endif

torch::Tensor sound(torch::Tensor x) {
  // CHECK: exit-codes.cpp:[[@LINE+1]]:3: warning: branch on a tensor value
  if ((x.sum() < 0).item<bool>()) x = x + 5;
  return x;
}
// CHECK: 1 warning, 1 fixable with --fix{{$}}
