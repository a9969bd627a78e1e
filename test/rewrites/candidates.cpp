// RUN: expect 1 torch-tidy --checks=host-branch,item-in-forward %s -- %torch-flags | FileCheck %s --implicit-check-not=warning:
// Every text is C++: a file whose fixes do not compile is put back, and what is fixed once is found no more.
// RUN: cp %s %t.cpp
// RUN: expect 1 torch-tidy --checks=host-branch,item-in-forward --unsafe-fixes %t.cpp -- %torch-flags > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=FIXED --input-file=%t.cpp
// RUN: FileCheck %s --check-prefix=APPLIED --input-file=%t.err
// APPLIED-NOT: put back
// APPLIED: applied {{[0-9]+}} fixes
// REQUIRES: torch
// The forms that a rewrite takes, one branch each.
#include <torch/torch.h>

using torch::Tensor;

void log_metrics(const Tensor&);

// ---- chains, several variables, locals of an arm

Tensor chained(Tensor x) {
  if ((x.sum() > 1).item<bool>()) x = x * 2;
  else if ((x.sum() < -1).item<bool>()) x = x + 3;
  else x = -x;
  // CHECK: :[[@LINE-3]]:3: warning:
  // CHECK: x = torch::where(x.sum() > 1, x * 2, torch::where(x.sum() < -1, x + 3, -x));
  // CHECK: note: verified:
  // CHECK: :[[@LINE-5]]:8: warning:
  // FIXED-LABEL: Tensor chained
  // FIXED: x = torch::where(x.sum() > 1, x * 2, torch::where(x.sum() < -1, x + 3, -x));
  return x;
}

Tensor several(Tensor x, Tensor y) {
  if ((x.sum() > 1).item<bool>()) {
    auto t = x + 1;  // one more
    x = t * 2;
    y = y + t;
  } else {
    y = -y;
  }
  // CHECK: :[[@LINE-7]]:3: warning:
  // CHECK: auto condition = x.sum() > 1; auto t = x + 1; x = torch::where(condition, t * 2, x); y = torch::where(condition, y + t, -y);
  // CHECK: note: verified
  // FIXED-LABEL: Tensor several
  // FIXED: // one more
  // FIXED-NEXT: {{^}}  auto condition = x.sum() > 1;
  // FIXED-NEXT: {{^}}  auto t = x + 1;
  // FIXED-NEXT: {{^}}  x = torch::where(condition, t * 2, x);
  // FIXED-NEXT: {{^}}  y = torch::where(condition, y + t, -y);
  return x + y;
}

Tensor switched(Tensor x, Tensor kind) {
  switch (kind.item<int64_t>()) {
    case 0: x = x * 2; break;
    case 1: x = x + 1; break;
    default: x = -x;
  }
  // CHECK: :[[@LINE-5]]:3: warning:
  // CHECK: x = torch::where(kind.reshape({}) == 0, x * 2, torch::where(kind.reshape({}) == 1, x + 1, -x));
  // CHECK: note: verified
  // FIXED-LABEL: Tensor switched
  // FIXED: {{^}}  x = torch::where(kind.reshape({}) == 0, x * 2, torch::where(kind.reshape({}) == 1, x + 1, -x));
  return x;
}

Tensor uniform(Tensor x) {
  if ((x.sum() > 3).item<bool>()) x = torch::zeros_like(x);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: x = torch::where(x.sum() > 3, 0, x);
  // CHECK: note: verified
  return x;
}

// ---- conditions

Tensor both(Tensor x, Tensor y) {
  if ((x.sum() > 0).item<bool>() && !(y.sum() > 1).item<bool>()) x = x * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: x = torch::where(torch::logical_and(x.sum() > 0, torch::logical_not(y.sum() > 1)), x * 2, x);
  // CHECK: note: verified
  return x;
}

Tensor partly_host(Tensor x, bool training) {
  if (training && (x.sum() > 0).item<bool>()) x = x * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: if (training) x = torch::where(x.sum() > 0, x * 2, x);
  // CHECK: note: verified
  // FIXED-LABEL: Tensor partly_host
  // FIXED: {{^}}  if (training) x = torch::where(x.sum() > 0, x * 2, x);
  return x;
}

Tensor copied_first(Tensor x) {
  if (x.detach().sum().cpu().item<double>() > 0.5) x = x * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified, where the tensors are on one device:
  return x;
}

// ---- returns

Tensor returned(Tensor x) {
  if ((x.sum() > 1).item<bool>()) return x * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: return torch::where(x.sum() > 1, x * 2, x);
  // CHECK: note: verified
  return x;
}

Tensor returned_early(Tensor x) {
  if ((x.sum() > 1).item<bool>()) return x;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: auto early = x.sum() > 1; ... return torch::where(early, x, y - x);
  // CHECK: note: verified
  // FIXED-LABEL: Tensor returned_early
  // FIXED: {{^}}  auto early = x.sum() > 1;
  // FIXED: {{^}}  return torch::where(early, x, y - x);
  auto y = x + 1;
  y = y * 2;
  return y - x;
}

Tensor returned_before_effects(Tensor x) {
  if ((x.sum() > 1).item<bool>()) return x;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: no fix: 'log_metrics' may have side effects
  log_metrics(x);
  return x * 2;
}

// What the early return kept from being computed is not finite.
Tensor small_angle(Tensor x) {
  auto theta = x.norm();
  if ((theta < 1e-6).item<bool>()) return torch::zeros_like(x);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: no fix: where(early, torch::zeros_like(x), axis * torch::sin(theta)) differs: at x = 0 the gradient of x is nan instead of 0
  auto axis = x / theta;
  return axis * torch::sin(theta);
}

// ---- writes in place

Tensor written_local(Tensor x) {
  Tensor y = x * 3;
  if ((x.max() > 1).item<bool>()) y += 1;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: y = torch::where(x.max() > 1, y + 1, y);
  // CHECK: note: verified:
  return y;
}

Tensor written_argument(Tensor x) {
  if ((x.max() > 1).item<bool>()) x.mul_(2);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: x.copy_(torch::where(x.max() > 1, x.mul(2), x));
  // CHECK: note: verified, where no backward pass to come needs 'x' as it was:
  // FIXED-LABEL: Tensor written_argument
  // FIXED: {{^}}  x.copy_(torch::where(x.max() > 1, x.mul(2), x));
  return x;
}

Tensor cleared(Tensor x) {
  if (torch::isnan(x).any().item<bool>()) x.zero_();
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: x.masked_fill_(torch::isnan(x).any(), 0);
  // CHECK: note: verified, where no backward pass to come needs 'x' as it was:
  return x;
}

// ---- numbers that become tensors

Tensor clipped(Tensor x) {
  float norm = x.norm().item<float>();
  if (norm > 4.f) x = x * (4.f / norm);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: auto condition = norm > 4.f; auto safeX = torch::where(condition, x, 1); x = torch::where(condition, safeX * (4.f / norm), x);
  // CHECK: note: verified
  // CHECK: note: an arm that is not taken computes with safe values, since 0 * inf is nan in a gradient
  // FIXED-LABEL: Tensor clipped
  // FIXED: {{^}}  auto norm = x.norm().detach();
  // FIXED: {{^}}  x = torch::where(condition, safeX * (4.f / norm), x);
  return x;
}

Tensor trust_ratio(Tensor p, Tensor update, double rate) {
  double weights = p.norm().item<double>();
  double step = update.norm().item<double>();
  double ratio = 1.0;
  if (weights > 0 && step > 0) ratio = weights / step;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: auto ratio = torch::where(torch::logical_and(weights > 0, step > 0), weights / step, 1.0);
  // CHECK: note: verified, where {{.*}} the tensors have dimensions:
  // FIXED-LABEL: Tensor trust_ratio
  // FIXED: {{^}}  auto weights = p.norm().to(torch::kDouble).detach();
  // FIXED-NEXT: {{^}}  auto step = update.norm().to(torch::kDouble).detach();
  // FIXED-NEXT: {{^}}  auto ratio = torch::where(torch::logical_and(weights > 0, step > 0), weights / step, 1.0);
  return p - update * (rate * ratio);
}

Tensor chosen_weight(Tensor a, Tensor b, Tensor loss) {
  float w = a.item<float>() > b.item<float>() ? 1.f : 0.5f;
  // CHECK: :[[@LINE-1]]:13: warning:
  // CHECK: auto w = torch::where(a.reshape({}) > b.reshape({}), 1.f, 0.5f);
  // CHECK: note: verified, where the tensors have dimensions:
  return loss * w;
}

// A number stays what it was; a view of a tensor that is written to would not.
Tensor snapshot(Tensor x, Tensor y) {
  float first = x[0].item<float>();
  x.mul_(2);
  if (first > 0.5f) y = y + first;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: y = torch::where(first > 0.5f, y + first, y);
  // CHECK: note: verified
  // FIXED-LABEL: Tensor snapshot
  // FIXED: {{^}}  auto first = x[0]{{.*}}.detach().clone();
  return y;
}

// The number goes where a tensor cannot.
Tensor still_a_number(Tensor x) {
  float norm = x.norm().item<float>();
  if (norm > 4.f) x = torch::full({}, norm, x.options());
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: no fix: 'norm' is needed on the host elsewhere too
  return x;
}

struct NetImpl : torch::nn::Module {
  Tensor forward(Tensor h) {
    const float peak = h.max().item<float>();
    // CHECK: :[[@LINE-1]]:24: warning: 'item' in 'forward'
    // CHECK: auto peak = h.max().detach();
    // CHECK: note: verified
    // FIXED: {{^}}    auto peak = h.max().detach();
    return h - peak;
  }
};

// ---- repairs

Tensor repaired(Tensor x) {
  Tensor y = x * 0;
  if (x.min().item<float>() > 0) y = torch::log(x);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: auto condition = x.min() > 0; auto safeX = torch::where(condition, x, 1); y = torch::where(condition, torch::log(safeX), y);
  // CHECK: note: verified:
  // CHECK: note: an arm that is not taken computes with safe values
  // FIXED-LABEL: Tensor repaired
  // FIXED: {{^}}  y = torch::where(condition, torch::log(safeX), y);
  return y;
}

// An op that costs more than the wait: the user's choice.
Tensor expensive(Tensor x, Tensor w) {
  if ((x.sum() > 0).item<bool>()) x = x.matmul(w).matmul(w);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified, where {{.*}} and running 'matmul' in either case costs less than the wait:
  return x;
}

// ---- refusals name what stands in the way

Tensor effects(Tensor x) {
  if ((x.sum() > 0).item<bool>()) log_metrics(x);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: :[[@LINE-2]]:35: note: no fix: 'log_metrics' may have side effects
  return x;
}
// CHECK: {{^}}{{[0-9]+}} warnings
