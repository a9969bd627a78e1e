#include "analyzer/source/cuda.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

namespace lint {

namespace path = llvm::sys::path;

// Without __CUDACC__ and __CUDA__ the toolkit's and LibTorch's headers show what they show to a host compiler. The attributes
// come last: those headers define them to nothing then.
const char* const cudaHeader = R"(#pragma once
#include <cmath>
#include <cstdlib>
#include <cstring>
#if __has_include(<cuda_runtime.h>)
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#else
struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};
typedef struct CUstream_st* cudaStream_t;
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
extern const int warpSize;
#endif
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, struct CUstream_st* stream = nullptr);
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, struct CUstream_st* stream = nullptr);
void __syncthreads();
#undef __host__
#undef __device__
#undef __global__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __launch_bounds__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
)";

bool isCudaName(const std::string& file) {
  llvm::StringRef extension = path::extension(file);
  return extension == ".cu" || extension == ".cuh";
}

Toolkit findToolkit(const std::string& given, const std::string& nvcc) {
  Toolkit toolkit;
  auto look = [&](const std::string& folder) {
    if (folder.empty() || !toolkit.folder.empty() || llvm::is_contained(toolkit.lookedIn, folder)) return;
    toolkit.lookedIn.push_back(folder);
    if (llvm::sys::fs::exists(folder + "/include/cuda_runtime.h")) toolkit.folder = folder;
  };
  look(given);
  if (!given.empty()) return toolkit;
  llvm::SmallString<256> real;
  if (path::is_absolute(nvcc) && !llvm::sys::fs::real_path(nvcc, real)) {
    std::string prefix = path::parent_path(path::parent_path(real)).str();
    look(prefix);
    look(prefix + "/targets/x86_64-linux");  // as conda lays it out
  }
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (auto value = llvm::sys::Process::GetEnv(name)) look(*value);
  for (const char* folder : {"/usr/local/cuda", "/opt/cuda", "/usr"}) look(folder);
  return toolkit;
}

std::vector<std::string> cudaFlags(const Toolkit& toolkit) {
  std::vector<std::string> flags = {"-xcuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-U__CUDA__", "-include" + std::string(cudaHeaderPath)};
  if (toolkit.folder.empty() || toolkit.folder == "/usr") return flags;
  flags.push_back("-isystem" + toolkit.folder + "/include");
  if (std::string cccl = toolkit.folder + "/include/cccl"; llvm::sys::fs::is_directory(cccl)) flags.push_back("-isystem" + cccl);
  return flags;
}

}  // namespace lint
