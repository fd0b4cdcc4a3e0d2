// Host addresses of the CUDA kernels; explicit instantiations in instantiations/.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_KERNELS_H_
#define SAMEBITS_GPU_SHARED_EXPERT_KERNELS_H_

namespace samebits::gpu::shared_expert {

inline constexpr int kMaxFrontTokens = 64;

/// As cudaLaunchKernel takes them. N: tokens rounded up to a multiple of 8.
template <int N>
const void* HopperFusedKernelOf(bool taps);
template <int N>
const void* HopperGateKernelOf(bool taps);
template <int N>
const void* HopperDownKernelOf(bool taps);
template <int N>
const void* BlackwellSharedKernelOf(bool taps);
/// nullptr for more tokens than FRONT takes (C2).
template <int N>
const void* BlackwellFrontKernelOf(bool taps);
template <int N>
const void* BlackwellDownKernelOf(bool taps);
const void* ConsumerKernel();

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_KERNELS_H_
