// RT_HD marks a function that is compiled for the host and, by nvcc, for the device.
#pragma once

#if defined(__CUDACC__)
#define RT_HD __host__ __device__
#else
#define RT_HD
#endif
