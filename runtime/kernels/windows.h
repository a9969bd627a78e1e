// Windows over planes and volumes: a window is a product of parts of the dimensions; strided and adaptive pooling differ in
// nothing but those parts.
#pragma once

#include "runtime/kernels/pooling.h"
#include "runtime/parallel.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace rt::pooling {

// A window's part of one dimension: the elements begin, begin + step, ... before end. A mean divides by its extent.
struct Part {
  int64_t begin, end, extent;
};

struct Windows {
  std::array<std::vector<Part>, 3> parts;  // of each place along a dimension; missing dimensions have one of one element
  std::array<int64_t, 3> image{1, 1, 1}, step{1, 1, 1};
  bool dividesInTurn = false;              // by one extent after the other, not by their product
  int64_t divisor = 0;                     // instead of the extents

  int64_t places() const { return int64_t(parts[0].size() * parts[1].size() * parts[2].size()); }
  int64_t elements() const { return image[0] * image[1] * image[2]; }

  template <typename T> T mean(T sum, const Part& z, const Part& y, const Part& x) const {
    if (divisor) return T(sum / T(divisor));
    return dividesInTurn ? T(T(T(sum / T(z.extent)) / T(y.extent)) / T(x.extent)) : T(sum / T(z.extent * y.extent * x.extent));
  }
};

// f(place, z, y, x) for every window of a plane.
template <typename F> void eachWindow(const Windows& windows, F f) {
  int64_t place = 0;
  for (const Part& z : windows.parts[0])
    for (const Part& y : windows.parts[1])
      for (const Part& x : windows.parts[2]) f(place++, z, y, x);
}
// f(element) for every element of a window.
template <typename F> void eachElement(const Windows& w, const Part& z, const Part& y, const Part& x, F f) {
  for (int64_t i = z.begin; i < z.end; i += w.step[0])
    for (int64_t j = y.begin; j < y.end; j += w.step[1])
      for (int64_t k = x.begin, row = (i * w.image[1] + j) * w.image[2]; k < x.end; k += w.step[2]) f(row + k);
}
template <typename F> void eachPlane(const Windows& windows, int64_t planes, F f) {
  constexpr int64_t worthAThread = 1 << 15;
  parallelFor(planes, std::max<int64_t>(1, worthAThread / std::max<int64_t>(1, windows.elements())), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) f(plane);
  });
}

// The first of equal elements, but the last NaN, as LibTorch has it.
template <typename S> void largest(const Windows& windows, int64_t planes, const S* from, S* out, int64_t* index) {
  const S lowest = std::numeric_limits<S>::has_infinity ? -std::numeric_limits<S>::infinity() : std::numeric_limits<S>::lowest();
  eachPlane(windows, planes, [&](int64_t plane) {
    const S* image = from + plane * windows.elements();
    eachWindow(windows, [&](int64_t place, const Part& z, const Part& y, const Part& x) {
      S best = lowest;
      int64_t at = (z.begin * windows.image[1] + y.begin) * windows.image[2] + x.begin;
      eachElement(windows, z, y, x, [&](int64_t element) {
        const S v = image[element];
        if (v > best || v != v) best = v, at = element;
      });
      if (out) out[plane * windows.places() + place] = best;
      if (index) index[plane * windows.places() + place] = at;
    });
  });
}

template <typename S> void means(const Windows& windows, int64_t planes, const S* from, S* out) {
  eachPlane(windows, planes, [&](int64_t plane) {
    eachWindow(windows, [&](int64_t place, const Part& z, const Part& y, const Part& x) {
      S sum = 0;
      eachElement(windows, z, y, x, [&](int64_t element) { sum = S(sum + from[plane * windows.elements() + element]); });
      out[plane * windows.places() + place] = z.begin < z.end && y.begin < y.end && x.begin < x.end ? windows.mean(sum, z, y, x) : S(0);
    });
  });
}

// The adjoint: each place's share goes to all that it was the mean of.
template <typename S> void shares(const Windows& windows, int64_t planes, const S* g, S* image) {
  eachPlane(windows, planes, [&](int64_t plane) {
    S* to = image + plane * windows.elements();
    std::fill_n(to, windows.elements(), S(0));
    eachWindow(windows, [&](int64_t place, const Part& z, const Part& y, const Part& x) {
      const S share = windows.mean(g[plane * windows.places() + place], z, y, x);
      eachElement(windows, z, y, x, [&](int64_t element) { to[element] = S(to[element] + share); });
    });
  });
}

// Source: pooling_output_shape.
inline int64_t placesAlong(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceil) {
  const int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1 + (ceil ? stride - 1 : 0);
  const int64_t places = (room < 0 ? -((stride - 1 - room) / stride) : room / stride) + 1;
  return ceil && (places - 1) * stride >= size + padding ? places - 1 : places;  // the last one must begin inside
}

inline Windows stridedWindows(const PoolInts& p, std::span<const int64_t> image, std::span<const int64_t> places, bool clipped) {
  Windows windows;
  for (size_t d = 0; d < image.size(); ++d) {
    const size_t at = 3 - image.size() + d;
    windows.image[at] = image[d], windows.step[at] = p.dilation[d];
    for (int64_t i = 0; i < places[d]; ++i) {
      int64_t begin = i * p.stride[d] - p.padding[d];
      const int64_t reach = begin + p.dilation[d] * (p.kernel[d] - 1) + 1, padded = std::min(reach, image[d] + p.padding[d]) - begin, end = std::min(reach,
          image[d]);
      while (begin < 0) begin += p.dilation[d];
      windows.parts[at].push_back({begin, end, clipped ? end - begin : padded});
    }
  }
  for (auto& parts : windows.parts)
    if (parts.empty()) parts.push_back({0, 1, 1});
  windows.divisor = p.divisor;
  return windows;
}

inline Windows adaptiveWindows(std::span<const int64_t> image, std::span<const int64_t> places) {
  Windows windows;
  windows.dividesInTurn = true;
  for (size_t d = 0; d < 3; ++d) windows.parts[d].clear();
  for (size_t at = 0; at < 3; ++at) {
    const bool missing = at + image.size() < 3;
    const int64_t size = missing ? 1 : image[at + image.size() - 3], count = missing ? 1 : places[at + image.size() - 3];
    windows.image[at] = size;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = i * size / count, end = ((i + 1) * size + count - 1) / count;
      windows.parts[at].push_back({begin, end, end - begin});
    }
  }
  return windows;
}

}  // namespace rt::pooling
