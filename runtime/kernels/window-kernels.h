// The kernels of pooling: over places, each of which has a window of its plane.
#pragma once

#include "runtime/kernels/windows.h"

namespace rt {

/// The first of equal elements, but the last NaN, as LibTorch has it: its value, its place in the plane, or both.
template <typename S> struct LargestInWindow {
  pooling::WindowView windows;
  const S* from;
  S* out;
  int64_t* index;
  RT_HD void operator()(int64_t i) const {
    using T = formula::Math<S>;
    const pooling::Window window = windows.window(i % windows.places());
    const S* image = from + i / windows.places() * windows.elements();
    T best = std::numeric_limits<T>::has_infinity ? T(-std::numeric_limits<T>::infinity()) : std::numeric_limits<T>::lowest();
    int64_t at = window.first();
    window.each([&](int64_t element) {
      const T v = T(image[element]);
      if (v > best || v != v) best = v, at = element;
    });
    if (out) out[i] = S(best);
    if (index) index[i] = at;
  }
};

template <typename S> struct MeanOfWindow {
  pooling::WindowView windows;
  const S* from;
  S* out;
  RT_HD void operator()(int64_t i) const {
    using T = formula::Math<S>;
    const pooling::Window window = windows.window(i % windows.places());
    const S* image = from + i / windows.places() * windows.elements();
    T sum = T(0);
    window.each([&](int64_t element) { sum = T(sum + T(image[element])); });
    out[i] = window.empty() ? S(T(0)) : S(window.mean(sum));
  }
};

/// The adjoint of the mean: each place's share goes to all that it was the mean of. One call a plane, whose places add in order.
template <typename S> struct SharesOfWindows {
  pooling::WindowView windows;
  const S* from;
  S* out;
  RT_HD void operator()(int64_t plane) const {
    using T = formula::Math<S>;
    S* to = out + plane * windows.elements();
    for (int64_t i = 0; i < windows.elements(); ++i) to[i] = S(T(0));
    for (int64_t place = 0; place < windows.places(); ++place) {
      const pooling::Window window = windows.window(place);
      const T share = window.mean(T(from[plane * windows.places() + place]));
      window.each([&](int64_t element) { to[element] = S(T(T(to[element]) + share)); });
    }
  }
};

}  // namespace rt
