// REQUIRES: torch
// Comments that silence, in the forms that clang-tidy knows. What is numbered from 100 on is not silenced.
// RUN: expect 1 torch-tidy --checks=host-branch --no-verify %s -- %torch-flags | FileCheck %s --implicit-check-not=warning:
#include <torch/torch.h>

#define BRANCH(x) if ((x.sum() > 0).item<bool>()) x = x + 1

torch::Tensor forward(torch::Tensor x) {
  if ((x.sum() < 1).item<bool>()) x = x + 1;  // NOLINT
  if ((x.sum() < 2).item<bool>()) x = x + 1;  // NOLINT: for a reason
  if ((x.sum() < 3).item<bool>()) x = x + 1;  // a word before, NOLINT
  if ((x.sum() < 4).item<bool>()) x = x + 1;  /* NOLINT */
  if ((x.sum() < 5).item<bool>()) x = x + 1;  // NOLINT(host-branch)
  if ((x.sum() < 6).item<bool>()) x = x + 1;  // NOLINT(torch-host-branch)
  if ((x.sum() < 7).item<bool>()) x = x + 1;  // NOLINT(host-*): for a reason
  if ((x.sum() < 8).item<bool>()) x = x + 1;  // NOLINT(bugprone-use-after-move, host-branch)
  // CHECK: :[[@LINE+1]]:3: warning:
  if ((x.sum() < 101).item<bool>()) x = x + 1;  // NOLINT(item-in-forward)
  // CHECK: :[[@LINE+1]]:3: warning:
  if ((x.sum() < 102).item<bool>()) x = x + 1;  // NOLINT(bugprone-*)
  // CHECK: :[[@LINE+1]]:3: warning:
  if ((x.sum() < 103).item<bool>()) x = x + 1;  // NOLINTNEXTLINE(host-branch)
  // CHECK: :[[@LINE+1]]:3: warning:
  if ((x.sum() < 104).item<bool>()) x = x + 1;  // nolint

  // NOLINTNEXTLINE
  if ((x.sum() < 11).item<bool>()) x = x + 1;
  // NOLINTNEXTLINE(host-branch): for a reason
  if ((x.sum() < 12).item<bool>()) x = x + 1;
  // NOLINTNEXTLINE(item-in-forward)
  // CHECK: :[[@LINE+1]]:3: warning:
  if ((x.sum() < 111).item<bool>()) x = x + 1;
  // NOLINTNEXTLINE

  // CHECK: :[[@LINE+1]]:3: warning:
  if ((x.sum() < 112).item<bool>()) x = x + 1;

  // NOLINTBEGIN
  if ((x.sum() < 21).item<bool>()) x = x + 1;
  // NOLINTBEGIN(host-branch)
  if ((x.sum() < 22).item<bool>()) x = x + 1;
  // NOLINTEND(host-branch)
  if ((x.sum() < 23).item<bool>()) x = x + 1;
  // NOLINTEND
  // CHECK: :[[@LINE+1]]:3: warning:
  if ((x.sum() < 121).item<bool>()) x = x + 1;
  // NOLINTBEGIN(item-in-forward)
  // CHECK: :[[@LINE+1]]:3: warning:
  if ((x.sum() < 122).item<bool>()) x = x + 1;
  // NOLINTEND(item-in-forward)

  // The comment stands on the line where the finding begins.
  if ((x.sum() < 31)  // NOLINT
          .item<bool>())
    x = x + 1;
  // CHECK: :[[@LINE+1]]:3: warning:
  if ((x.sum() < 131).item<bool>())
    x = x + 1;  // NOLINT

  // The line before the statement serves as well, and so does the line where a macro is used.
  // NOLINTNEXTLINE(host-branch)
  TORCH_CHECK(
      (x.sum() < 32).item<bool>(),
      "must be small");
  BRANCH(x);  // NOLINT

  // A begin without an end silences nothing.
  // NOLINTBEGIN
  // CHECK: :[[@LINE+1]]:3: warning:
  if ((x.sum() < 141).item<bool>()) x = x + 1;
  return x;
}
// CHECK: {{^}}10 warnings, 16 suppressed{{$}}
