// The only words of a device compiler that a kernel source contains.
#ifndef SAMEBITS_GPU_LANE_ANNOTATE_H_
#define SAMEBITS_GPU_LANE_ANNOTATE_H_

#if defined(__HIP__)
#define SAMEBITS_DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#define SAMEBITS_UNROLL _Pragma("unroll")
#define SAMEBITS_ROLLED _Pragma("nounroll")
#elif defined(__CUDACC__)
#define SAMEBITS_DEVICE __device__ __forceinline__
#define SAMEBITS_UNROLL _Pragma("unroll")
#define SAMEBITS_ROLLED _Pragma("unroll 1")
#else
// An executor on the CPU: kernels are ordinary inline functions.
#define SAMEBITS_DEVICE inline
#define SAMEBITS_UNROLL
#define SAMEBITS_ROLLED
#endif

#endif  // SAMEBITS_GPU_LANE_ANNOTATE_H_
