// The GPU's table: the same rows, a thread an element. Every CUDA error becomes an rt::Error that names it.
#include "runtime/loops.h"
#include "runtime/tensor.h"

#include <cuda_runtime.h>

namespace rt {
namespace {

constexpr int threads = 256;
constexpr int64_t mostBlocks = 1 << 20;

void check(cudaError_t error, const std::string& what) {
  if (error != cudaSuccess) throw Error(what + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")");
}

template <Op op, typename S> __global__ void elementwiseKernel(Loop loop, int64_t n) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
    int64_t offsets[4];
    offsetsOf<formula::Row<op, S>::arity>(loop, i, offsets);
    Element<op, S>::at(loop, offsets);
  }
}

template <typename To, typename From> __global__ void convertKernel(Loop loop, int64_t n) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
    int64_t offsets[4];
    offsetsOf<1>(loop, i, offsets);
    static_cast<To*>(loop.out)[offsets[0]] = convertTo<To>(static_cast<const From*>(loop.in[0])[offsets[1]]);
  }
}

int blocksFor(int64_t n) { return int(std::min((n + threads - 1) / threads, mostBlocks)); }

template <Op op, typename S> bool launch(const Loop& loop) {
  if constexpr (formula::computes<formula::Row<op, S>::rule, S>()) {
    int64_t n = numelOf(loop.shape);
    if (n == 0) return true;
    elementwiseKernel<op, S><<<blocksFor(n), threads>>>(loop, n);
    check(cudaGetLastError(), info(op).name);
    return true;
  } else {
    return false;
  }
}

// Tensors of the narrow integers stay on the CPU: verification on a device runs the dtypes that models train with.
template <Op op> bool elementwiseFor(DType dtype, const Loop& loop) {
  switch (dtype) {
    case DType::boolean: return launch<op, bool>(loop);
    case DType::int64: return launch<op, int64_t>(loop);
    case DType::float16: return launch<op, Half>(loop);
    case DType::bfloat16: return launch<op, BFloat16>(loop);
    case DType::float32: return launch<op, float>(loop);
    case DType::float64: return launch<op, double>(loop);
    default: throw Error(std::string(info(op).name) + ": not on the GPU for tensors of " + dtypeName(dtype));
  }
}

bool elementwiseOnGpu(Op op, DType dtype, const Loop& loop) {
  switch (op) {
#define ROW(name) case Op::name: return elementwiseFor<Op::name>(dtype, loop);
#define UNARY(name, ...) ROW(name)
#define BINARY(name, ...) ROW(name)
#define TERNARY(name, ...) ROW(name)
#include "runtime/ops.def"
#undef ROW
    default: return false;
  }
}

template <typename To> void convertFrom(DType from, const Loop& loop, int64_t n) {
  switch (from) {
#define DTYPE(name, type, kind, constant) case DType::name: convertKernel<To, type><<<blocksFor(n), threads>>>(loop, n); break;
#include "runtime/dtypes.def"
  }
}

void convertOnGpu(DType to, DType from, const Loop& loop) {
  int64_t n = numelOf(loop.shape);
  if (n == 0) return;
  switch (to) {
#define DTYPE(name, type, kind, constant) case DType::name: convertFrom<type>(from, loop, n); break;
#include "runtime/dtypes.def"
  }
  check(cudaGetLastError(), "conversion");
}

void* allocateOnGpu(size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes ? bytes : 1), "allocation of " + std::to_string(bytes) + " bytes on the GPU");
  return memory;
}
void releaseOnGpu(void* memory) { cudaFree(memory); }
void toHost(void* host, const void* device, size_t bytes) { check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copy to the host"); }
void fromHost(void* device, const void* host, size_t bytes) { check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy to the GPU"); }

}  // namespace

const Backend* cudaBackend() {
  static const Backend table = {allocateOnGpu, releaseOnGpu, toHost, fromHost, elementwiseOnGpu, convertOnGpu};
  return &table;
}

bool cudaAvailable() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

}  // namespace rt
