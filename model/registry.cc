#include <array>

#include "model/kda_decode/kernel.h"
#include "model/kernel.h"

namespace samebits {

std::span<const Kernel* const> Kernels() {
  static const std::array<const Kernel*, 1> kernels = {&kda_decode::GetKernel()};
  return kernels;
}

const Kernel* FindKernel(std::string_view name) {
  for (const Kernel* kernel : Kernels()) {
    if (kernel->name() == name) return kernel;
  }
  return nullptr;
}

}  // namespace samebits
