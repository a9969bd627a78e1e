// How a kernel runs. A kernel is a functor over an index, a template over the stored type whose `void operator()(int64_t i) const`
// computes element (or run) number i of its result. launch() calls it for every i on the device: the CPU's threads, or a CUDA
// kernel of one thread an index. The functors live in kernels/*.h and are listed in kernels/functors.def, from which the
// device's file makes their kernels.
#pragma once

#include "runtime/half.h"
#include "runtime/parallel.h"
#include "runtime/tensor.h"

#include <algorithm>

namespace rt {

/// The device kernels of a functor, one a dtype. Their bodies, and the instances for all functors, are the device's: in
/// cuda-kernels.cu, or in no-cuda.cpp, whose bodies throw.
template <template <typename> typename F> struct DeviceKernels {
#define DTYPE(name, type, kind, constant) static void launch(const F<type>&, int64_t n);
#include "runtime/dtypes.def"
};

/// `cost` is about the number of elements that one call of the functor touches.
template <template <typename> typename F, typename S> void launch(Device device, int64_t n, const F<S>& f, int64_t cost = 1) {
  if (n <= 0) return;
  if (device != Device::cpu) return DeviceKernels<F>::launch(f, n);
  constexpr int64_t worthAThread = 1 << 15;
  parallelFor(n, std::max<int64_t>(1, worthAThread / std::max<int64_t>(cost, 1)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace rt
