// The fingerprint of one operation on a block of 65536 inputs: those whose upper half is the block.
#ifndef SAMEBITS_GPU_PROBE_FINGERPRINT_H_
#define SAMEBITS_GPU_PROBE_FINGERPRINT_H_

#include <cstdint>

#include "gpu/lane/annotate.h"

namespace samebits::gpu::probe {

/// What one input adds, modulo 2^64: splitmix64's finaliser of (lower half of the input, result).
/// The block itself does not enter, so that blocks of one constant result have one fingerprint.
SAMEBITS_DEVICE uint64_t Contribution(uint32_t low_half, uint32_t result) {
  uint64_t z = (static_cast<uint64_t>(low_half) << 32 | result) + 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_FINGERPRINT_H_
