// Windows over planes and volumes: a window is a product of parts of the dimensions; strided and adaptive pooling differ in
// nothing but those parts.
#pragma once

#include "runtime/formula.h"
#include "runtime/kernels/pooling.h"

#include <algorithm>
#include <array>
#include <vector>

namespace rt::pooling {

/// A window's part of one dimension: the elements begin, begin + step, ... before end. A mean divides by its extent.
struct Part {
  int64_t begin, end, extent;
};

/// A window of a plane or volume, and how it is walked.
struct Window {
  Part z, y, x;
  int64_t image[3], step[3];
  bool dividesInTurn;  // by one extent after the other, not by their product
  int64_t divisor;     // instead of the extents

  RT_HD bool empty() const { return z.begin >= z.end || y.begin >= y.end || x.begin >= x.end; }
  RT_HD int64_t first() const { return (z.begin * image[1] + y.begin) * image[2] + x.begin; }
  /// f(element) for every element.
  template <typename F> RT_HD void each(F f) const {
    for (int64_t i = z.begin; i < z.end; i += step[0])
      for (int64_t j = y.begin; j < y.end; j += step[1])
        for (int64_t k = x.begin, row = (i * image[1] + j) * image[2]; k < x.end; k += step[2]) f(row + k);
  }
  template <typename T> RT_HD T mean(T sum) const {
    if (divisor) return T(sum / T(divisor));
    return dividesInTurn ? T(T(T(sum / T(z.extent)) / T(y.extent)) / T(x.extent)) : T(sum / T(z.extent * y.extent * x.extent));
  }
};

/// All windows, as a kernel sees them. Three numbers a part: those of the first dimension, then those of the others.
struct WindowView {
  const int64_t* parts;
  int64_t counts[3], image[3], step[3];
  bool dividesInTurn;
  int64_t divisor;

  RT_HD int64_t places() const { return counts[0] * counts[1] * counts[2]; }
  RT_HD int64_t elements() const { return image[0] * image[1] * image[2]; }
  RT_HD Part part(int64_t i) const { return {parts[3 * i], parts[3 * i + 1], parts[3 * i + 2]}; }
  RT_HD Window window(int64_t place) const {
    const int64_t x = place % counts[2], y = place / counts[2] % counts[1], z = place / counts[2] / counts[1];
    return {part(z), part(counts[0] + y), part(counts[0] + counts[1] + x), {image[0], image[1], image[2]}, {step[0], step[1], step[2]}, dividesInTurn, divisor};
  }
};

struct Windows {
  std::array<std::vector<Part>, 3> parts;  // of each place along a dimension; missing dimensions have one of one element
  std::array<int64_t, 3> image{1, 1, 1}, step{1, 1, 1};
  bool dividesInTurn = false;
  int64_t divisor = 0;
};

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
