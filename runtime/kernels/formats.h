// What kernels over images compute in, and how their results lie in memory.
#pragma once

#include "runtime/body.h"

namespace rt {

/// Half types are computed in float and rounded once.
inline DType computed(DType dtype) { return kindOf(dtype) == DTypeKind::floating && sizeOf(dtype) == 2 ? DType::float32 : dtype; }

/// Strides for `sizes` in the memory format of `like`: channels last, or contiguous. Source: suggest_memory_format.
inline Dims stridesLike(const Tensor& like, const Dims& sizes) {
  return isChannelsLast(like->sizes, like->strides) && sizes.size() == like->sizes.size() ? channelsLastStrides(sizes) : contiguousStrides(sizes);
}

/// The values as this dtype, with these strides.
inline Tensor laidOut(const Tensor& values, DType dtype, const Dims& strides) {
  if (values.dtype() == dtype && values->strides == strides) return values;
  Tensor result = emptyStrided(values->sizes, strides, dtype, values.device());
  copyInto(result, values);
  return result;
}

}  // namespace rt
