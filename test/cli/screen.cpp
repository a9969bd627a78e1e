// REQUIRES: torch
// What a person reads: the line, the place, the new code below it, what was proven, and a summary.
// RUN: cd %S && expect 1 torch-tidy screen.cpp -- %torch-flags | FileCheck %s --strict-whitespace --match-full-lines
// RUN: cd %S && expect 1 torch-tidy --color=always screen.cpp -- %torch-flags | FileCheck %s --check-prefix=COLOUR
// RUN: cd %S && expect 1 torch-tidy --quiet screen.cpp -- %torch-flags | FileCheck %s --check-prefix=QUIET --implicit-check-not=note:
// RUN: cd %S && expect 1 torch-tidy --no-verify screen.cpp -- %torch-flags | FileCheck %s --check-prefix=NO-VERIFY --implicit-check-not=note: --implicit-check-not=torch::where
#include <torch/torch.h>

torch::Tensor forward(torch::Tensor x, torch::Tensor y) {
  if ((x.sum() < 0).item<bool>()) x = x + 55;

//      CHECK:screen.cpp:10:3: warning: branch on a tensor value makes the host wait for the device [host-branch]
// CHECK-NEXT:   10 |   if ((x.sum() < 0).item<bool>()) x = x + 55;
// CHECK-NEXT:      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT:      |   x = torch::where(x.sum() < 0, x + 55, x);
// CHECK-NEXT:screen.cpp:10:3: note: verified: the rewrite gives the same values, shapes, dtypes and gradients on {{[0-9]+}} inputs (float32, float64, float16, bfloat16, int64) [torch 2.{{[0-9]+}}]

  // A tab stays a tab, a wide letter takes two columns, and a range of several lines is underlined to the end of its first.
	/* größer als 正 */ if ((x.min() > 0).item<bool>())
    y = x.to(torch::kDouble);

// CHECK-NEXT:screen.cpp:19:25: warning: branch on a tensor value makes the host wait for the device [host-branch]
// CHECK-NEXT:   19 | 	/* größer als 正 */ if ((x.min() > 0).item<bool>())
// CHECK-NEXT:      | 	                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT:screen.cpp:19:25: note: no fix: where(x.min() > 0, x.to(torch::kDouble), y) differs: at {{.*}} the dtype of the result is float64 instead of float32
// CHECK-NEXT:2 warnings, 1 fixable with --fix
//  CHECK-NOT:{{.}}

  return x + y;
}

// COLOUR: screen.cpp:10:3: {{.\[[0-9;]*}}mwarning: {{.\[0m}}branch on a tensor value
// COLOUR: {{.\[[0-9;]*}}m^~~~

//          QUIET: 10 | if ((x.sum() < 0)
//          QUIET: x = torch::where(x.sum() < 0, x + 55, x);
//          QUIET: 19 |

// NO-VERIFY: screen.cpp:10:3: warning:
// NO-VERIFY: screen.cpp:19:25: warning:
// NO-VERIFY: {{^}}2 warnings{{$}}
