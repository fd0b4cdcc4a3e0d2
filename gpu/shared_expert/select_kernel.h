// From a number of tokens to the kernel that was compiled for it.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_SELECT_KERNEL_H_
#define SAMEBITS_GPU_SHARED_EXPERT_SELECT_KERNEL_H_

#include <utility>

#include "model/shared_expert/config.h"

namespace samebits::gpu::shared_expert {

namespace internal {

template <template <int> class Kernel, int... kIndex>
auto SelectKernel(int n, bool taps, std::integer_sequence<int, kIndex...>) {
  using Function = decltype(&Kernel<8>::Of);
  static constexpr Function kKernels[] = {&Kernel<8 * (kIndex + 1)>::Of...};
  return kKernels[n / 8 - 1](taps);
}

}  // namespace internal

/// Kernel<n>::Of(taps), for n = 8, 16 .. kMaxBatch.
template <template <int> class Kernel>
auto SelectKernel(int n, bool taps) {
  return internal::SelectKernel<Kernel>(
      n, taps, std::make_integer_sequence<int, samebits::shared_expert::kMaxBatch / 8>());
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_SELECT_KERNEL_H_
