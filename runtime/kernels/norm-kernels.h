// The kernels of the normalizations, each over the sets that have a mean and a variance of their own.
#pragma once

#include "runtime/formula.h"
#include "runtime/half.h"
#include "runtime/op.h"

#include <cmath>
#include <cstdint>

namespace rt {

struct Moments { double mean, squares; };  // squares: the sum of what the elements deviate, squared

template <typename T, typename F> RT_HD double totalOf(const T* from, int64_t runs, int64_t length, int64_t step, F value) {
  constexpr int lanes = 8;
  double lane[lanes] = {}, sum = 0;
  for (int64_t r = 0; r < runs; ++r) {
    const T* run = from + r * step;
    int64_t i = 0;
    for (; i + lanes <= length; i += lanes)
      for (int k = 0; k < lanes; ++k) lane[k] += value(double(formula::Math<T>(run[i + k])));
    for (; i < length; ++i) sum += value(double(formula::Math<T>(run[i])));
  }
  for (double part : lane) sum += part;
  return sum;
}

/// `runs` of `length` elements each, `step` apart. In double, as LibTorch does for channels; of doubles the mean is mended once, so that
/// equal ones do not deviate, which LibTorch's moving mean sees to.
template <typename T> RT_HD Moments momentsOf(const T* from, int64_t runs, int64_t length, int64_t step) {
  double mean = totalOf(from, runs, length, step, [](double v) { return v; }) / double(runs * length);
  if (sizeof(T) == sizeof(double) && mean - mean == 0) mean += totalOf(from, runs, length, step, [mean](double v) { return v - mean; }) / double(runs * length);
  return {mean, totalOf(from, runs, length, step, [mean](double v) { return (v - mean) * (v - mean); })};
}

/// The number as a tensor of this dtype holds it.
RT_HD inline double storedAs(DType dtype, double v) {
  switch (dtype) {
    case DType::float16: return double(float(Half(float(v))));
    case DType::bfloat16: return double(float(BFloat16(float(v))));
    case DType::float32: return double(float(v));
    default: return v;
  }
}

/// layer_norm: a set is `length` neighbours; `scale` and `shift` have an element for each of them, or are null.
template <typename S> struct NormalizeSet {
  const S *from, *scale, *shift;
  S* out;
  int64_t length;
  double eps;
  RT_HD void operator()(int64_t set) const {
    using T = formula::Math<S>;
    const S* run = from + set * length;
    const Moments moments = momentsOf(run, 1, length, 0);
    const T inverse = T(T(1) / std::sqrt(T(T(moments.squares / double(length)) + T(eps)))), less = T(-moments.mean);
    for (int64_t i = 0; i < length; ++i) {
      const T centred = T(T(T(run[i]) + less) * inverse), scaled = scale ? T(centred * T(scale[i])) : centred;
      out[set * length + i] = S(shift ? T(scaled + T(shift[i])) : scaled);
    }
  }
};

/// group_norm: a set is a group of `members` channels of `inner` elements; `scale` and `shift` have an element a channel, or are null.
template <typename S> struct NormalizeGroup {
  const S *from, *scale, *shift;
  S* out;
  int64_t groups, members, inner;
  double eps;
  RT_HD void operator()(int64_t set) const {
    using T = formula::Math<S>;
    const int64_t length = members * inner;
    const Moments moments = momentsOf(from + set * length, 1, length, 0);
    const T mean = T(moments.mean), inverse = T(T(1) / std::sqrt(T(T(moments.squares / double(length)) + T(eps))));
    for (int64_t m = 0; m < members; ++m) {
      const int64_t c = set % groups * members + m, start = set * length + m * inner;
      const T alpha = scale ? T(inverse * T(scale[c])) : inverse, plus = shift ? T(shift[c]) : T(0), beta = T(plus - T(alpha * mean));
      for (int64_t i = 0; i < inner; ++i) out[start + i] = S(T(T(from[start + i]) * alpha + beta));
    }
  }
};

/// batch_norm: a set is a channel of all samples. In training its own moments count, and go to `means` and `variances`; else those of
/// `runningMean` and `runningVar`. What is between is held in the parameters' dtype. `tight`: LibTorch's order for an input without gaps.
template <typename S> struct NormalizeChannel {
  const S *from, *scale, *shift, *runningMean, *runningVar;
  S* out;
  double *means, *variances;
  int64_t samples, channels, inner;
  double eps;
  DType parameters;
  bool training, tight;
  RT_HD void operator()(int64_t c) const {
    using T = formula::Math<S>;
    T middle, inverse;
    if (training) {
      const double count = double(samples * inner);
      const Moments moments = momentsOf(from + c * inner, samples, inner, channels * inner);
      const double squares = storedAs(parameters, moments.squares), spread = squares / count;
      means[c] = storedAs(parameters, moments.mean);
      variances[c] = squares / (count - 1);
      middle = T(means[c]);
      inverse = T(storedAs(parameters, spread != 0 || eps != 0 ? 1 / std::sqrt(spread + eps) : 0));
    } else {
      middle = T(runningMean[c]);
      inverse = T(storedAs(parameters, double(T(T(1) / std::sqrt(T(T(runningVar[c]) + T(eps)))))));
    }
    const T by = scale ? T(scale[c]) : T(1), plus = shift ? T(shift[c]) : T(0), alpha = T(inverse * by), beta = T(plus - T(middle * alpha));
    for (int64_t n = 0; n < samples; ++n) {
      const S* run = from + (n * channels + c) * inner;
      S* to = out + (n * channels + c) * inner;
      if (tight) for (int64_t i = 0; i < inner; ++i) to[i] = S(T(T(run[i]) * alpha + beta));
      else for (int64_t i = 0; i < inner; ++i) to[i] = S(T(T(T(T(run[i]) - middle) * inverse) * by + plus));
    }
  }
};

/// running += momentum * (found - running), as LibTorch rounds it.
template <typename S> struct UpdateRunning {
  S* running;
  int64_t step;
  const double* found;
  double momentum;
  RT_HD void operator()(int64_t c) const {
    using T = formula::Math<S>;
    const T part = T(momentum);
    S& at = running[c * step];
    at = S(T(double(part) * found[c] + double(T(T(1 - part) * T(at)))));
  }
};

}  // namespace rt
