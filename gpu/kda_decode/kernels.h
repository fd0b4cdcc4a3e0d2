// Host addresses of the CUDA kernels; one explicit instantiation per file in instantiations/.
#ifndef SAMEBITS_GPU_KDA_DECODE_KERNELS_H_
#define SAMEBITS_GPU_KDA_DECODE_KERNELS_H_

namespace samebits::gpu::kda_ws {

/// The kernel for T tokens, as cudaLaunchKernel takes it.
template <int T>
const void* KernelOf(bool taps);

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_KERNELS_H_
