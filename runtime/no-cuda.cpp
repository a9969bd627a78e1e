// A build without CUDA: no table, no device, and kernels that say so.
#include "runtime/backend.h"
#include "runtime/tensor.h"

#define LAUNCH throw Error("this build has no CUDA")
#include "runtime/device-kernels.h"

namespace rt {

const Backend* cudaBackend() { return nullptr; }
bool cudaAvailable() { return false; }

}  // namespace rt
