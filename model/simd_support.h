// Which SIMD instruction sets the fast paths of the model run on.
#ifndef SAMEBITS_MODEL_SIMD_SUPPORT_H_
#define SAMEBITS_MODEL_SIMD_SUPPORT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace samebits {

/// Whether this machine runs the SIMD code (AVX2 at least). Without it, call the plain twins: the
/// SIMD translation units contain no older target.
bool SimdSupported();

/// One set that was compiled in and that this machine has.
struct SimdTarget {
  int64_t bit;       // for hwy::SetSupportedTargetsForTest
  std::string name;  // "AVX2", "AVX3" (AVX-512)
};

/// Best first; empty where SimdSupported() is false.
std::vector<SimdTarget> SimdTargets();

}  // namespace samebits

#endif  // SAMEBITS_MODEL_SIMD_SUPPORT_H_
