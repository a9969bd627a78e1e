// How a kernel runs. A kernel is a functor over an index, `RT_HD void operator()(int64_t i) const`, that computes element (or
// run) number i of its result; `Stored` names the stored type it is made for. launch() calls it for every i on the device:
// the CPU's threads, or a CUDA kernel of one thread an index. The functors live in kernels/*.h and are listed in
// kernels/functors.def, from which cuda.cu makes their CUDA kernels.
#pragma once

#include "runtime/half.h"
#include "runtime/parallel.h"
#include "runtime/tensor.h"

#include <algorithm>
#include <type_traits>

namespace rt {

/// Stored types that kernels exist for on the GPU: those that models train with. Tensors of the others compute on the CPU.
template <typename S>
inline constexpr bool onGpu = std::is_same_v<S, bool> || std::is_same_v<S, int64_t> || std::is_same_v<S, Half> || std::is_same_v<S, BFloat16> ||
                              std::is_same_v<S, float> || std::is_same_v<S, double>;

#ifdef RT_WITH_CUDA
template <typename F> void launchOnGpu(const F&, int64_t n);
#endif

/// `cost` is about the number of elements that one call of the functor touches.
template <typename F> void launch(Device device, int64_t n, const F& f, int64_t cost = 1) {
  if (n <= 0) return;
#ifdef RT_WITH_CUDA
  if (device == Device::cuda) {
    if constexpr (onGpu<typename F::Stored>) return launchOnGpu(f, n);
    throw Error("there is no GPU kernel for this dtype");
  }
#endif
  (void)device;
  constexpr int64_t worthAThread = 1 << 15;
  parallelFor(n, std::max<int64_t>(1, worthAThread / std::max<int64_t>(cost, 1)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace rt
