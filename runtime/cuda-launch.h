// What the files of CUDA kernels share: one kernel, of a thread an index, for every functor.
#pragma once

#include "runtime/backend.h"
#include "runtime/cuda-check.h"

#include <algorithm>

namespace rt {

template <typename F> __global__ void forEachIndex(F f, int64_t n) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) f(i);
}

template <typename F> void launchElements(const F& f, int64_t n) {
  constexpr int threads = 256;
  constexpr int64_t mostBlocks = 1 << 20;
  if (n == 0) return;
  const int64_t blocks = std::min((n + threads - 1) / threads, mostBlocks);
  forEachIndex<<<unsigned(blocks), threads, 0, static_cast<cudaStream_t>(currentStream())>>>(f, n);
  checkCuda(cudaGetLastError(), "launch of a kernel");
}

}  // namespace rt
