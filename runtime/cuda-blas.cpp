#include "runtime/cuda-blas.h"

#include <dlfcn.h>

#include <string>

namespace rt {
namespace {

#define RT_TEXT_OF(x) #x
#define RT_TEXT(x) RT_TEXT_OF(x)
constexpr const char* name = "libcublas.so." RT_TEXT(CUBLAS_VER_MAJOR);

// The system's, or that of the toolkit that this was built with.
void* library() {
  for (const std::string& path : {std::string(name), std::string(RT_CUDA_LIBRARIES) + "/" + name})
    if (void* found = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
  const char* why = dlerror();
  throw CudaError("dlopen", name, why ? why : "it cannot be loaded");
}

template <typename F> void find(void* from, const char* symbol, F& function) {
  function = reinterpret_cast<F>(dlsym(from, symbol));
  if (!function) throw CudaError("dlsym", symbol, std::string("it is not in ") + name);
}

}  // namespace

const Blas& blas() {
  static const Blas loaded = [] {
    void* from = library();
    Blas b;
    find(from, "cublasCreate_v2", b.create);
    find(from, "cublasDestroy_v2", b.destroy);
    find(from, "cublasSetStream_v2", b.setStream);
    find(from, "cublasGemmStridedBatchedEx_64", b.gemmStridedBatched);
    find(from, "cublasGetStatusName", b.statusName);
    find(from, "cublasGetStatusString", b.statusText);
    return b;
  }();
  return loaded;
}

}  // namespace rt
