// For the files that call CUDA: an error code becomes an exception, and is forgotten by CUDA.
#pragma once

#include "runtime/cuda-error.h"

#include <cuda_runtime_api.h>

namespace rt {

inline void checkCuda(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // or the next launch of a kernel would report it
  throw CudaError(call, cudaGetErrorName(error), cudaGetErrorString(error));
}

/// The same for an allocation.
inline void checkAllocation(cudaError_t error, const char* call, size_t bytes) {
  if (error != cudaErrorMemoryAllocation) return checkCuda(error, call);
  size_t free = 0, total = 0;
  cudaGetLastError();
  cudaMemGetInfo(&free, &total);
  throw CudaOutOfMemory(call, cudaGetErrorName(error), bytes, free);
}

}  // namespace rt
