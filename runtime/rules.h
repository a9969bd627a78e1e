// Shape and dtype rules: pure functions of sizes, strides and dtypes. They return an error value, whose text says op and
// shapes; the tensor functions throw it, the analyzer can report it.
#pragma once

#include "runtime/device.h"
#include "runtime/op.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace rt {

/// Up to `N` numbers, without allocation. What makes them checks that they fit.
template <typename T, size_t N> class Inline {
 public:
  static constexpr size_t capacity = N;
  Inline() {}  // which leaves the values as they are: they are many, and made by the thousand
  Inline(std::initializer_list<T> values) { for (T v : values) push_back(v); }
  template <size_t M> Inline(const Inline<T, M>& values) { for (T v : values) push_back(v); }
  Inline(std::span<const T> values) { for (T v : values) push_back(v); }
  Inline(const std::vector<T>& values) { for (T v : values) push_back(v); }
  explicit Inline(size_t count, T value) { while (count-- > 0) push_back(value); }

  RT_HD size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  RT_HD T operator[](size_t i) const { return values_[i]; }
  RT_HD T& operator[](size_t i) { return values_[i]; }
  T back() const { return values_[size_ - 1]; }
  void push_back(T v) { assert(size_ < capacity); if (size_ < capacity) values_[size_++] = v; }
  void insert(size_t at, T v) { push_back(v); for (size_t i = size_ - 1; i > at; --i) std::swap(values_[i], values_[i - 1]); }
  void clear() { size_ = 0; }
  void resize(size_t count) { while (size_ < count) push_back(0); size_ = count; }
  void erase(size_t at) { for (size_t i = at; i + 1 < size_; ++i) values_[i] = values_[i + 1]; --size_; }
  T* begin() { return values_; }
  T* end() { return values_ + size_; }
  const T* begin() const { return values_; }
  const T* end() const { return values_ + size_; }
  operator std::span<const T>() const { return {begin(), size_}; }
  friend bool operator==(const Inline& a, const Inline& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i)
      if (!(a.values_[i] == b.values_[i])) return false;
    return true;
  }

 private:
  T values_[N];
  size_t size_ = 0;
};
using Dims = Inline<int64_t, 8>;   // sizes or strides: more dimensions are an error of the rules that make them
using Ints = Inline<int64_t, 16>;  // the whole-number arguments of an op
using Reals = Inline<double, 4>;   // the others, such as eps and momentum

template <typename T>
struct Result {
  T value{};
  std::string error;
  Result(T v) : value(std::move(v)) {}
  static Result failure(std::string text) { Result r{T{}}; r.error = std::move(text); return r; }
  explicit operator bool() const { return error.empty(); }
};

int64_t numelOf(std::span<const int64_t> sizes);
Dims contiguousStrides(std::span<const int64_t> sizes);
/// Elements from the first to the last in memory; 0 where there is none.
int64_t spanOf(const Dims& sizes, const Dims& strides);
/// No gaps and no overlaps, in whatever order. Source: is_non_overlapping_and_dense.
bool isDense(const Dims& sizes, const Dims& strides);
/// Of rank 4 or 5, with the channels next to each other in memory. Source: is_channels_last_strides_2d and _3d, ambiguous cases
/// included.
bool isChannelsLast(const Dims& sizes, const Dims& strides);
Dims channelsLastStrides(const Dims& sizes);
std::string toText(std::span<const int64_t> sizes);  // "[2, 3]"
inline std::vector<int64_t> vectorOf(std::span<const int64_t> sizes) { return {sizes.begin(), sizes.end()}; }

/// The common shape; "add: shapes [2, 3] and [4] do not broadcast".
Result<Dims> broadcast(std::string_view op, std::span<const int64_t> a, std::span<const int64_t> b);
/// Strides of `sizes` seen as `shape`, which it broadcasts to: 0 where it repeats.
Dims expandedStrides(std::span<const int64_t> sizes, std::span<const int64_t> strides, std::span<const int64_t> shape);

/// 0 <= result < rank (a rank of 0 counts as 1); "sum: dimension 3 is out of range for shape [2, 3]".
Result<int64_t> wrapDimension(std::string_view op, int64_t dimension, std::span<const int64_t> sizes);
/// Which dimensions a reduction goes over; no ints: all. A dimension named twice is an error.
Result<std::array<bool, Dims::capacity>> reducedDimensions(std::string_view op, std::span<const int64_t> ints, std::span<const int64_t> sizes);

/// A view: sizes, strides and offset into the same storage.
struct ViewLayout {
  Dims sizes, strides;
  int64_t offset = 0;
};
/// The view that `op` (a VIEW row) makes with these arguments. `view` fails where the strides do not allow it; `reshape` then
/// too, with the error "copy" and the sizes filled in: the caller copies.
Result<ViewLayout> viewLayout(Op, const ViewLayout&, std::span<const int64_t> ints);

/// One dtype of LibTorch's three classes of operands: with dimensions, 0-dim, and wrapped numbers. Source: c10's
/// promoteTypes and at::native::result_type.
struct TypeClass {
  std::optional<DType> dimensioned, zeroDim, wrapped;
  void add(DType, bool hasDimensions, bool isWrapped);
  DType result() const;
};
DType promote(DType, DType);
/// What a row makes of the common dtype; "log: ..." where it cannot.
Result<DType> resultDType(Op, DType common);

}  // namespace rt
