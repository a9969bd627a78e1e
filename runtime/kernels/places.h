// Kernels that read and write where an index says, along one dimension of dense tensors.
#pragma once

#include "runtime/formula.h"
#include "runtime/rules.h"

namespace rt {

/// Element i of a dense tensor of `sizes` as an offset into another of `strides`, with dimension `at` left out.
RT_HD inline int64_t offsetWithout(int64_t i, const Dims& sizes, const Dims& strides, size_t at, int64_t& along) {
  int64_t offset = 0;
  along = 0;
  for (size_t d = sizes.size(); d-- > 0; i /= sizes[d]) {
    int64_t index = i % sizes[d];
    if (d == at) along = index;
    else offset += index * strides[d];
  }
  return offset;
}

/// gather (an index an element) and index_select (an index a slice): out[i] = from[... index ...].
template <typename S> struct TakePlaces {
  const S* from;
  const int64_t* index;
  S* out;
  Dims sizes, fromStrides;  // of the result; of `from`
  size_t at;
  bool elementwise;
  RT_HD void operator()(int64_t i) const {
    int64_t along, offset = offsetWithout(i, sizes, fromStrides, at, along);
    out[i] = from[offset + index[elementwise ? i : along] * (sizes.size() ? fromStrides[at] : 0)];
  }
};

enum class Put : uint8_t { set, add, multiply };

/// scatter (an index an element) and index_add (an index a slice). One call goes along a whole line of `from`, in order: the
/// result does not depend on threads.
template <typename S> struct PutPlaces {
  const S* from;
  const int64_t* index;
  S* out;
  Dims lines, fromStrides, indexStrides, outStrides;  // `lines`: sizes of what is put, 1 along `at`
  size_t at;
  int64_t length;
  bool elementwise;
  Put how;
  RT_HD void operator()(int64_t l) const {
    using T = formula::Math<S>;
    int64_t source = 0, target = 0, place = 0;
    for (size_t d = lines.size(); d-- > 0; l /= lines[d]) {
      int64_t k = l % lines[d];
      source += k * fromStrides[d];
      target += k * outStrides[d];
      if (elementwise) place += k * indexStrides[d];
    }
    bool scalar = lines.size() == 0;
    for (int64_t k = 0; k < length; ++k) {
      S& to = out[target + index[place + k * (elementwise ? (scalar ? 0 : indexStrides[at]) : 1)] * (scalar ? 0 : outStrides[at])];
      T value = T(from[source + k * (scalar ? 0 : fromStrides[at])]);
      to = S(how == Put::set ? value : how == Put::add ? T(T(to) + value) : T(T(to) * value));
    }
  }
};

}  // namespace rt
