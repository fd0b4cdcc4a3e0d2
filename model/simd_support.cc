#include "model/simd_support.h"

#include <hwy/targets.h>

namespace samebits {
namespace {

// Targets that compile under the flags of SAMEBITS_SIMD_FLAGS (cmake/SamebitsTargets.cmake).
constexpr int64_t kCompiled[] = {HWY_AVX3, HWY_AVX2};

}  // namespace

bool SimdSupported() {
  // Asked once: detection executes cpuid, which is slow in virtual machines.
  static const bool supported = !SimdTargets().empty();
  return supported;
}

std::vector<SimdTarget> SimdTargets() {
  std::vector<SimdTarget> targets;
  for (const int64_t bit : kCompiled) {
    if ((hwy::SupportedTargets() & bit) != 0) targets.push_back({bit, hwy::TargetName(bit)});
  }
  return targets;
}

}  // namespace samebits
