// Searching runs only `before`, and that without gradients: cheap enough to try dozens of inputs for one arm.

#include "runtime/verify/search.h"

#include <algorithm>
#include <cmath>

namespace rt {

namespace {

Trial between(const Trial& a, const Trial& b) {
  Trial mid = a;
  for (size_t i = 0; i < mid.inputs.size(); ++i) {
    InputValue& input = mid.inputs[i];
    for (size_t k = 0; k < input.values.size(); ++k) {
      const double x = a.inputs[i].values[k].toDouble(), y = b.inputs[i].values[k].toDouble();
      const double middle = x / 2 + y / 2;
      if (x != y) input.values[k] = quantize(Scalar(isFloating(input.dtype) ? middle : std::floor(middle)), input.dtype);
    }
  }
  return mid;
}

bool sameValues(const Trial& a, const Trial& b) {
  for (size_t i = 0; i < a.inputs.size(); ++i)
    if (!std::ranges::equal(a.inputs[i].values, b.inputs[i].values, identical)) return false;
  return true;
}

}  // namespace

bool sameForm(const Trial& a, const Trial& b) {
  return std::ranges::equal(a.inputs, b.inputs, [](const InputValue& x, const InputValue& y) {
    return x.dtype == y.dtype && x.shape == y.shape;
  });
}

std::optional<bool> armAt(const Outcome& o, uint32_t where) {
  for (const auto& [at, arm] : o.taken)
    if (at == where) return arm;
  return {};
}

namespace {

std::optional<Trial> scatter(const Pair& pair, Inputs& inputs, const Trial& like, uint32_t where, bool arm, bool throwing) {
  for (const double shift : {0.0, 1.0, -1.0, 10.0, -10.0, 100.0, -100.0, 1e4, -1e4}) {
    for (const double scale : {1.0, 1e-3, 10.0, 1e3, 1e-6, 1e6}) {
      const Trial trial = inputs.scattered(like, scale, shift);
      const Outcome o = runBefore(pair, trial);
      if (o.threw == throwing && armAt(o, where) == arm) return trial;
    }
  }
  return {};
}

}  // namespace

std::optional<Trial> force(const Pair& pair, Inputs& inputs, const Trial& like, uint32_t where, bool arm) {
  return scatter(pair, inputs, like, where, arm, /*throwing=*/false);
}

bool reachesThrowing(const Pair& pair, Inputs& inputs, const Trial& like, uint32_t where, bool arm) {
  return scatter(pair, inputs, like, where, arm, /*throwing=*/true).has_value();
}

std::pair<Trial, Trial> boundary(const Pair& pair, Trial a, Trial b, uint32_t where) {
  const auto arm = armAt(runBefore(pair, a), where);
  for (int i = 0; i < 64; ++i) {
    Trial mid = between(a, b);
    if (sameValues(mid, a) || sameValues(mid, b)) break;
    const Outcome o = runBefore(pair, mid);
    if (o.threw || !armAt(o, where)) break;
    (armAt(o, where) == arm ? a : b) = std::move(mid);
  }
  return {std::move(a), std::move(b)};
}

}  // namespace rt
