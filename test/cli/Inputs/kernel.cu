// Device code as it comes: nothing of it is known to a host compiler.
#include "scale.cuh"

__constant__ float table[4];
__device__ int counter;

template <typename T>
__global__ void __launch_bounds__(256, 2) scale(T* x, T factor, int n) {
  extern __shared__ unsigned char raw[];
  __shared__ T tile[32][33];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = __ldg(x + i);
  __syncthreads();
  T other = __shfl_down_sync(0xffffffff, tile[0][0], 1);
  if (i < n) atomicAdd(x + i, table[i & 3] * other * factor);
  asm volatile("bar.sync 0;");
}

__global__ void nothing() { __nanosleep(100); }
__device__ auto deduced(float x) { return __saturatef(x); }
__device__ __forceinline__ float fast(float x) { return __expf(x) + rsqrtf(x); }
__host__ __device__ inline float both(float x) { return x > 0 ? x : -x; }

void launch(float* x, int n, cudaStream_t stream) {
  scale<float><<<dim3(4, 2), 256, 0, stream>>>(x, both(2.f), n);
  scale<double><<<(n + 255) / 256, dim3(32, 8)>>>(nullptr, 1., n);
  nothing<<<1, 1>>>();
  auto kernel = [=] __device__(int i) { return __fdividef(x[i], fast(x[i])); };
  auto either = [=] __host__ __device__(int i) { return either_size(i); };
  (void)kernel;
  host_only(n);
}
