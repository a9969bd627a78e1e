// The GPU's table: memory, copies, streams and events; kernels are in the .cu files. Work goes to the thread's current stream.
#include "runtime/backend.h"
#include "runtime/cuda-check.h"
#include "runtime/cuda-parts.h"

#include <cstdint>

namespace rt {
namespace {

cudaStream_t streamOf(void* handle) { return static_cast<cudaStream_t>(handle); }
cudaEvent_t eventOf(void* handle) { return static_cast<cudaEvent_t>(handle); }

// CUDA's pool orders reuse by stream. It keeps what is released, instead of giving it back when something waits for the device.
bool keepReleasedMemory() {
  cudaMemPool_t pool;
  uint64_t most = UINT64_MAX;
  checkCuda(cudaDeviceGetDefaultMemPool(&pool, 0), "cudaDeviceGetDefaultMemPool");
  checkCuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most), "cudaMemPoolSetAttribute");
  return true;
}

void* allocate(size_t bytes) {
  [[maybe_unused]] static const bool kept = keepReleasedMemory();
  void* memory = nullptr;
  checkAllocation(cudaMallocAsync(&memory, bytes ? bytes : 1, streamOf(currentStream())), "cudaMallocAsync", bytes);
  return memory;
}
void release(void* memory) { cudaFreeAsync(memory, streamOf(currentStream())); }

void copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  checkCuda(cudaMemcpyAsync(to, from, bytes, kind, streamOf(currentStream())), "cudaMemcpyAsync");
  checkCuda(cudaStreamSynchronize(streamOf(currentStream())), "cudaStreamSynchronize");
}
void toHost(void* host, const void* device, size_t bytes) { copy(host, device, bytes, cudaMemcpyDeviceToHost); }
void fromHost(void* device, const void* host, size_t bytes) { copy(device, host, bytes, cudaMemcpyHostToDevice); }

void* makeStream() {
  cudaStream_t stream = nullptr;
  checkCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}
void endStream(void* stream) { cudaStreamDestroy(streamOf(stream)); }
void finishStream(void* stream) { checkCuda(cudaStreamSynchronize(streamOf(stream)), "cudaStreamSynchronize"); }

void* makeEvent() {
  cudaEvent_t event = nullptr;
  checkCuda(cudaEventCreate(&event), "cudaEventCreate");
  return event;
}
void endEvent(void* event) { cudaEventDestroy(eventOf(event)); }
void finishEvent(void* event) { checkCuda(cudaEventSynchronize(eventOf(event)), "cudaEventSynchronize"); }
void record(void* event, void* stream) { checkCuda(cudaEventRecord(eventOf(event), streamOf(stream)), "cudaEventRecord"); }
void block(void* event, void* stream) { checkCuda(cudaStreamWaitEvent(streamOf(stream), eventOf(event)), "cudaStreamWaitEvent"); }
double seconds(void* from, void* to) {
  float milliseconds = 0;
  checkCuda(cudaEventElapsedTime(&milliseconds, eventOf(from), eventOf(to)), "cudaEventElapsedTime");
  return milliseconds / 1e3;
}

}  // namespace

const Backend* cudaBackend() {
  static constexpr Backend table = {allocate, release, toHost, fromHost, elementwiseOnGpu, convertOnGpu, gemmOnGpu,
                                    {makeStream, endStream, finishStream, makeEvent, endEvent, finishEvent, record, block, seconds}};
  return &table;
}

bool cudaAvailable() {
  int count = 0;
  const bool found = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  cudaGetLastError();
  return found;
}

}  // namespace rt
