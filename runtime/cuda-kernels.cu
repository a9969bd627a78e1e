// The functors of kernels/*.h on the GPU.
#include "runtime/cuda-launch.h"

#define LAUNCH launchElements(f, n)
#include "runtime/device-kernels.h"
