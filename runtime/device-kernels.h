// For a device's file, which defines LAUNCH, the body of a launcher of `f` on indices 0 to n - 1: makes the kernels of every
// functor for every dtype.
#pragma once

#include "runtime/kernels/functors.h"
#include "runtime/launch.h"

namespace rt {

template <template <typename> typename F> inline constexpr bool floatingOnly = false;
#define FUNCTOR(name)
#define FLOATING(name) template <> inline constexpr bool floatingOnly<name> = true;
#include "runtime/kernels/functors.def"

#define DTYPE(name, type, kind, constant)                                                                                              \
  template <template <typename> typename F> void DeviceKernels<F>::launch([[maybe_unused]] const F<type>& f, [[maybe_unused]] int64_t n) { \
    if constexpr (!floatingOnly<F> || DTypeKind::kind == DTypeKind::floating) { LAUNCH; }                                                  \
  }
#include "runtime/dtypes.def"

#define FUNCTOR(name) template struct DeviceKernels<name>;
#include "runtime/kernels/functors.def"

}  // namespace rt
