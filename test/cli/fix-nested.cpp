// REQUIRES: torch
// Fixes inside one another: the outer one is applied, the inner one is named and left for the next run.
// RUN: cp %s %t.cpp
// RUN: expect 1 torch-tidy --checks=host-branch --fix %t.cpp -- %torch-flags 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: FileCheck %s --check-prefix=ONCE --input-file=%t.cpp
// RUN: expect 1 torch-tidy --checks=host-branch --fix %t.cpp -- %torch-flags 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: FileCheck %s --check-prefix=TWICE --input-file=%t.cpp
// RUN: torch-tidy %t.cpp -- %torch-flags
#include <torch/torch.h>

torch::Tensor forward(torch::Tensor x) {
  return (x.sum() < 0).item<bool>() ? ((x.sum() < -5).item<bool>() ? x + 1 : x + 2) : x + 3;
}
//  ONCE: {{^}}  return torch::where(x.sum() < 0, (x.sum() < -5).item<bool>() ? x + 1 : x + 2, x + 3);
// TWICE: {{^}}  return torch::where(x.sum() < 0, torch::where(x.sum() < -5, x + 1, x + 2), x + 3);

//      FIRST: {{^}}2 warnings, 2 fixable with --fix
// FIRST-NEXT: 'torch::where(x.sum() < -5, x + 1, x + 2)' overlaps another fix; run again for it
// FIRST-NEXT: applied 1 fix{{$}}

//      SECOND: {{^}}1 warning, 1 fixable with --fix
// SECOND-NEXT: applied 1 fix{{$}}
