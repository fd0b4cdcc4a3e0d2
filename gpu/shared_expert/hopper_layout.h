// Threads and shared memory of the sm_90a kernels.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_LAYOUT_H_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_LAYOUT_H_

#include <cstdint>

#include "model/shared_expert/config.h"

namespace samebits::gpu::shared_expert {

inline constexpr int kWeightTileBytes = 8192;  // [64 rows][64 columns] bf16
inline constexpr int kMaxStages = 24;
inline constexpr int kStagingPitch = 72;  // bf16 elements of a token in the staged output tile

/// Warpgroups that share the tokens of a block.
constexpr int HopperGroups(int n) { return n >= 32 && n % 16 == 0 ? 2 : 1; }
constexpr int HopperConsumers(int n) { return 128 * HopperGroups(n); }
constexpr int HopperThreads(int n) { return HopperConsumers(n) + 32; }
/// Blocks that share a multiprocessor, for the register budget: two, so that the next launch's can
/// load weights while this one's exchange.
constexpr int HopperBlocks(int n) { return n <= 64 ? 2 : 1; }

/// Byte offsets, from a 1024-byte aligned base. The ring comes first.
constexpr int HopperStageBytes(int n) { return kWeightTileBytes + 128 * n; }
/// Whether SharedDown empties the parts that a gate half has summed, which it can while h is under
/// way, or the gate half itself: many parts stand in the way of h.
constexpr bool HopperDownEmpties(int n) { return n < 32; }
/// K blocks of the first ring that one barrier counts.
inline constexpr int kTogether = 2;
inline constexpr int kMaxRuns = (kMaxStages + kTogether - 1) / kTogether;
constexpr int kHopperTailBytes = (2 * kMaxStages + kMaxRuns) * 8 + 16;  // barriers; one word
constexpr int HopperSharedBytes(int n, int stages) {
  return stages * HopperStageBytes(n) + kHopperTailBytes;
}

/// SharedDown: h as tiles, the ring of weights, the staged output tile, barriers.
constexpr int HopperDownStagingBytes(int n) { return (n * kStagingPitch * 2 + 1023) / 1024 * 1024; }
constexpr int HopperDownSharedBytes(int n, int down_blocks, int stages) {
  return down_blocks * n * 128 + HopperDownStagingBytes(n) + stages * kWeightTileBytes +
         (2 * kMaxStages + 1) * 8;
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_LAYOUT_H_
