#pragma once
__host__ __device__ inline int either_size(int n) { return n * WIDTH; }
inline void host_only(int n) { static_cast<void>(n); }
__device__ inline unsigned lane() { unsigned id; asm("mov.u32 %0, %%laneid;" : "=r"(id)); return __popc(id); }
