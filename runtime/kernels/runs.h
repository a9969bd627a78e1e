// Kernels over runs: a reduction is a run of neighbours an output; what goes along a dimension is a line of a dense tensor.
#pragma once

#include "runtime/formula.h"
#include "runtime/half.h"

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace rt {

/// The lines of a dense tensor along one dimension: line l starts at start(l), its elements are `step` apart.
struct Lines {
  int64_t count = 1, length = 1, step = 1;
  RT_HD int64_t start(int64_t l) const { return l / step * length * step + l % step; }
};

template <typename S> RT_HD formula::Math<S> sumOfBlock(const S* run, int64_t n) {
  using T = formula::Math<S>;
  T lane[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
#if !defined(__CUDA_ARCH__)
    __builtin_prefetch(run + i + 1024);  // one core alone does not ask for enough
#endif
    for (int k = 0; k < 16; ++k) lane[k] = T(lane[k] + T(run[i + k]));
  }
  T total = 0;
  for (; i < n; ++i) total = T(total + T(run[i]));
  if (n < 16) return total;
  for (int half = 8; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) lane[k] = T(lane[k] + lane[k + half]);
  return T(total + lane[0]);
}

/// Blocks are added pairwise, so that the error grows with the logarithm of the length; in the type that S computes in. Without
/// recursion, for which a GPU's thread has no stack: parts[d] holds the sum of 2^k blocks, of fewer with each d.
template <typename S> RT_HD formula::Math<S> sumOf(const S* run, int64_t n) {
  using T = formula::Math<S>;
  constexpr int64_t block = 1024;
  T parts[48];
  int depth = 0;
  for (int64_t b = 0; b * block < n; ++b) {
    int64_t rest = n - b * block;
    T total = sumOfBlock(run + b * block, rest < block ? rest : block);
    for (int64_t odd = b; odd & 1; odd >>= 1) total = T(parts[--depth] + total);
    parts[depth++] = total;
  }
  T total = depth ? parts[--depth] : T(0);
  while (depth) total = T(parts[--depth] + total);
  return total;
}

/// What every reduction shares: `from` is dense, run i has `length` elements. A result goes to out[i].
template <typename S, typename Out = S> struct Runs {
  const S* from;
  Out* out;
  int64_t length;
  RT_HD const S* run(int64_t i) const { return from + i * length; }
};

template <typename S> struct Sum : Runs<S> {
  RT_HD void operator()(int64_t i) const { this->out[i] = S(sumOf(this->run(i), this->length)); }
};

template <typename S> struct Product : Runs<S> {
  RT_HD void operator()(int64_t i) const {
    formula::Math<S> total = 1;
    for (int64_t k = 0; k < this->length; ++k) total = formula::Math<S>(total * formula::Math<S>(this->run(i)[k]));
    this->out[i] = S(total);
  }
};

/// The place of the largest (smallest) value; the first of equals; the first NaN wins over all.
template <typename S> RT_HD int64_t extremeOf(const S* run, int64_t n, int64_t step, bool largest) {
  using T = formula::Math<S>;
  int64_t best = 0;
  for (int64_t i = 0; i < n; ++i) {
    T v = T(run[i * step]), b = T(run[best * step]);
    if (v != v) return i;
    if (largest ? v > b : v < b) best = i;
  }
  return best;
}
template <typename S> struct Extreme : Runs<S> {
  bool largest;
  RT_HD void operator()(int64_t i) const { this->out[i] = this->run(i)[extremeOf(this->run(i), this->length, 1, largest)]; }
};
template <typename S> struct ExtremeIndex : Runs<S, int64_t> {
  bool largest;
  RT_HD void operator()(int64_t i) const { this->out[i] = extremeOf(this->run(i), this->length, 1, largest); }
};

/// The lower median's place: the first NaN, or the first of the values with (n - 1) / 2 below it in a stable order. By counting,
/// which needs no memory.
template <typename S> RT_HD int64_t medianOf(const S* run, int64_t n) {
  using T = formula::Math<S>;
  for (int64_t i = 0; i < n; ++i)
    if (T(run[i]) != T(run[i])) return i;
  for (int64_t i = 0; i < n; ++i) {
    int64_t below = 0, equal = 0;
    for (int64_t k = 0; k < n; ++k) below += T(run[k]) < T(run[i]), equal += T(run[k]) == T(run[i]);
    if (below <= (n - 1) / 2 && (n - 1) / 2 < below + equal) return i;
  }
  return 0;
}
template <typename S> struct Median : Runs<S> {
  RT_HD void operator()(int64_t i) const { this->out[i] = this->run(i)[medianOf(this->run(i), this->length)]; }
};
template <typename S> struct MedianIndex : Runs<S, int64_t> {
  RT_HD void operator()(int64_t i) const { this->out[i] = medianOf(this->run(i), this->length); }
};

/// all (wanted false: is there a false?) and any.
template <typename S> struct Truth : Runs<S, bool> {
  bool any;
  RT_HD void operator()(int64_t i) const {
    bool result = !any;
    for (int64_t k = 0; k < this->length && result != any; ++k) result = (formula::Math<S>(this->run(i)[k]) != 0) == any ? any : result;
    this->out[i] = result;
  }
};

/// The p-norm; p 0 counts, infinities take the extreme. LibTorch's is computed in the stored type's Math.
template <typename S> struct Norm : Runs<S> {
  double p;
  bool ofOneItself;  // as LibTorch: no powers and roots of one number, unless it is 0-dim and a dimension is named
  RT_HD void operator()(int64_t i) const {
    using T = formula::Math<S>;
    const S* run = this->run(i);
    if (this->length == 1 && ofOneItself && p != 0) {
      this->out[i] = S(formula::magnitude(T(run[0])));
      return;
    }
    T total = p == -INFINITY ? T(INFINITY) : T(0);
    for (int64_t k = 0; k < this->length; ++k) {
      T v = formula::magnitude(T(run[k]));
      if (p == 2) total = T(total + v * v);
      else if (p == 1) total = T(total + v);
      else if (p == 0) total = T(total + T(v != 0));
      else if (p == INFINITY) total = formula::larger(total, v);
      else if (p == -INFINITY) total = formula::smaller(total, v);
      else total = T(total + std::pow(v, T(p)));
    }
    bool root = p != 1 && p != 0 && std::fabs(p) != INFINITY;
    this->out[i] = S(p == 2 ? T(std::sqrt(total)) : root ? T(std::pow(total, T(1 / p))) : total);
  }
};

/// Welford, in double as LibTorch does on the CPU.
template <typename S> struct Variance : Runs<S> {
  double correction;
  bool root;
  RT_HD void operator()(int64_t i) const {
    double mean = 0, squares = 0;
    for (int64_t k = 0; k < this->length; ++k) {
      double v = double(formula::Math<S>(this->run(i)[k])), delta = v - mean;
      mean += delta / double(k + 1);
      squares += delta * (v - mean);
    }
    double freedom = double(this->length) - correction, result = squares / (freedom > 0 ? freedom : 0);
    this->out[i] = S(formula::Math<S>(root ? std::sqrt(result) : result));
  }
};

// --- along lines

/// Running sums, products, and extremes with their places.
template <typename S> struct CumulativeSum {
  const S* from;
  S* out;
  Lines lines;
  bool product;
  RT_HD void operator()(int64_t l) const {
    using T = std::conditional_t<std::is_same_v<S, float>, double, formula::Math<S>>;  // LibTorch's accumulator on the CPU
    T total = product ? T(1) : T(0);
    for (int64_t k = 0, at = lines.start(l); k < lines.length; ++k, at += lines.step) {
      total = product ? T(total * T(from[at])) : T(total + T(from[at]));
      out[at] = S(total);
    }
  }
};

/// The last of equals wins, and NaN is kept, as in LibTorch's cummax and cummin.
template <typename S> struct CumulativeExtreme {
  const S* from;
  S* out;
  int64_t* places;
  Lines lines;
  bool largest;
  RT_HD void operator()(int64_t l) const {
    using T = formula::Math<S>;
    int64_t start = lines.start(l), best = 0;
    for (int64_t k = 0; k < lines.length; ++k) {
      int64_t at = start + k * lines.step;
      T v = T(from[at]), b = T(from[start + best * lines.step]);
      if (v != v || (b == b && (largest ? v >= b : v <= b))) best = k;
      if (out) out[at] = from[start + best * lines.step];
      if (places) places[at] = best;
    }
  }
};

/// e^x for x <= 0, as softmax needs it: 2^n times a polynomial on [-ln 2 / 2, ln 2 / 2], within 2 ulps; it has no branch, so
/// that a loop over it is vectorised. Source of the coefficients: Cephes' expf.
RT_HD inline float expOfNegative(float x) {
  x = x < -104.0f ? -104.0f : x;
  float n = std::floor(x * 1.44269504088896341f + 0.5f);
  float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  float e = p * r * r + r + 1;
  // In two steps: 2^n alone is subnormal below n = -126.
  int32_t whole = int32_t(n), half = whole / 2;
  return e * bits::toFloat(uint32_t(half + 127) << 23) * bits::toFloat(uint32_t(whole - half + 127) << 23);
}

/// softmax and log_softmax; half types compute in float and round once.
template <typename S> struct Softmax {
  const S* from;
  S* out;
  Lines lines;
  bool logarithm;
  RT_HD void operator()(int64_t l) const {
    using T = formula::Math<S>;
    int64_t start = lines.start(l), step = lines.step, n = lines.length;
    T top = T(from[start]);
    for (int64_t k = 1; k < n; ++k) top = formula::larger(top, T(from[start + k * step]));
    T total = 0;
    for (int64_t k = 0; k < n; ++k) total += std::exp(T(from[start + k * step]) - top);
    T logTotal = std::log(total);
    for (int64_t k = 0; k < n; ++k) {
      T centred = T(from[start + k * step]) - top;
      out[start + k * step] = S(logarithm ? centred - logTotal : std::exp(centred) / total);
    }
  }
};

}  // namespace rt
