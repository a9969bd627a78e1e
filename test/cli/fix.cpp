// REQUIRES: torch
// --fix writes what was verified and nothing else; --unsafe-fixes also what holds under a condition.
// RUN: rm -rf %t && mkdir -p "%t/my net" && cp %s "%t/my net/a model.cpp" && chmod 640 "%t/my net/a model.cpp"
// RUN: cd "%t/my net" && expect 1 torch-tidy --checks=host-branch --fix "a model.cpp" -- %torch-flags >%t/out 2>%t/err
// RUN: FileCheck %s --input-file=%t/out
// RUN: FileCheck %s --check-prefix=STDERR --match-full-lines --input-file=%t/err
// RUN: not diff -u %s "%t/my net/a model.cpp" | FileCheck %s --check-prefix=DIFF --match-full-lines --strict-whitespace '--implicit-check-not={{^[-+] }}'
// RUN: stat -c %%a "%t/my net/a model.cpp" | FileCheck %s --check-prefix=MODE
// MODE: 640
// Nothing is left beside the file, and a second run finds nothing more to fix.
// RUN: ls "%t/my net" | count 1
// RUN: cp "%t/my net/a model.cpp" %t/once.cpp
// RUN: expect 1 torch-tidy --checks=host-branch --fix "%t/my net/a model.cpp" -- %torch-flags
// RUN: diff %t/once.cpp "%t/my net/a model.cpp"
// RUN: expect 1 torch-tidy --checks=host-branch --unsafe-fixes "%t/my net/a model.cpp" -- %torch-flags
// RUN: not diff -u %t/once.cpp "%t/my net/a model.cpp" | FileCheck %s --check-prefix=UNSAFE --match-full-lines --strict-whitespace '--implicit-check-not={{^[-+] }}'
#include <torch/torch.h>

torch::Tensor verified(torch::Tensor x) {
  if ((x.sum() < 0).item<bool>()) x = x + 5;
  // DIFF:-  if ((x.sum() < 0).item<bool>()) x = x + 5;
  // DIFF:+  x = torch::where(x.sum() < 0, x + 5, x);
  return x;
}

torch::Tensor refuted(torch::Tensor x, torch::Tensor y) {
  if ((x.min() > 0).item<bool>()) y = x.to(torch::kDouble);
  return y;
}

torch::Tensor conditional(torch::Tensor x, torch::Tensor y) {
  if ((x.sum() < 1).item<bool>()) x = x + y;
  // UNSAFE:-  if ((x.sum() < 1).item<bool>()) x = x + y;
  // UNSAFE:+  x = torch::where(x.sum() < 1, x + y, x);
  return x;
}

torch::Tensor silenced(torch::Tensor x) {
  if ((x.sum() < 2).item<bool>()) x = x + 5;  // NOLINT
  return x;
}

// CHECK: a model.cpp:20:3: warning:
// CHECK: 3 warnings, 1 fixable with --fix, 1 with --unsafe-fixes, 1 suppressed
// STDERR: applied 1 fix
