#include <array>

#include "model/kda_decode/kernel.h"
#include "model/kda_pre/kernel.h"
#include "model/kernel.h"
#include "model/shared_expert/kernel.h"

namespace samebits {

std::span<const Kernel* const> Kernels() {
  static const std::array<const Kernel*, 3> kernels = {
      &kda_decode::GetKernel(), &kda_pre::GetKernel(), &shared_expert::GetKernel()};
  return kernels;
}

const Kernel* FindKernel(std::string_view name) {
  for (const Kernel* kernel : Kernels()) {
    if (kernel->name() == name) return kernel;
  }
  return nullptr;
}

}  // namespace samebits
