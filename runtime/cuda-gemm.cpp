// Matrix products by cuBLAS.
#include "runtime/cuda-parts.h"

#include "runtime/cuda-blas.h"
#include "runtime/half.h"

#include <memory>

namespace rt {
namespace {

// One a thread: a handle belongs to a stream.
cublasHandle_t handle() {
  thread_local const std::unique_ptr<cublasContext, cublasStatus_t (*)(cublasHandle_t)> made([] {
    cublasHandle_t made = nullptr;
    checkBlas(blas().create(&made), "cublasCreate");
    return made;
  }(), blas().destroy);
  checkBlas(blas().setStream(made.get(), static_cast<cudaStream_t>(currentStream())), "cublasSetStream");
  return made.get();
}

// cuBLAS has matrices column by column: what it multiplies are the transposed ones, in the other order. Half types are summed in
// float; float is not rounded to TF32 on the way.
template <typename T> bool multiply(cudaDataType_t type, cublasComputeType_t compute, const Gemm& g) {
  const T one = 1, zero = 0;
  checkBlas(blas().gemmStridedBatched(handle(), CUBLAS_OP_N, CUBLAS_OP_N, g.n, g.m, g.k, &one, g.b, type, g.n, g.k * g.n, g.a, type, g.k, g.m * g.k, &zero,
                                          g.c, type, g.n, g.m * g.n, g.count, compute, CUBLAS_GEMM_DEFAULT),
            "cublasGemmStridedBatchedEx");
  return true;
}

}  // namespace

bool gemmOnGpu(DType dtype, const Gemm& g) {
  if (g.count * g.m * g.n == 0) return true;
  switch (dtype) {
    case DType::float16: return multiply<float>(CUDA_R_16F, CUBLAS_COMPUTE_32F, g);
    case DType::bfloat16: return multiply<float>(CUDA_R_16BF, CUBLAS_COMPUTE_32F, g);
    case DType::float32: return multiply<float>(CUDA_R_32F, CUBLAS_COMPUTE_32F, g);
    case DType::float64: return multiply<double>(CUDA_R_64F, CUBLAS_COMPUTE_64F, g);
    default: return false;
  }
}

}  // namespace rt
