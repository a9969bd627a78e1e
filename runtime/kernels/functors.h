// All functors of functors.def.
#pragma once

#include "runtime/kernels/gemm.h"
#include "runtime/kernels/norm-kernels.h"
#include "runtime/kernels/places.h"
#include "runtime/kernels/runs.h"
#include "runtime/kernels/window-kernels.h"
