// cuBLAS, loaded when it is first needed: it is half a gigabyte, which a program that multiplies nothing on a GPU shall not map.
#pragma once

#include "runtime/cuda-error.h"

#include <cublas_v2.h>

namespace rt {

struct Blas {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) setStream;
  decltype(&cublasGemmStridedBatchedEx_64) gemmStridedBatched;
  decltype(&cublasGetStatusName) statusName;
  decltype(&cublasGetStatusString) statusText;
};

/// Throws CudaError where the library cannot be loaded: "dlopen: libcublas.so.13 (...)".
const Blas& blas();

inline void checkBlas(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw CudaError(call, blas().statusName(status), blas().statusText(status));
}

}  // namespace rt
