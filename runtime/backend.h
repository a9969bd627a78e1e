// What a device does: memory, and the elementwise rows. One table of function pointers a device; a build without CUDA links
// the null table of no-cuda.cpp.
#pragma once

#include "runtime/rules.h"

#include <cstddef>

namespace rt {

/// An elementwise loop: the output and up to three inputs, seen in one shape; strides in elements.
struct Loop {
  Dims shape;
  void* out = nullptr;
  Dims outStrides{};
  const void* in[3] = {};
  Dims inStrides[3]{};
  double numbers[3] = {};  // p, q, r of a *_WITH row
};

struct Backend {
  void* (*allocate)(size_t bytes);
  void (*release)(void*);
  void (*toHost)(void* host, const void* device, size_t bytes);
  void (*fromHost)(void* device, const void* host, size_t bytes);
  /// The row's loop over values stored as `dtype`; false where the row does not compute on that dtype.
  bool (*elementwise)(Op, DType, const Loop&);
  /// out = in[0], converted.
  void (*convert)(DType to, DType from, const Loop&);
};

const Backend& cpuBackend();
/// Null when the build has no CUDA. Using it where there is no GPU throws rt::Error with CUDA's own name of the error.
const Backend* cudaBackend();
bool cudaAvailable();

}  // namespace rt
