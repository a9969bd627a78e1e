// Stands in for a toolkit's: types that launches need, and declarations that mean something to nvcc only.
#define CUDA_VERSION 99000
#define CUDART_VERSION 99000
struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
typedef struct CUstream_st* cudaStream_t;
__tile_of_the_future__ void future(__nv_future_type x);
