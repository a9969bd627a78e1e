// Three products of an image, a weight and places, which are each other's gradients: an image and a weight give places, places
// and a weight give an image (a transposed convolution), an image and places give a weight. Each unfolds parts of the image into
// columns, which a product of matrices takes or makes.
#pragma once

#include "runtime/kernels/product.h"
#include "runtime/parallel.h"

#include <algorithm>
#include <array>
#include <vector>

namespace rt::convolving {

using Spatial = std::array<int64_t, 3>;

// All three dimensions are there: missing ones have size 1. Channels are those of a group.
struct Geometry {
  int64_t batch = 0, groups = 1, seen = 0, made = 0;  // channels of the image and of the places
  Spatial image{1, 1, 1}, kernel{1, 1, 1}, places{1, 1, 1}, stride{1, 1, 1}, padding{0, 0, 0}, dilation{1, 1, 1};

  static int64_t product(const Spatial& s) { return s[0] * s[1] * s[2]; }
  int64_t rows() const { return seen * product(kernel); }  // of the columns, each of them what one place sees
  bool isPointwise() const { return product(kernel) == 1 && stride == Spatial{1, 1, 1} && image == places && padding == Spatial{}; }
  /// Whether a place sees what is not in the image.
  bool hasEdges() const {
    for (size_t d = 0; d < 3; ++d)
      if (padding[d] > 0 || (places[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] >= image[d]) return true;
    return false;
  }
};

// A part of the places that is worked on at once: of one sample, or all places of several.
struct Tile {
  int64_t sample, samples, from, count;
  int64_t width() const { return samples * count; }
};

template <typename F> void eachTile(const Geometry& g, F f) {
  constexpr int64_t elements = 1 << 18, fewPlaces = 512;
  const int64_t places = Geometry::product(g.places), width = std::max(fewPlaces, elements / std::max<int64_t>(1, g.rows()));
  const int64_t samples = places < fewPlaces ? std::max<int64_t>(1, width / std::max<int64_t>(1, places)) : 1;
  if (samples > 1)
    for (int64_t n = 0; n < g.batch; n += samples) f(Tile{n, std::min(samples, g.batch - n), 0, places});
  else
    for (int64_t n = 0; n < g.batch; ++n)
      for (int64_t from = 0; from < places; from += width) f(Tile{n, 1, from, std::min(width, places - from)});
}

// f(column, at, number): the runs of neighbouring columns that see the image through one element of the kernel; `at` is counted from
// the tile's first sample. What is in the padding is in no run.
template <typename F> void eachRun(const Geometry& g, const Tile& tile, int64_t element, F f) {
  Spatial shift;
  for (size_t d = 3; d-- > 0; element /= g.kernel[d]) shift[d] = element % g.kernel[d] * g.dilation[d] - g.padding[d];
  // The innermost places from `first` to before `last` see the image.
  const int64_t stride = g.stride[2], inner = g.places[2];
  const int64_t first = std::max<int64_t>(0, (-shift[2] + stride - 1) / stride), last = std::min(inner, (g.image[2] - shift[2] + stride - 1) / stride);
  if (g.image[2] <= shift[2]) return;
  const int64_t plane = g.image[1] * g.image[2], sample = g.groups * g.seen * g.image[0] * plane;
  for (int64_t s = 0; s < tile.samples; ++s) {
    int64_t at = tile.from % inner, y = tile.from / inner % g.places[1], z = tile.from / inner / g.places[1];
    for (int64_t column = s * tile.count, end = column + tile.count; column < end;) {
      const int64_t stop = std::min(inner, at + end - column), begin = std::max(first, at), n = std::min(last, stop) - begin;
      const int64_t row = y * g.stride[1] + shift[1], slice = z * g.stride[0] + shift[0];
      if (n > 0 && row >= 0 && row < g.image[1] && slice >= 0 && slice < g.image[0])
        f(column + begin - at, s * sample + slice * plane + row * g.image[2] + begin * stride + shift[2], n);
      column += stop - at;
      at = 0;
      if (++y == g.places[1]) y = 0, ++z;
    }
  }
}

/// to[i] += by * from[i], where neither overlaps.
void addNeighbours(float* to, const float* from, float by, int64_t n);
template <typename S> void addNeighbours(S* to, const S* from, S by, int64_t n) { for (int64_t i = 0; i < n; ++i) to[i] = S(to[i] + by * from[i]); }
template <typename S> void addScaled(S* to, int64_t step, const S* from, int64_t fromStep, S by, int64_t n) {
  if (step == 1 && fromStep == 1) return addNeighbours(to, from, by, n);
  for (int64_t i = 0; i < n; ++i) to[i * step] = S(to[i * step] + by * from[i * fromStep]);
}

/// A matrix whose rows are `step` apart: part of a tensor, or a buffer.
template <typename S> struct Matrix {
  S* data;
  int64_t step;
};

template <typename S> class Convolution {
 public:
  explicit Convolution(const Geometry& geometry) : g(geometry), elements_(Geometry::product(g.kernel)), places_(Geometry::product(g.places)),
      image_(Geometry::product(g.image)), edges_(g.hasEdges()) {}

  /// places = weight * image + bias
  void toPlaces(const S* image, const S* weight, const S* bias, S* places) {
    if (isDepthwise())
      return eachPlane([&](int64_t group, int64_t plane) {
        std::fill_n(places + plane * places_, places_, bias ? bias[group] : S(0));
        eachTap(group, plane, [&](int64_t element, int64_t place, int64_t at, int64_t n) {
          addScaled(places + place, 1, image + at, g.stride[2], weight[element], n);
        });
      });
    eachPart([&](int64_t group, const Tile& tile) {
      const Matrix<S> seen = unfolded(image, group, tile), made = inPlace(places, group, tile);
      for (int64_t o = 0; bias && o < g.made; ++o) std::fill_n(made.data + o * made.step, tile.width(), bias[group * g.made + o]);
      multiply<S>({weight + group * g.made * g.rows(), g.rows()}, {seen.data, seen.step}, made.data, made.step, g.made, tile.width(), g.rows(),
          bias != nullptr);
      store(made, places, group, tile);
    });
  }

  /// image = weight^T * places + bias
  void toImage(const S* places, const S* weight, const S* bias, S* image) {
    const int64_t channels = g.batch * g.groups * g.seen;
    for (int64_t c = 0; c < channels; ++c) std::fill_n(image + c * image_, image_, bias ? bias[c % (g.groups * g.seen)] : S(0));
    if (isDepthwise())
      return eachPlane([&](int64_t group, int64_t plane) {
        eachTap(group, plane, [&](int64_t element, int64_t place, int64_t at, int64_t n) {
          addScaled(image + at, g.stride[2], places + place, 1, weight[element], n);
        });
      });
    eachPart([&](int64_t group, const Tile& tile) {
      const Matrix<S> made = loaded(places, group, tile), seen = columns(tile);
      multiply<S>({weight + group * g.made * g.rows(), g.rows(), true}, {made.data, made.step}, seen.data, seen.step, g.rows(), tile.width(), g.made);
      fold(seen, image, group, tile);
    });
  }

  /// weight = places * image^T
  void toWeight(const S* image, const S* places, S* weight) {
    std::fill_n(weight, g.groups * g.made * g.rows(), S(0));
    eachPart([&](int64_t group, const Tile& tile) {
      const Matrix<S> seen = unfolded(image, group, tile), made = loaded(places, group, tile);
      multiply<S>({made.data, made.step}, {seen.data, seen.step, true}, weight + group * g.made * g.rows(), g.rows(), g.made, g.rows(), tile.width(), true);
    });
  }

 private:
  static constexpr int64_t worthAThread = 1 << 15;

  // One channel a group: there is nothing to multiply matrices for.
  bool isDepthwise() const { return g.seen == 1 && g.made == 1; }
  template <typename F> void eachPlane(F f) {
    prepare(Tile{0, 1, 0, places_});
    parallelFor(g.batch * g.groups, std::max<int64_t>(1, worthAThread / (places_ * elements_)), [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) f(plane % g.groups, plane);
    });
  }
  template <typename F> void eachTap(int64_t group, int64_t plane, F f) {
    for (int64_t e = 0; e < elements_; ++e)
      for (const Run& run : runs_[size_t(e)]) f(group * elements_ + e, plane * places_ + run.column, plane * image_ + run.at, run.count);
  }

  struct Run { int64_t column, at, count; };
  // The runs of each element of the kernel, which are those of every channel and of other samples too.
  void prepare(const Tile& tile) {
    if (!runs_.empty() && tile.from == prepared_.from && tile.count == prepared_.count && tile.samples == prepared_.samples) return;
    prepared_ = tile;
    runs_.assign(size_t(elements_), {});
    for (int64_t e = 0; e < elements_; ++e)
      eachRun(g, tile, e, [&](int64_t column, int64_t at, int64_t n) { runs_[size_t(e)].push_back({column, at, n}); });
  }

  template <typename F> void eachPart(F f) {
    eachTile(g, [&](const Tile& tile) { for (int64_t group = 0; group < g.groups; ++group) f(group, tile); });
  }
  int64_t placesAt(int64_t group, const Tile& tile) const { return (tile.sample * g.groups + group) * g.made * places_ + tile.from; }

  Matrix<S> columns(const Tile& tile) {
    columns_.resize(size_t(std::max(int64_t(columns_.size()), g.rows() * tile.width())));
    return {columns_.data(), tile.width()};
  }

  // What each place of the tile sees, a column a place.
  Matrix<S> unfolded(const S* image, int64_t group, const Tile& tile) {
    const S* from = image + (tile.sample * g.groups + group) * g.seen * image_;
    if (g.isPointwise() && tile.samples == 1) return {const_cast<S*>(from) + tile.from, image_};
    const Matrix<S> seen = columns(tile);
    prepare(tile);
    parallelFor(g.rows(), std::max<int64_t>(1, worthAThread / tile.width()), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        S* to = seen.data + row * seen.step;
        if (edges_) std::fill_n(to, tile.width(), S(0));
        for (const Run& run : runs_[size_t(row % elements_)]) {
          const S* source = from + row / elements_ * image_ + run.at;
          if (g.stride[2] == 1) std::copy_n(source, run.count, to + run.column);
          else for (int64_t i = 0; i < run.count; ++i) to[run.column + i] = source[i * g.stride[2]];
        }
      }
    });
    return seen;
  }

  // The adjoint of unfolded: adds the columns to the image. A channel is one thread's.
  void fold(const Matrix<S>& seen, S* image, int64_t group, const Tile& tile) {
    prepare(tile);
    parallelFor(g.seen, std::max<int64_t>(1, worthAThread / (tile.width() * elements_)), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin * elements_; row < end * elements_; ++row)
        for (const Run& run : runs_[size_t(row % elements_)]) {
          S* to = image + ((tile.sample * g.groups + group) * g.seen + row / elements_) * image_ + run.at;
          addScaled(to, g.stride[2], seen.data + row * seen.step + run.column, 1, S(1), run.count);
        }
    });
  }

  // The tile's places as a matrix of a row a channel: where they lie, or, of several samples, in a buffer.
  Matrix<S> inPlace(S* places, int64_t group, const Tile& tile) {
    if (tile.samples == 1) return {places + placesAt(group, tile), places_};
    buffer_.resize(size_t(std::max(int64_t(buffer_.size()), g.made * tile.width())));
    return {buffer_.data(), tile.width()};
  }
  template <typename F> void eachLine(int64_t group, const Tile& tile, F f) {
    for (int64_t s = 0; s < tile.samples; ++s)
      for (int64_t o = 0; o < g.made; ++o) f(placesAt(group, tile) + (s * g.groups * g.made + o) * places_, o * tile.width() + s * tile.count);
  }
  Matrix<S> loaded(const S* places, int64_t group, const Tile& tile) {
    const Matrix<S> made = inPlace(const_cast<S*>(places), group, tile);
    if (tile.samples > 1) eachLine(group, tile, [&](int64_t at, int64_t inBuffer) { std::copy_n(places + at, tile.count, made.data + inBuffer); });
    return made;
  }
  void store(const Matrix<S>& made, S* places, int64_t group, const Tile& tile) {
    if (tile.samples > 1) eachLine(group, tile, [&](int64_t at, int64_t inBuffer) { std::copy_n(made.data + inBuffer, tile.count, places + at); });
  }

  const Geometry g;
  const int64_t elements_, places_, image_;  // numbers of elements of the kernel, and of a channel
  const bool edges_;
  std::vector<S> columns_, buffer_;
  std::vector<std::vector<Run>> runs_;
  Tile prepared_{};
};

}  // namespace rt::convolving
