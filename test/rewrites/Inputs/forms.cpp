// The forms in which branches stand in models, losses and optimizers, each with the rewrite that keeps its meaning and with
// those that nearly do.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

using torch::Tensor;
using torch::indexing::Slice;

namespace one_armed {
Tensor before(Tensor u, Tensor v) {
  u = u + 33;
  auto total = u.sum();
  if ((total < 0).item<bool>()) u = u + 55;
  return u + v;
}
Tensor chosen(Tensor u, Tensor v) {  // tested
  u = u + 33;
  u = torch::where(u.sum() < 0, u + 55, u);
  return u + v;
}
Tensor added(Tensor u, Tensor v) {  // tested
  u = u + 33;
  return u + torch::where(u.sum() < 0, 55, 0) + v;
}
Tensor before_it(Tensor u, Tensor v) {  // refuted:
  auto total = u.sum();
  u = u + 33;
  u = torch::where(total < 0, u + 55, u);
  return u + v;
}
}  // namespace one_armed

namespace chain {
Tensor before(Tensor x) {
  if ((x.sum() > 1).item<bool>()) x = x * 2;
  else if ((x.sum() < -1).item<bool>()) x = x + 3;
  else x = -x;
  return x;
}
Tensor nested(Tensor x) { return torch::where(x.sum() > 1, x * 2, torch::where(x.sum() < -1, x + 3, -x)); }  // tested
Tensor reversed(Tensor x) { return torch::where(x.sum() < -1, x + 3, torch::where(x.sum() > 1, x * 2, -x)); }  // tested
Tensor in_turn(Tensor x) {  // refuted:
  x = torch::where(x.sum() > 1, x * 2, x);
  return torch::where(x.sum() < -1, x + 3, -x);
}
}  // namespace chain

namespace several {
Tensor before(Tensor x, Tensor y) {
  if ((x.sum() > 1).item<bool>()) {
    auto t = x + 1;
    x = t * -2;
    y = y + t;
  } else {
    y = -y;
  }
  return x * 3 + y.sum();
}
Tensor hoisted(Tensor x, Tensor y) {  // conditional: 'x' and 'y' have the same shape
  auto condition = x.sum() > 1;
  auto t = x + 1;
  x = torch::where(condition, t * -2, x);
  y = torch::where(condition, y + t, -y);
  return x * 3 + y.sum();
}
Tensor again(Tensor x, Tensor y) {  // refuted:
  auto t = x + 1;
  x = torch::where(x.sum() > 1, t * -2, x);
  y = torch::where(x.sum() > 1, y + t, -y);
  return x * 3 + y.sum();
}
}  // namespace several

namespace conditions {
Tensor before(Tensor x, Tensor y) {
  if ((x.sum() > 0).item<bool>() || !(y.sum() > 1).item<bool>()) x = x + 1;
  return x;
}
Tensor logical(Tensor x, Tensor y) {  // tested
  return torch::where(torch::logical_or(x.sum() > 0, torch::logical_not(y.sum() > 1)), x + 1, x);
}
Tensor bitwise(Tensor x, Tensor y) { return torch::where((x.sum() > 0) | ~(y.sum() > 1), x + 1, x); }  // tested
Tensor turned(Tensor x, Tensor y) { return torch::where((x.sum() > 0) | (y.sum() <= 1), x + 1, x); }  // refuted: nan
Tensor both(Tensor x, Tensor y) { return torch::where((x.sum() > 0) & ~(y.sum() > 1), x + 1, x); }  // refuted:
}  // namespace conditions

namespace by_case {
Tensor before(Tensor x) {
  switch (x.argmax().item<int64_t>()) {
    case 0: return x;
    case 1: return x + 1;
    default: return -x;
  }
}
Tensor chosen(Tensor x) {  // tested
  auto best = x.argmax();
  return torch::where(best == 0, x, torch::where(best == 1, x + 1, -x));
}
Tensor bounded(Tensor x) {  // refuted:
  auto best = x.argmax();
  return torch::where(best == 0, x, torch::where(best >= 1, x + 1, -x));
}
}  // namespace by_case

namespace division_guard {
Tensor before(Tensor weight, Tensor update) {
  torch::NoGradGuard off;
  auto w = weight.norm(), u = update.norm();
  Tensor ratio = torch::ones_like(w);
  if (w.item<float>() > 0 && u.item<float>() > 0) ratio = w / u;
  return update * ratio;
}
Tensor chosen(Tensor weight, Tensor update) {  // conditional:
  // equal: a detached arm in step 13
  // equal: another detached arm in step 13
  torch::NoGradGuard off;
  auto w = weight.norm(), u = update.norm();
  return update * torch::where(torch::logical_and(w > 0, u > 0), w / u, torch::ones_like(w));
}
Tensor epsilon(Tensor weight, Tensor update) {  // refuted:
  torch::NoGradGuard off;
  auto w = weight.norm(), u = update.norm();
  return update * torch::where(w > 0, w / (u + 1e-12), torch::ones_like(w));
}
}  // namespace division_guard

namespace clip {
Tensor before(Tensor x) {
  auto norm = x.norm();
  if ((norm > 4).item<bool>()) x = x * (4 / norm);
  return x;
}
Tensor safe(Tensor x) {  // conditional: 'x' is finite
  // equal: a number 1 off in step 6
  // equal: a number -1 off in step 6
  // equal: the first arm always in step 7
  // equal: a number 1 off in step 9
  // equal: a number -1 off in step 9
  auto norm = x.norm();
  auto large = norm > 4;
  return torch::where(large, torch::where(large, x, 1) * (4 / torch::where(large, norm, 1)), x);
}
Tensor clamped(Tensor x) { return x * (4 / x.norm()).clamp_max(1); }  // refuted:
Tensor plain(Tensor x) { return torch::where(x.norm() > 4, x * (4 / x.norm()), x); }  // refuted: the gradient of x is
}  // namespace clip

namespace empty_mask {
Tensor before(Tensor x, Tensor mask) {
  if (mask.any().item<bool>()) x = x.masked_fill(mask, 0);
  return x;
}
Tensor always(Tensor x, Tensor mask) { return x.masked_fill(mask, 0); }  // conditional:
Tensor inverted(Tensor x, Tensor mask) { return x.masked_fill(torch::logical_not(mask), 0); }  // refuted:
}  // namespace empty_mask

namespace peak {
Tensor before(Tensor h) {
  const float peak = h.max().item<float>();
  return h - peak;
}
Tensor cut(Tensor h) { return h - h.max().detach(); }  // conditional: the tensors are float32, float16 or bfloat16
Tensor joined(Tensor h) { return h - h.max(); }  // refuted: the gradient of h is
}  // namespace peak

namespace early {
Tensor before(Tensor x) {
  if ((x.sum() > 1).item<bool>()) return x;
  auto y = x + 1;
  y = y * 2;
  return y - x;
}
Tensor late(Tensor x) {  // tested
  auto early = x.sum() > 1;
  auto y = x + 1;
  y = y * 2;
  return torch::where(early, x, y - x);
}
Tensor other(Tensor x) {  // refuted:
  auto y = x + 1;
  y = y * 2;
  return torch::where(y.sum() > 1, x, y - x);
}
}  // namespace early

namespace slices {
Tensor before(Tensor x) {
  auto head = x.index({Slice(0, 1)});
  if ((head.sum() > 0).item<bool>()) head = head * 2;
  return torch::cat({head, x.index({Slice(1)})}, 0);
}
Tensor chosen(Tensor x) {  // tested
  // equal: a number 1 off in step 4
  auto head = x.index({Slice(0, 1)});
  head = torch::where(head.sum() > 0, head * 2, head);
  return torch::cat({head, x.index({Slice(1)})}, 0);
}
Tensor shifted(Tensor x) {  // refuted:
  auto head = x.index({Slice(0, 1)});
  head = torch::where(head.sum() > 0, head * 2, head);
  return torch::cat({head, x.index({Slice(0)})}, 0);
}
}  // namespace slices

namespace host_arithmetic {
Tensor before(Tensor x, double gain) {
  int steps = 3;
  steps += 2;
  double scale = std::sqrt(std::abs(gain)) / steps;
  if ((x.sum() > 0).item<bool>()) x = x + std::min(scale, 2.0);
  return x;
}
Tensor chosen(Tensor x, double gain) {  // conditional: floating point
  double scale = std::min(std::sqrt(std::fabs(gain)) / 5, 2.0);
  return torch::where(x.sum() > 0, x + scale, x);
}
Tensor integers(Tensor x, double gain) {  // refuted:
  double scale = std::min(std::sqrt(std::fabs(gain)) / 4, 2.0);
  return torch::where(x.sum() > 0, x + scale, x);
}
}  // namespace host_arithmetic

namespace weighted_loss {
Tensor before(Tensor prediction, Tensor target) {
  auto error = (prediction - target).abs();
  if ((error.max() < 1).item<bool>()) return (error * error).sum();
  return error.sum();
}
Tensor chosen(Tensor prediction, Tensor target) {  // conditional:
  // equal: operands swapped in step 1
  auto error = (prediction - target).abs();
  return torch::where(error.max() < 1, (error * error).sum(), error.sum());
}
Tensor each(Tensor prediction, Tensor target) {  // refuted:
  auto error = (prediction - target).abs();
  return torch::where(error < 1, error * error, error).sum();
}
}  // namespace weighted_loss
