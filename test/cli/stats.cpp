// REQUIRES: torch
// --stats: a line a file on standard error, with the time by phase and the worker's memory, and what became of all.
// RUN: cd %S && torch-tidy --no-cache --stats stats.cpp -- %torch-flags 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.}}
// CHECK: stats.cpp: preamble used, preamble {{[0-9.]+}} s, parse {{[0-9.]+}} s, match {{[0-9.]+}} s, verify {{[0-9.]+}} s, total {{[0-9.]+}} s, {{[0-9]+}} MB
// CHECK: 0 replayed, 1 analysed, 0 failed
#include <torch/torch.h>
