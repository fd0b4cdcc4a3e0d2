// Threads and shared memory of the sm_90a kernels.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_LAYOUT_H_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_LAYOUT_H_

#include <cstdint>

#include "model/shared_expert/config.h"

namespace samebits::gpu::shared_expert {

inline constexpr int kWeightTileBytes = 8192;  // [64 rows][64 columns] bf16
inline constexpr int kMaxStages = 24;
inline constexpr int kStagingPitch = 72;  // bf16 elements of a token in the staged output tile

/// Shared memory of a block where two share a multiprocessor, and of both.
inline constexpr int kHalfSharedMemory = 115712;
inline constexpr int kTwoBlocks = 2 * kHalfSharedMemory;

// A warpgroup multiplies, the warps of the other one load (hopper_stream.cuh).

inline constexpr int kStreamThreads = 128;
inline constexpr int kStreamWarps = kStreamThreads / 32;
/// Warps of the other warpgroup: one loads weights, these load rows.
inline constexpr int kRowLoaders = 3;
inline constexpr int kRowThreads = 32 * kRowLoaders;
inline constexpr int kHalfThreads = 2 * kStreamThreads;
/// Two thread blocks share a multiprocessor's registers, in a block the warpgroups: most are
/// weights.
inline constexpr int kStreamRegisters = 216, kLoaderRegisters = 40;
/// The loaders of FUSED do more.
inline constexpr int kFusedStreamRegisters = 200, kFusedLoaderRegisters = 56;
/// Per thread at the start.
inline constexpr int kHalfRegisters = (kStreamRegisters + kLoaderRegisters) / 2;
/// A gate half's sums need fewer.
inline constexpr int kReduceRegisters = 128;
/// K blocks of weights in registers, 16 of them a block.
constexpr int HopperGateHeld(int n) { return n <= 32 ? 10 : n <= 64 ? 8 : 4; }
constexpr int HopperFusedHeld(int n) { return n <= 24 ? 10 : n <= 64 ? 8 : 4; }
constexpr int HopperDownHeld(int n) { return n <= 24 ? 10 : n <= 64 ? 6 : 4; }
/// K blocks of rows that one barrier counts.
inline constexpr int kTogether = 2;
inline constexpr int kMaxRuns = 16;
inline constexpr int kStreamBarriers = 2 * (kMaxStages + kMaxRuns);

/// Whether SharedDown empties the parts that a gate half has summed, which it can while h is under
/// way, or the gate half itself: many parts stand in the way of h.
constexpr bool HopperDownEmpties(int n) { return n < 32; }

/// Blocks of FUSED that share a multiprocessor: two, so that the next launch's can load weights
/// while this one's exchange.
constexpr int HopperFusedBlocks(int n) { return n <= 64 ? 2 : 1; }
/// K blocks of h that a block of FUSED asks for at once, at most: what registers hold beside the
/// accumulators.
constexpr int HopperFusedRows(int n) {
  return n <= 24 ? 12 : n <= 32 ? 10 : n <= 48 ? 6 : n <= 88 ? 4 : 2;
}

constexpr int HopperRunBytes(int n) { return kTogether * 128 * n; }
constexpr int HopperGateSharedBytes(int n, int stages, int runs) {
  return runs * HopperRunBytes(n) + stages * kWeightTileBytes + kStreamBarriers * 8;
}
/// FUSED has a word behind the barriers.
constexpr int HopperFusedSharedBytes(int n, int stages, int runs) {
  return HopperGateSharedBytes(n, stages, runs) + 16;
}
/// SharedDown has its output tile between rows and weights.
constexpr int HopperDownStagingBytes(int n) { return (n * kStagingPitch * 2 + 1023) / 1024 * 1024; }
constexpr int HopperDownSharedBytes(int n, int stages, int runs) {
  return HopperGateSharedBytes(n, stages, runs) + HopperDownStagingBytes(n);
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_LAYOUT_H_
