// What fails on a GPU, by the name that CUDA gives it.
#pragma once

#include "runtime/tensor.h"

namespace rt {

/// "cudaMemcpyAsync: cudaErrorInvalidValue (invalid argument)"; cuBLAS's errors too: "CUBLAS_STATUS_ALLOC_FAILED".
struct CudaError : Error {
  CudaError(std::string failedCall, std::string errorName, const std::string& description)
      : Error(failedCall + ": " + errorName + " (" + description + ")"), call(std::move(failedCall)), name(std::move(errorName)) {}
  std::string call, name;
};

/// Bytes that were asked for, and that the device had free.
struct CudaOutOfMemory : CudaError {
  CudaOutOfMemory(std::string failedCall, std::string errorName, size_t wanted, size_t available)
      : CudaError(std::move(failedCall), std::move(errorName), std::to_string(wanted) + " bytes were asked for, " + std::to_string(available) + " are free"),
        asked(wanted), free(available) {}
  size_t asked, free;
};

}  // namespace rt
