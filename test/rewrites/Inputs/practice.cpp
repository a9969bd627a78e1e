// Branches as optimizers, losses, layers and transforms have them, each with rewrites that hold and rewrites that do not.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

using torch::Tensor;

// A rescale of what has become too large.
namespace image_range {
Tensor before(Tensor image) {
  if ((image.max() > 1).item<bool>()) image = image / 255;
  return image;
}
Tensor chosen(Tensor image) { return torch::where(image.max() > 1, image / 255, image); }  // conditional: floating
Tensor divisor(Tensor image) { return image / torch::where(image.max() > 1, 255, 1); }  // conditional:
Tensor each(Tensor image) { return torch::where(image > 1, image / 255, image); }  // refuted:
Tensor inclusive(Tensor image) { return torch::where(image.max() >= 1, image / 255, image); }  // refuted: at image = 1
Tensor factor(Tensor image) { return image * torch::where(image.max() > 1, 1.0 / 255, 1.0); }  // refuted:
}  // namespace image_range

// The rescale in place.
namespace image_in_place {
Tensor before(Tensor image) {
  if ((image.max() > 1).item<bool>()) image.mul_(2);
  return image;
}
Tensor copied(Tensor image) {  // conditional: no backward pass to come needs 'image' as it was
  image.copy_(torch::where(image.max() > 1, image * 2, image));
  return image;
}
Tensor factor(Tensor image) {  // conditional: no backward pass to come needs 'image' as it was
  image.mul_(torch::where(image.max() > 1, 2, 1));
  return image;
}
Tensor elsewhere(Tensor image) { return torch::where(image.max() > 1, image * 2, image); }  // refuted: afterwards image is
}  // namespace image_in_place

// A width that must not be zero.
namespace bin_width {
Tensor before(Tensor low, Tensor high) {
  auto width = (high - low) / 8;
  if ((width < 1e-3).item<bool>()) width = torch::full_like(width, 1e-3);
  return high / width;
}
Tensor chosen(Tensor low, Tensor high) {  // tested
  auto width = (high - low) / 8;
  return high / torch::where((width < 1e-3).reshape({}), 1e-3, width);
}
Tensor shifted(Tensor low, Tensor high) {  // refuted:
  auto width = (high - low) / 8 + 1e-3;
  return high / width;
}
}  // namespace bin_width

// The mean of what is kept, where something is kept.
namespace kept_mean {
Tensor before(Tensor loss, Tensor keep) {
  auto kept = keep.sum();
  if ((kept > 0).item<bool>()) return (loss * keep).sum() / kept;
  return loss.sum() * 0;
}
Tensor plain(Tensor loss, Tensor keep) {  // refuted: the gradient of
  auto kept = keep.sum();
  return torch::where(kept > 0, (loss * keep).sum() / kept, loss.sum() * 0);
}
Tensor safe(Tensor loss, Tensor keep) {  // conditional:
  // equal: a number 1 off in step 8
  // equal: another detached arm in step 14
  auto kept = keep.sum();
  auto any = kept > 0;
  return torch::where(any, (loss * keep).sum() / torch::where(any, kept, 1), loss.sum() * 0);
}
Tensor bounded(Tensor loss, Tensor keep) {  // refuted:
  auto kept = keep.sum();
  return (loss * keep).sum() / kept.clamp_min(1);
}
}  // namespace kept_mean

// A regulariser that is added only if there is one.
namespace regulariser {
Tensor before(Tensor loss, Tensor importance) {
  if (importance.sum().item<float>() > 0) loss = loss + importance.sum();
  return loss;
}
Tensor chosen(Tensor loss, Tensor importance) { return torch::where(importance.sum() > 0, loss + importance.sum(), loss); }  // conditional: the tensors are float32
Tensor always(Tensor loss, Tensor importance) { return loss + importance.sum(); }  // refuted:
Tensor rectified(Tensor loss, Tensor importance) { return loss + torch::relu(importance.sum()); }  // refuted:
}  // namespace regulariser

// Trust ratio in numbers.
namespace trust_ratio {
Tensor before(Tensor p, Tensor update) {
  double weights = p.norm().item<double>(), step = update.norm().item<double>();
  double ratio = 1;
  if (weights > 0 && step > 0) ratio = weights / step;
  return p - update * ratio;
}
Tensor tensors(Tensor p, Tensor update) {  // conditional: the tensors have dimensions
  // equal: a detached arm in step 16
  auto weights = p.norm().to(torch::kDouble).detach(), step = update.norm().to(torch::kDouble).detach();
  auto ratio = torch::where(torch::logical_and(weights > 0, step > 0), weights / step, 1.0);
  return p - update * ratio;
}
Tensor joined(Tensor p, Tensor update) {  // refuted: the gradient of
  auto weights = p.norm().to(torch::kDouble), step = update.norm().to(torch::kDouble);
  auto ratio = torch::where(torch::logical_and(weights > 0, step > 0), weights / step, 1.0);
  return p - update * ratio;
}
Tensor either(Tensor p, Tensor update) {  // refuted:
  auto weights = p.norm().to(torch::kDouble).detach(), step = update.norm().to(torch::kDouble).detach();
  auto ratio = torch::where(torch::logical_or(weights > 0, step > 0), weights / step, 1.0);
  return p - update * ratio;
}
}  // namespace trust_ratio

// A lower bound by std::max.
namespace lower_bound {
Tensor before(Tensor errors, Tensor loss) {
  float scale = std::max(errors.max().item<float>(), 0.5f);
  return loss / scale;
}
Tensor clamped(Tensor errors, Tensor loss) { return loss / errors.max().detach().clamp_min(0.5); }  // conditional: the tensors are float32
Tensor joined(Tensor errors, Tensor loss) { return loss / errors.max().clamp_min(0.5); }  // refuted:
}  // namespace lower_bound

// The same result in both arms: the branch is dead.
namespace dead {
Tensor before(Tensor x) {
  if ((x.sum() > 0).item<bool>()) return x * 2;
  return x * 2;
}
Tensor once(Tensor x) { return x * 2; }  // tested
Tensor twice(Tensor x) { return x * 4; }  // refuted:
}  // namespace dead

// The branch in a function that the model calls.
namespace called {
Tensor softened(const Tensor& t, double by) {
  if (by > 1) return t / 2;
  return t;
}
Tensor before(Tensor x) {
  if ((x.abs().max() > 3).item<bool>()) x = softened(x, 2.0);
  return softened(x, 0.5);
}
Tensor chosen(Tensor x) {  // conditional: floating
  // equal: a detached operand in step 1
  return torch::where(x.abs().max() > 3, x / 2, x);
}
Tensor halved(Tensor x) { return x / 2; }  // refuted:
}  // namespace called

// A temperature, annealed by number and by tensor.
namespace annealed {
Tensor before(Tensor logits, Tensor temperature) {
  torch::NoGradGuard off;
  if ((temperature > 0.5).item<bool>()) temperature = temperature * 0.9;
  else temperature = torch::full_like(temperature, 0.5);
  return logits + temperature;
}
Tensor chosen(Tensor logits, Tensor temperature) {  // conditional: floating
  // equal: a detached arm in step 8
  torch::NoGradGuard off;
  return logits + torch::where((temperature > 0.5).reshape({}), temperature * 0.9, 0.5);
}
Tensor bounded(Tensor logits, Tensor temperature) {  // refuted:
  torch::NoGradGuard off;
  return logits + (temperature * 0.9).clamp_min(0.5);
}
}  // namespace annealed

// Huber's loss by hand, on the whole.
namespace whole_huber {
Tensor before(Tensor x) {
  auto size = x.abs().sum();
  if ((size <= 1).item<bool>()) return size * size / 2;
  return size - 0.5;
}
Tensor chosen(Tensor x) {  // conditional:
  // equal: lt for le in step 5
  auto size = x.abs().sum();
  return torch::where(size <= 1, size * size / 2, size - 0.5);
}
Tensor strict(Tensor x) {  // conditional:
  // equal: le for lt in step 5
  auto size = x.abs().sum();
  return torch::where(size < 1, size * size / 2, size - 0.5);
}
Tensor turned(Tensor x) {  // refuted:
  auto size = x.abs().sum();
  return torch::where(size > 1, size * size / 2, size - 0.5);
}
}  // namespace whole_huber
