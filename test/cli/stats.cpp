// REQUIRES: torch
// --stats: a line a file on standard error, with the time by phase.
// RUN: cd %S && torch-tidy --stats stats.cpp -- %torch-flags 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.}}
// CHECK: stats.cpp: preamble {{used|built}}, preamble {{[0-9.]+}} s, parse {{[0-9.]+}} s, match {{[0-9.]+}} s, verify {{[0-9.]+}} s, total {{[0-9.]+}} s
#include <torch/torch.h>
