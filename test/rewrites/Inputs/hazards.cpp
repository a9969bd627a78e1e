// Why `if (c) a else b` is not `torch::where(c, a, b)`: a namespace for each hazard that C++ source can show, with wrong
// rewrites, which are refuted, and a right one.
#include <torch/torch.h>

using torch::Tensor;

// The gradient of the arm that is not taken: 0 * inf.
namespace HZ1_logarithm {
Tensor before(Tensor x) {
  if ((x.min() > 0).item<bool>()) return torch::log(x);
  return x * 2;
}
Tensor plain(Tensor x) { return torch::where(x.min() > 0, torch::log(x), x * 2); }  // refuted: the gradient of x is nan instead of 2
Tensor masked(Tensor x) { return torch::log(x).masked_fill(x.min() <= 0, 0) + torch::where(x.min() > 0, 0, x * 2); }  // refuted: the gradient of x is nan
Tensor clamped(Tensor x) { return torch::where(x.min() > 0, torch::log(x.clamp_min(1e-3)), x * 2); }  // refuted: the result
Tensor safe(Tensor x) {  // conditional: the tensors are floating point
  // equal: a number 1 off in step 5
  // equal: a number -1 off in step 5
  auto positive = x.min() > 0;
  return torch::where(positive, torch::log(torch::where(positive, x, 1)), x * 2);
}
}  // namespace HZ1_logarithm

namespace HZ1_root {
Tensor before(Tensor x) {
  Tensor y = torch::zeros_like(x);
  if ((x.min() > 0).item<bool>()) y = torch::sqrt(x);
  return y;
}
Tensor plain(Tensor x) { return torch::where(x.min() > 0, torch::sqrt(x), 0); }  // refuted: the gradient of x is
Tensor product(Tensor x) { return torch::sqrt(x) * (x.min() > 0); }  // refuted: instead of 0
}  // namespace HZ1_root

namespace HZ1_quotient {
Tensor before(Tensor x, Tensor n) {
  if ((n != 0).item<bool>()) return x / n;
  return x;
}
Tensor plain(Tensor x, Tensor n) { return torch::where(n != 0, x / n, x); }  // refuted: the gradient of
Tensor epsilon(Tensor x, Tensor n) { return torch::where(n != 0, x / (n + 1e-8), x); }  // refuted: instead of
}  // namespace HZ1_quotient

// A parameter that only one arm uses: no gradient becomes zeros, which weight decay does not ignore.
namespace HZ2_parameter {
struct Gated : torch::nn::Module {
  Tensor weight, bias;
  Tensor before(Tensor x) {
    if ((x.sum() > 0).item<bool>()) return x * weight;
    return x;
  }
  Tensor plain(Tensor x) { return torch::where(x.sum() > 0, x * weight, x); }  // refuted: the gradient of weight is
  Tensor safe(Tensor x) { return torch::where(x.sum() > 0, x * torch::where(x.sum() > 0, weight, 1), x); }  // refuted: the gradient of weight is
  Tensor detached(Tensor x) { return torch::where(x.sum() > 0, x * weight.detach(), x); }  // refuted: the gradient of
};
}  // namespace HZ2_parameter

// Exceptions that get lost, or that come.
namespace HZ3_check {
Tensor before(Tensor x) {
  TORCH_CHECK((x.min() > 0).item<bool>(), "x must be positive");
  return x * 2;
}
Tensor dropped(Tensor x) { return x * 2; }  // refuted: the rewrite does not throw
Tensor masked(Tensor x) { return torch::where(x.min() > 0, x * 2, 0); }  // refuted: the rewrite does not throw
Tensor looser(Tensor x) {  // refuted: the rewrite does not throw
  TORCH_CHECK((x.min() >= 0).item<bool>(), "x must be positive");
  return x * 2;
}
}  // namespace HZ3_check

namespace HZ3_remainder {
Tensor before(Tensor x, Tensor n) {
  if ((n > 0).item<bool>()) return x.remainder(n);
  return x;
}
Tensor plain(Tensor x, Tensor n) { return torch::where(n > 0, x.remainder(n), x); }  // refuted:
}  // namespace HZ3_remainder

// A write to a member is a result.
namespace HZ4_member {
struct Counter : torch::nn::Module {
  Tensor seen;
  int64_t calls = 0;
  Tensor before(Tensor x) {
    if ((x.sum() > 0).item<bool>()) seen = x;
    return x * 2;
  }
  Tensor plain(Tensor x) {  // refuted: the gradient of seen
    seen = torch::where(x.sum() > 0, x, seen);
    return x * 2;
  }
  Tensor cut(Tensor x) {  // refuted: the gradient of seen
    seen = torch::where(x.sum() > 0, x, seen.detach());
    return x * 2;
  }
  Tensor elsewhere(Tensor x) {  // refuted: seen
    seen = torch::where(x.sum() > 0, x, seen);
    return x * 2;
  }
  Tensor always(Tensor x) {  // refuted: seen
    seen = x;
    return x * 2;
  }
  Tensor never(Tensor x) { return x * 2; }  // refuted: the number of results
};
}  // namespace HZ4_member

namespace HZ4_statistics {
struct Tracker : torch::nn::Module {
  Tensor largest = register_buffer("largest", torch::zeros({}));
  Tensor before(Tensor x) {
    torch::NoGradGuard off;
    auto peak = x.max();
    if ((peak > largest).item<bool>()) largest = peak;
    return x / 2;
  }
  Tensor chosen(Tensor x) {  // refuted: the shape of largest is [1] instead of []
    torch::NoGradGuard off;
    auto peak = x.max();
    largest = torch::where((peak > largest).reshape({}), peak, largest);
    return x / 2;
  }
  Tensor nan(Tensor x) {  // refuted: largest
    torch::NoGradGuard off;
    largest = torch::maximum(largest, x.max());
    return x / 2;
  }
};
}  // namespace HZ4_statistics

// A write in place: what else shares the memory changes too.
namespace HZ6_alias {
Tensor before(Tensor x) {
  Tensor y = x;
  if ((x.sum() > 0).item<bool>()) y = x * 2;
  y.add_(1);
  return y;
}
Tensor plain(Tensor x) {  // refuted: afterwards x is
  Tensor y = torch::where(x.sum() > 0, x * 2, x);
  y.add_(1);
  return y;
}
Tensor copied(Tensor x) {  // refuted: afterwards x is
  Tensor y = torch::where(x.sum() > 0, x * 2, x).clone();
  y.add_(1);
  return y;
}
}  // namespace HZ6_alias

namespace HZ6_write {
Tensor before(Tensor x) {
  if ((x.sum() > 0).item<bool>()) x.mul_(2);
  return x;
}
Tensor rebound(Tensor x) { return torch::where(x.sum() > 0, x * 2, x); }  // refuted: afterwards x is
Tensor always(Tensor x) { return x.mul_(2); }  // refuted:
Tensor written(Tensor x) {  // conditional: no backward pass to come needs 'x' as it was
  x.copy_(torch::where(x.sum() > 0, x * 2, x));
  return x;
}
}  // namespace HZ6_write

// Arms of different dtypes.
namespace HZ7_literal {
Tensor before(Tensor x) {
  if ((x.sum() > 0).item<bool>()) return x * 0.5;
  return x;
}
Tensor plain(Tensor x) { return torch::where(x.sum() > 0, x * 0.5, x); }  // conditional: the tensors are floating point
Tensor wide(Tensor x) { return torch::where(x.sum() > 0, x.to(torch::kDouble) * 0.5, x); }  // refuted: the dtype
Tensor half(Tensor x) { return torch::where(x.sum() > 0, (x * 0.5).to(torch::kHalf), x.to(torch::kHalf)); }  // refuted: the dtype
}  // namespace HZ7_literal

// A shape of the condition, or of an arm, that broadcasts.
namespace HZ8_rank {
Tensor before(Tensor x) {
  if ((x.sum() > 0).item<bool>()) return x.sum();
  return x.mean();
}
Tensor kept(Tensor x) { return torch::where(x.sum() > 0, x.sum(0, /*keepdim=*/true), x.mean()); }  // refuted:
Tensor reshaped(Tensor x) { return torch::where((x.sum() > 0).reshape({1}), x.sum(), x.mean()); }  // refuted: the shape
Tensor expanded(Tensor x) { return torch::where(x > 0, x.sum(), x.mean()); }  // refuted: the shape
Tensor right(Tensor x) { return torch::where(x.sum() > 0, x.sum(), x.mean()); }  // conditional: the tensors are floating point
}  // namespace HZ8_rank

// item() of several elements throws.
namespace HZ9_element {
Tensor before(Tensor c, Tensor x) {
  if ((c > 0).item<bool>()) return -x;
  return x;
}
Tensor plain(Tensor c, Tensor x) { return torch::where(c > 0, -x, x); }  // refuted:
Tensor all(Tensor c, Tensor x) { return torch::where((c > 0).all(), -x, x); }  // refuted: the rewrite does not throw
Tensor any(Tensor c, Tensor x) { return torch::where((c > 0).any(), -x, x); }  // refuted: the rewrite does not throw
Tensor single(Tensor c, Tensor x) { return torch::where((c > 0).reshape({}), -x, x); }  // tested
}  // namespace HZ9_element

// The host compares a float as a double.
namespace HZ10_tenth {
Tensor before(Tensor x) {
  if (x.sum().item<double>() > 0.1) return -x;
  return x;
}
Tensor plain(Tensor x) { return torch::where(x.sum() > 0.1, -x, x); }  // refuted: at x = 0.1
Tensor narrow(Tensor x) { return torch::where(x.sum().to(torch::kFloat) > 0.1, -x, x); }  // refuted: at x = 0.1
Tensor wide(Tensor x) { return torch::where(x.sum().to(torch::kDouble) > 0.1, -x, x); }  // tested
}  // namespace HZ10_tenth

namespace HZ10_truncation {
Tensor before(Tensor x) {
  if (x.sum().item<int>() > 0) return -x;
  return x;
}
Tensor plain(Tensor x) { return torch::where(x.sum() > 0, -x, x); }  // refuted:
Tensor cut(Tensor x) { return torch::where(x.sum().trunc() > 0, -x, x); }  // refuted: the rewrite does not throw
Tensor floored(Tensor x) { return torch::where(x.sum().floor() > 0, -x, x); }  // refuted:
}  // namespace HZ10_truncation

// NaN is neither greater nor not greater.
namespace HZ11_nan {
Tensor before(Tensor x) {
  if (!(x.sum() > 0).item<bool>()) return -x;
  return x;
}
Tensor turned(Tensor x) { return torch::where(x.sum() <= 0, -x, x); }  // refuted: nan
Tensor swapped(Tensor x) { return torch::where(x.sum() < 0, -x, x); }  // refuted:
Tensor negated(Tensor x) { return torch::where(torch::logical_not(x.sum() > 0), -x, x); }  // tested
}  // namespace HZ11_nan

// item<T>() throws for what T cannot hold.
namespace HZ12_overflow {
Tensor before(Tensor x) {
  if (x.sum().item<int64_t>() >= 3) return -x;
  return x;
}
Tensor plain(Tensor x) { return torch::where(x.sum() >= 3, -x, x); }  // refuted: the rewrite does not throw
Tensor cast(Tensor x) { return torch::where(x.sum().to(torch::kLong) >= 3, -x, x); }  // refuted: the rewrite does not throw
}  // namespace HZ12_overflow

// The second operand of && runs only if the first holds.
namespace HZ14_short_circuit {
Tensor before(Tensor x, Tensor c) {
  if (c.numel() == 1 && (c > 0).item<bool>()) return -x;
  return x;
}
Tensor both(Tensor x, Tensor c) { return torch::where((c > 0).reshape({}), -x, x); }  // refuted: the rewrite throws
Tensor first(Tensor x, Tensor c) { return c.numel() == 1 ? -x : x; }  // refuted:
Tensor guarded(Tensor x, Tensor c) { return c.numel() == 1 ? torch::where((c > 0).reshape({}), -x, x) : x; }  // tested
}  // namespace HZ14_short_circuit

// How often a loop runs.
namespace HZ16_rounds {
Tensor before(Tensor x) {
  for (int i = 0; i < 3; ++i)
    if ((x.sum() < 8).item<bool>()) x = x + x;
  return x;
}
Tensor unrolled(Tensor x) {  // tested
  // equal: a number -1 off in step 2
  // equal: a number -1 off in step 8
  for (int i = 0; i < 3; ++i) x = torch::where(x.sum() < 8, x + x, x);
  return x;
}
Tensor once(Tensor x) { return torch::where(x.sum() < 8, x + x, x); }  // refuted:
Tensor four(Tensor x) {  // refuted:
  for (int i = 0; i < 4; ++i) x = torch::where(x.sum() < 8, x + x, x);
  return x;
}
Tensor always(Tensor x) {  // refuted:
  for (int i = 0; i < 3; ++i) x = x + x;
  return x;
}
}  // namespace HZ16_rounds

// An undefined tensor.
namespace HZ17_undefined {
Tensor before(Tensor x, Tensor mask) {
  Tensor scale;
  if ((x.sum() > 0).item<bool>()) scale = x * 2;
  return scale.defined() ? x + scale : x;
}
Tensor plain(Tensor x, Tensor mask) { return torch::where(x.sum() > 0, x + x * 2, x); }  // tested
Tensor always(Tensor x, Tensor mask) { return x + x * 2; }  // refuted:
Tensor never(Tensor x, Tensor mask) { return x; }  // refuted:
}  // namespace HZ17_undefined

// The selected values are the same bits.
namespace HZ20_bits {
Tensor before(Tensor x) {
  if ((x.sum() > 0).item<bool>()) return x * 3;
  return x;
}
Tensor product(Tensor x) {  // refuted:
  auto hot = (x.sum() > 0).to(x.dtype());
  return x * 3 * hot + x * (1 - hot);
}
Tensor added(Tensor x) { return x + torch::where(x.sum() > 0, x * 2, 0); }  // refuted:
Tensor picked(Tensor x) { return torch::where(x.sum() > 0, x * 3, x); }  // tested
}  // namespace HZ20_bits

// A number that was read has no gradient.
namespace HZ21_cut {
Tensor before(Tensor x, Tensor y) {
  return y * x.sum().item<float>();
}
Tensor joined(Tensor x, Tensor y) { return y * x.sum(); }  // refuted: the gradient of x is
Tensor halfway(Tensor x, Tensor y) { return y.detach() * x.sum(); }  // refuted: the gradient of
Tensor copied(Tensor x, Tensor y) { return y * x.sum().clone(); }  // refuted: the gradient of x is
}  // namespace HZ21_cut

// Without gradients in one arm only.
namespace HZ22_guard {
Tensor before(Tensor x, Tensor w) {
  Tensor y = x * w;
  if ((x.sum() > 0).item<bool>()) {
    torch::NoGradGuard off;
    y = x * 2;
  }
  return y;
}
Tensor plain(Tensor x, Tensor w) { return torch::where(x.sum() > 0, x * 2, x * w); }  // refuted: the gradient of
Tensor guarded(Tensor x, Tensor w) {  // refuted: the gradient of
  Tensor y = x * w;
  torch::NoGradGuard off;
  return torch::where(x.sum() > 0, x * 2, y);
}
}  // namespace HZ22_guard

// A bool, or an integer, where a number was.
namespace HZ23_mask {
Tensor before(Tensor x) {
  if ((x.sum() > 0).item<bool>()) return x > 0;
  return x < 0;
}
Tensor numbers(Tensor x) { return torch::where(x.sum() > 0, (x > 0).to(torch::kLong), (x < 0).to(torch::kLong)); }  // refuted: the dtype
Tensor mixed(Tensor x) { return torch::where(x.sum() > 0, x > 0, torch::zeros_like(x)); }  // refuted:
Tensor negated(Tensor x) { return torch::where(x.sum() > 0, x > 0, torch::logical_not(x > 0)); }  // refuted:
Tensor right(Tensor x) {  // tested
  // equal: a detached arm in step 8
  // equal: another detached arm in step 8
  return torch::where(x.sum() > 0, x > 0, x < 0);
}
}  // namespace HZ23_mask

// Nicer ops have another gradient at the tie.
namespace HZ24_tie {
Tensor before(Tensor x) {
  if ((x < 0).item<bool>()) return torch::zeros_like(x);
  return x;
}
Tensor rectified(Tensor x) { return torch::relu(x.reshape({})).reshape_as(x); }  // not lowered:
Tensor clamped(Tensor x) { return torch::where((x < 0).reshape({}), x, x).clamp_min(0); }  // refuted: the gradient of x is
Tensor highest(Tensor x) { return torch::where((x < 0).reshape({}), torch::maximum(x, torch::zeros_like(x)), torch::maximum(x, torch::zeros_like(x))); }  // refuted: the gradient of x is
Tensor picked(Tensor x) { return torch::where((x < 0).reshape({}), 0, x); }  // tested
}  // namespace HZ24_tie
