// REQUIRES: torch
// Code that comes from macros: reported where the user wrote something, fixed only where nothing of a macro is touched.
// RUN: expect 1 torch-tidy --checks=host-branch %s -- %torch-flags | FileCheck %s --implicit-check-not=warning: --implicit-check-not=verified:
// RUN: cp %s %t.cpp && expect 1 torch-tidy --checks=host-branch --fix %t.cpp -- %torch-flags && FileCheck %s --check-prefix=FIXED --input-file=%t.cpp
#include <torch/torch.h>

#define SUM(x) x.sum()
#define SHRINK(x) if ((x.sum() > 0).item<bool>()) x = x * 0.5f
#define RUN(statement) do { statement; } while (false)
#define TWICE(...) { __VA_ARGS__ } { __VA_ARGS__ }

torch::Tensor forward(torch::Tensor x) {
  // Whole in a macro's body: the use is reported, once.
  // CHECK: :[[@LINE+1]]:3: warning:
  SHRINK(x);

  // A macro in the condition.
  // CHECK: :[[@LINE+2]]:3: warning: branch on a tensor value
  // CHECK: note: no fix: a macro is in the way
  if ((SUM(x) > 1).item<bool>()) x = x + 1;
  // FIXED: {{^}}  if ((SUM(x) > 1).item<bool>()) x = x + 1;

  // A check macro: the value that it tests is reported.
  // CHECK: :[[@LINE+1]]:15: warning: check on a tensor value makes the host wait for the device
  TORCH_CHECK((x > 0).all().item<bool>(), "must be positive");

  // A statement in a macro's argument.
  // CHECK: :[[@LINE+1]]:7: warning: branch on a tensor value
  RUN(if ((x.sum() > 2).item<bool>()) x = x + 2);

  // Written twice by the macro, reported once.
  // CHECK: :[[@LINE+1]]:9: warning: branch on a tensor value
  TWICE(if ((x.sum() > 3).item<bool>()) x = x + 3;)
  return x;
}
