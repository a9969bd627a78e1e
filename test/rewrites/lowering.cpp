// RUN: expect 1 torch-tidy --checks=host-branch %s -- %torch-flags | FileCheck %s --implicit-check-not=warning:
// REQUIRES: torch
// What the code around a branch is lowered to: each function has one branch on a tensor, and something else that must be
// understood for the verdict. What is not understood must be named.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

using torch::Tensor;
using torch::indexing::None;
using torch::indexing::Slice;

Tensor doubled(const Tensor& t) { return t * 2; }
Tensor chosen(Tensor t, bool negate) {
  if (negate) return -t;
  t = t + 1;
  return t * 3;
}
void shift(Tensor& t, double by) { t = t + by; }
int64_t last(const Tensor& t) { return t.dim() - 1; }
Tensor unknown(Tensor t);

// ---- functions, methods and lambdas of this file

Tensor inlined_function(Tensor x) {
  if ((x.sum() > 0).item<bool>()) x = doubled(x);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: x = torch::where(x.sum() > 0, doubled(x), x);
  // CHECK: note: verified:
  return x;
}

Tensor inlined_early_return(Tensor x) {
  if ((x.sum() > 0).item<bool>()) x = chosen(x, true) + chosen(x, false);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: x = torch::where(x.sum() > 0, chosen(x, true) + chosen(x, false), x);
  // CHECK: note: verified:
  return x;
}

Tensor inlined_reference(Tensor x) {
  shift(x, 0.5);
  if ((x.sum() > 0).item<bool>()) x = x * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: x = torch::where(x.sum() > 0, x * 2, x);
  // CHECK: note: verified
  return x.sum(last(x) - last(x));
}

Tensor lambda_in_place(Tensor x) {
  auto scaled = [&](int by) { return x * by; };
  if ((x.sum() > 0).item<bool>()) x = scaled(2) + [&] { return x + 1; }();
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified
  return x;
}

Tensor not_inlined(Tensor x) {
  if ((x.sum() > 0).item<bool>()) x = unknown(x);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: :[[@LINE-2]]:39: note: no fix: 'unknown(x)' is not modelled: it may have side effects
  return x;
}

Tensor endless(Tensor x) { return endless(x); }
Tensor not_recursive(Tensor x) {
  if ((x.sum() > 0).item<bool>()) x = endless(x);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: no fix: 'endless(x)' is not modelled: it may have side effects
  return x;
}

// ---- loops that are unrolled

Tensor counted_loop(Tensor x) {
  if ((x.sum() > 0).item<bool>()) x = x * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified
  for (int i = 0; i < 3; ++i) x = x * (i + 1) + i;
  for (int64_t i = 4; i > 0; i -= 2) x = x - i;
  for (const Tensor& t : {x, x.abs()}) x = x + t;
  return x;
}

Tensor uncounted_loop(Tensor x, int n) {
  if ((x.sum() > 0).item<bool>()) x = x * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified
  for (int i = 0; i < n; ++i) x = x * 2;
  return x;
}

Tensor writing_loop(Tensor x, int n) {
  if ((x.sum() > 0).item<bool>()) x = x * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: no fix: 'x[i] = 0' writes in place to a tensor that may share its memory with a result
  for (int i = 0; i < n; ++i) x[i] = 0;
  return x;
}

// ---- statements

Tensor switched(Tensor x, int64_t mode) {
  switch (mode) {
    case 0: x = x * 2; break;
    case 1:
    case 2: x = x.abs(); break;
    default: x = x + 1;
  }
  if ((x.sum() > 0).item<bool>()) x = -x;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified
  return x;
}

Tensor bound(Tensor x) {
  auto [top, where] = x.max(0);
  auto lowest = x.min(0);
  if ((top.sum() > 0).item<bool>()) top = top * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: top = torch::where(top.sum() > 0, top * 2, top);
  // CHECK: note: verified
  return top + where + std::get<0>(lowest);
}

Tensor host_numbers(Tensor x, double gain) {
  int n = 3;
  n += 2;
  ++n;
  double scale = std::sqrt(gain * gain + 1) / n;
  scale *= std::max(gain, 2.0);
  if ((x.sum() > 0).item<bool>()) x = x * scale;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified, where the tensors are floating point and 'gain' is finite and far from overflow:
  return x;
}

Tensor guarded(Tensor x, Tensor w) {
  Tensor y = x;
  {
    torch::NoGradGuard off;
    y = x * w;
  }
  torch::AutoGradMode mode(true);
  if ((x.sum() > 0).item<bool>()) y = y * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified
  return y * w;
}

// ---- calls

Tensor indices(Tensor x) {
  Tensor y = x.index({Slice(0, 1)}) + x.index({"...", Slice(None, 1)}) + x.slice(0, c10::nullopt, 1);
  if ((y.sum() > 0).item<bool>()) y = y.index({Slice(), None}) * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: no fix: where(y.sum() > 0, y.index({Slice(), None}) * 2, y) differs:
  return y;
}

Tensor masks(Tensor x, Tensor mask) {
  x = x.masked_fill(mask, 0.5);
  if ((x.sum() > 0).item<bool>()) x = x * 2;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified
  return x.index({mask}).sum();
}

// A flag that is no `keepdim` is part of the meaning: the biased deviation of one element is 0, not NaN.
Tensor deviation(Tensor x) {
  Tensor spread = x.std(/*unbiased=*/false);
  if ((spread > 0).item<bool>()) x = x + 1;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: x = torch::where(spread > 0, x + 1, x);
  // CHECK: note: verified
  return x;
}

Tensor options(Tensor x, Tensor like) {
  if ((x.sum() > 0).item<bool>()) x = x + torch::full({}, 0.5, x.options()) + torch::zeros_like(x) + like.to(x.dtype());
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified
  return x.to(x.device());
}

Tensor layers(Tensor x, torch::nn::Tanh act, torch::nn::BatchNorm1d norm) {
  if ((x.sum() > 0).item<bool>()) x = act(x);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified, where {{.*}} 'x' is finite:
  if ((x.sum() < 0).item<bool>()) x = norm(x);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: no fix: 'norm(x)' updates running statistics
  return x;
}

// ---- random numbers: drawn once by the condition in either form; never in an arm

Tensor drawn_condition(Tensor x) {
  if (torch::rand({1}).item<float>() < 0.5f) x = -x;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: x = torch::where(torch::rand({1}).reshape({}) < 0.5f, -x, x);
  // CHECK: note: verified
  return x;
}

Tensor drawn_arm(Tensor x) {
  if ((x.sum() > 0).item<bool>()) x = x * torch::rand_like(x);
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: no fix: 'torch::rand_like(x)' draws random numbers: the rewrite would draw them in either case
  return x;
}

// ---- what a comment says of a variable

Tensor narrowed(Tensor x) {
  // torch-tidy: x: floating
  if ((x.sum() > 0).item<bool>()) x = x * 0.5;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: note: verified: the rewrite gives the same values, shapes, dtypes and gradients on {{[0-9]+}} inputs (float32, float64, float16, bfloat16)
  return x;
}

struct Constant : torch::nn::Module {
  Tensor gain;
  Tensor forward(Tensor x) {
    // torch-tidy: gain: requires_grad=false
    if ((x.sum() > 0).item<bool>()) x = x + gain;
    // CHECK: :[[@LINE-1]]:5: warning:
    // CHECK: note: verified, where 'x' and 'gain' have the same shape:
    return x;
  }
};

Tensor misspelt(Tensor x) {
  // torch-tidy: x: float23
  if ((x.sum() > 0).item<bool>()) x = x + 1;
  // CHECK: :[[@LINE-1]]:3: warning:
  // CHECK: :[[@LINE-3]]:3: note: no fix: 'float23' is neither a dtype, 'floating' nor 'requires_grad=false'
  return x;
}
