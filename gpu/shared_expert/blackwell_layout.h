// Threads and shared memory of the sm_100a kernels (SPEC.md 2.4, 6.1).
#ifndef SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_LAYOUT_H_
#define SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_LAYOUT_H_

#include "gpu/shared_expert/hopper_layout.h"
#include "model/shared_expert/derived.h"

namespace samebits::gpu::shared_expert {

inline constexpr int kLoaders = 128;           // warps 0..3
inline constexpr int kBlackwellThreads = 160;  // and warp 4, which issues products
inline constexpr int kBlackwellDownThreads = 192;
inline constexpr int kPushPitch = 68;  // float32 elements of a token in the staged output tile

/// TMEM columns of an accumulator of n tokens.
constexpr int TmemColumnsOf(int n) { return n <= 32 ? 32 : n <= 64 ? 64 : 128; }

/// Byte offsets of FUSED and the gate halves. The ring comes first, 1024-byte aligned.
struct BlackwellLayout {
  int received;   // f32 [ks][2 halves][width][n]
  int staged;     // bf16 [n][width]: an owner's h
  int published;  // FRONT: f32 [n][2 halves][width + 1]
  int barriers;   // full [stages], empty [stages], done [2], receive, drained
  int slot;       // word: address of the tensor memory
  int bytes;
};
/// Weights and rows of a K block.
constexpr int BlackwellStageBytes(int n) { return kWeightTileBytes + 128 * n; }
constexpr BlackwellLayout MakeBlackwellLayout(int n, int stages, int ks, int width, bool front) {
  BlackwellLayout at{};
  at.received = stages * BlackwellStageBytes(n);
  at.staged = at.received + ks * 2 * width * n * 4;
  at.published = at.staged + 2 * n * width;
  at.barriers = at.published + (front ? 8 * n * (width + 1) : 0);
  at.slot = at.barriers + (2 * stages + 4) * 8;
  at.bytes = at.slot + 4;
  return at;
}

/// SharedDown: the h image, the ring, the staged tile, barriers (6.8).
struct BlackwellDownLayout {
  int ring;      // 1024-byte aligned
  int staging;   // f32 [n][kPushPitch]
  int barriers;  // full [stages], empty [stages], accumulator full [2], empty [2], h ready
  int slot;
  int bytes;
};
constexpr BlackwellDownLayout MakeBlackwellDownLayout(int n, int stages, int down_blocks) {
  BlackwellDownLayout at{};
  at.ring = down_blocks * n * 128;
  at.staging = at.ring + stages * kWeightTileBytes;
  at.barriers = at.staging + n * kPushPitch * 4;
  at.slot = at.barriers + (2 * stages + 5) * 8;
  at.bytes = at.slot + 4;
  return at;
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_LAYOUT_H_
