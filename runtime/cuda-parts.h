// The parts of the GPU's table that have a file of their own: cuda-rows.cu, cuda-gemm.cpp.
#pragma once

#include "runtime/backend.h"

namespace rt {

bool elementwiseOnGpu(Op, DType, const Loop&);
void convertOnGpu(DType to, DType from, const Loop&);
bool gemmOnGpu(DType, const Gemm&);

}  // namespace rt
