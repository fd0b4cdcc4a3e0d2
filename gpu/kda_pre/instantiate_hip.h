// The AMD kernels of one token count, for the files in instantiations/: exact special functions,
// the same with taps, and the chip's own special functions.
#ifndef SAMEBITS_GPU_KDA_PRE_INSTANTIATE_HIP_H_
#define SAMEBITS_GPU_KDA_PRE_INSTANTIATE_HIP_H_

#include "gpu/kda_pre/kernel.h"
#include "gpu/lane/hip.h"

/// Two waves per SIMD: one block of 8 waves on a compute unit, 256 registers for a thread.
#define SAMEBITS_KDA_PRE_KERNEL(name, tokens, form, taps)                                   \
  extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(512, 512))) \
  __attribute__((amdgpu_waves_per_eu(2, 2))) void                                           \
  name(samebits::gpu::kda_pre::Params params) {                                             \
    using namespace samebits::gpu;                                                          \
    kda_pre::KdaPre<HipLane, tokens, form, taps>(HipLane{}, params);                        \
  }

#define SAMEBITS_KDA_PRE_KERNELS(tokens)                                                          \
  SAMEBITS_KDA_PRE_KERNEL(kda_pre_exact, tokens, samebits::gpu::kda_pre::Form::kExact, false)     \
  SAMEBITS_KDA_PRE_KERNEL(kda_pre_exact_taps, tokens, samebits::gpu::kda_pre::Form::kExact, true) \
  SAMEBITS_KDA_PRE_KERNEL(kda_pre_native, tokens, samebits::gpu::kda_pre::Form::kNative, false)

#endif  // SAMEBITS_GPU_KDA_PRE_INSTANTIATE_HIP_H_
