// What a device does: memory, the elementwise rows, matrix products, and its queues of work. One table of function pointers a
// device; a build without CUDA links the null table of no-cuda.cpp.
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

/// c = a b, for `count` pairs of matrices [m, k] and [k, n] in row-major order, each behind the last.
struct Gemm {
  const void *a, *b;
  void* c;
  int64_t m, n, k, count = 1;
};

/// Streams and events (stream.h) as handles. The CPU does everything at once: its streams are null, its events read the clock.
struct Queues {
  void* (*makeStream)();
  void (*endStream)(void*);
  void (*finishStream)(void*);
  void* (*makeEvent)();
  void (*endEvent)(void*);
  void (*finishEvent)(void*);
  void (*record)(void* event, void* stream);
  void (*block)(void* event, void* stream);
  double (*seconds)(void* from, void* to);
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
  /// False where no library does it.
  bool (*gemm)(DType, const Gemm&);
  Queues queues;
};

const Backend& cpuBackend();
/// Null when the build has no CUDA. Using it where there is no GPU throws rt::CudaError with CUDA's own name of the error.
const Backend* cudaBackend();
bool cudaAvailable();
bool gemmOnCpu(DType, const Gemm&);
/// The stream that this thread's work on a GPU goes to; null: CUDA's default stream.
void* currentStream();

}  // namespace rt
