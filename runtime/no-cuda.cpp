// A build without CUDA: no table, no device.
#include "runtime/backend.h"

namespace rt {

const Backend* cudaBackend() { return nullptr; }
bool cudaAvailable() { return false; }

}  // namespace rt
