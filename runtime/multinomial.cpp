// Indices drawn with the probabilities that a row of weights gives them.
#include "runtime/body.h"
#include "runtime/ops.h"
#include "runtime/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rt {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error("multinomial: " + why); }

void check(const Tensor& weights, int64_t samples, bool replacement) {
  if (weights.dim() < 1 || weights.dim() > 2 || weights.size(-1) == 0)
    refuse("the weights must have one or two dimensions and a category, not shape " + toText(weights.sizes()));
  if (kindOf(weights.dtype()) != DTypeKind::floating) refuse(std::string("the weights must be floating point, not ") + dtypeName(weights.dtype()));
  if (samples <= 0) refuse(std::to_string(samples) + " samples cannot be drawn");
  if (!replacement && samples > weights.size(-1))
    refuse(std::to_string(samples) + " samples cannot be drawn from " + std::to_string(weights.size(-1)) + " categories without replacement");
  if (weights.size(-1) > int64_t(1) << 24) refuse("more than 2^24 categories");
  for (int64_t i = 0, n = weights.numel(), row = weights.size(-1); i < n; ++i) {
    double w = weights.at(i).toDouble();
    if (!(w >= 0) || std::isinf(w)) refuse("a weight is negative, infinite or NaN");
    bool last = i % row == row - 1, any = false;
    for (int64_t k = i - row + 1; last && !any && k <= i; ++k) any = weights.at(k).toDouble() > 0;
    if (last && !any) refuse("all weights of a row are 0");
  }
}

// Where a uniform falls in the row's cumulative distribution, which is summed and normalized in T.
template <typename T> void withReplacement(const T* weights, int64_t categories, int64_t samples, int64_t* out, Generator& generator) {
  std::vector<T> cumulative(static_cast<size_t>(categories));
  std::partial_sum(weights, weights + categories, cumulative.begin());
  for (T total = cumulative.back(); T& value : cumulative) value /= total;
  cumulative.back() = 1;
  for (int64_t i = 0; i < samples; ++i) {
    double u = generator.uniform<double>();
    out[i] = std::lower_bound(cumulative.begin(), cumulative.end(), u, [](T value, double wanted) { return value < wanted; }) - cumulative.begin();
  }
}

// The largest of weight / exponential first: the Gumbel-max trick.
void withoutReplacement(const Tensor& scores, int64_t first, int64_t categories, int64_t samples, int64_t* out) {
  std::vector<double> row;
  for (int64_t k = 0; k < categories; ++k) row.push_back(scores.at(first + k).toDouble());
  std::vector<int64_t> order(row.size());
  std::iota(order.begin(), order.end(), int64_t(0));
  auto before = [&](int64_t a, int64_t b) { return row[size_t(a)] != row[size_t(b)] ? row[size_t(a)] > row[size_t(b)] : a < b; };
  std::partial_sort(order.begin(), order.begin() + samples, order.end(), before);
  std::copy_n(order.begin(), samples, out);
}

}  // namespace

Tensor multinomial(const Tensor& weights, int64_t samples, bool replacement, Generator& generator) {
  GradMode off(false);
  check(weights, samples, replacement);
  const int64_t categories = weights.size(-1), rows = weights.dim() > 1 ? weights.size(0) : 1;
  Tensor result = emptyTensor(weights.dim() > 1 ? Dims{rows, samples} : Dims{samples}, DType::int64);
  int64_t* out = result->data<int64_t>();
  if (replacement && samples > 1) {
    bool wide = weights.dtype() == DType::float64;
    Tensor values = plain(weights, wide ? DType::float64 : DType::float32);
    for (int64_t i = 0; i < rows; ++i) {
      if (wide) withReplacement(values->data<double>() + i * categories, categories, samples, out + i * samples, generator);
      else withReplacement(values->data<float>() + i * categories, categories, samples, out + i * samples, generator);
    }
    return result;
  }
  Tensor waits = ops::zeros_like(weights);
  exponential_(waits, generator);
  Tensor scores = weights / waits;
  for (int64_t i = 0; i < rows; ++i) withoutReplacement(scores, i * categories, categories, samples, out + i * samples);
  return result;
}

}  // namespace rt
