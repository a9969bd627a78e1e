// Errors of CUDA and cuBLAS by name, from injected codes: no device is needed.
#ifdef RT_WITH_CUDA
#include "runtime/cuda-blas.h"
#include "runtime/cuda-check.h"
#endif

#include <gtest/gtest.h>

namespace rt {
namespace {

TEST(CudaErrors, BearCudasNamesAndTheCalls) {
#ifdef RT_WITH_CUDA
  EXPECT_NO_THROW(checkCuda(cudaSuccess, "cudaMemcpyAsync"));
  try {
    checkCuda(cudaErrorInvalidValue, "cudaMemcpyAsync");
    FAIL() << "an error passed";
  } catch (const CudaError& error) {
    EXPECT_EQ(error.name, "cudaErrorInvalidValue");
    EXPECT_EQ(error.call, "cudaMemcpyAsync");
    EXPECT_STREQ(error.what(), "cudaMemcpyAsync: cudaErrorInvalidValue (invalid argument)");
  }
#else
  GTEST_SKIP() << "this build has no CUDA";
#endif
}

TEST(CudaErrors, OfCublasDoToo) {
#ifdef RT_WITH_CUDA
  EXPECT_NO_THROW(checkBlas(CUBLAS_STATUS_SUCCESS, "cublasCreate"));
  try {
    checkBlas(CUBLAS_STATUS_ALLOC_FAILED, "cublasCreate");
    FAIL() << "an error passed";
  } catch (const CudaError& error) {
    EXPECT_EQ(error.name, "CUBLAS_STATUS_ALLOC_FAILED");
    EXPECT_EQ(error.call, "cublasCreate");
  }
#else
  GTEST_SKIP() << "this build has no CUDA";
#endif
}

TEST(CudaErrors, OutOfMemorySaysHowManyBytes) {
#ifdef RT_WITH_CUDA
  EXPECT_THROW(checkAllocation(cudaErrorInvalidValue, "cudaMallocAsync", 8), CudaError);
  try {
    checkAllocation(cudaErrorMemoryAllocation, "cudaMallocAsync", 123456789);
    FAIL() << "an error passed";
  } catch (const CudaOutOfMemory& error) {
    EXPECT_EQ(error.name, "cudaErrorMemoryAllocation");
    EXPECT_EQ(error.asked, 123456789u);
    const std::string free = std::to_string(error.free);
    EXPECT_EQ(error.what(), "cudaMallocAsync: cudaErrorMemoryAllocation (123456789 bytes were asked for, " + free + " are free)");
  }
#else
  GTEST_SKIP() << "this build has no CUDA";
#endif
}

}  // namespace
}  // namespace rt
