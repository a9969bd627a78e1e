#include "runtime/cuda-parts.h"

#include "runtime/cuda-launch.h"
#include "runtime/device-rows.h"

namespace rt {

bool elementwiseOnGpu(Op op, DType dtype, const Loop& loop) { return elementwiseOnDevice(op, dtype, loop); }
void convertOnGpu(DType to, DType from, const Loop& loop) { convertOnDevice(to, from, loop); }

}  // namespace rt
