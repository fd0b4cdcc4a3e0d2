// What follows from a configuration (SPEC.md 2.4): tiles, K spans, ring and shared memory of the
// kernels as the source describes them. All constexpr, for kernels that are compiled per shape.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_DERIVED_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_DERIVED_H_

#include <algorithm>
#include <cstdint>

#include "model/shared_expert/config.h"

namespace samebits::shared_expert {

inline constexpr int kRingBudget = 81920;          // bytes of the ring, FUSED and SPLIT's gate half
inline constexpr int kDownBudget = 204800;         // bytes of SharedDown, barriers apart
inline constexpr int kSharedMemoryLimit = 232448;  // bytes per CTA (C4)
inline constexpr int kAlignmentReserve = 1024;     // kept free by FRONT's ring

constexpr int CeilDiv(int a, int b) { return (a + b - 1) / b; }

/// Numbers in the specification's terms. Defined for configurations that satisfy the divisibility
/// of C1; Config::validate checks that before it derives anything.
struct Derived {
  // Sizes of the problem.
  int k_blocks = 0;      // of the model width: 112
  int hidden = 0;        // this rank's intermediate columns
  int down_blocks = 0;   // K blocks of down
  int down_tiles = 0;    // ROWS: 64-row tiles of down, 112
  int shard = 0;         // output columns per peer
  int latent_shard = 0;  // latent columns per rank
  int n = 0;             // batch rounded up to a multiple of 8
  // Gate/up and front.
  int gate_tiles = 0, front_tiles = 0, tiles = 0;
  int grid = 0;
  int ks = 0;           // cluster size: CTAs that share a tile's K blocks
  int blocks = 0;       // most K blocks of a CTA
  int owner_width = 0;  // h columns per owner
  int owners = 0;
  // Kernels.
  int tmem_columns = 0;    // of one accumulator
  int stage_bytes = 0;     // W tile and x tile
  int stages = 0;          // of the ring of FUSED or the gate half
  int received_bytes = 0;  // what an owner gets from its cluster
  int shared_bytes = 0;    // FUSED or gate half, alignment apart
  int down_image_bytes = 0, down_stages = 0,
      down_shared_bytes = 0;  // SharedDown; stages can be < 1

  constexpr bool operator==(const Derived&) const = default;
};

namespace internal {

constexpr int TmemColumns(int n) {
  int columns = 32;
  while (columns < n) columns *= 2;
  return columns;
}

/// Shared memory of FUSED or a gate half without the ring and its barriers.
constexpr int FixedBytes(const Derived& d, bool front) {
  const int staged = 2 * d.n * d.owner_width;
  const int published = front ? 8 * d.n * (d.owner_width + 1) : 0;
  return d.received_bytes + staged + published + 3 * 8 + 4;
}

constexpr int RingStages(const Config& c, const Derived& d) {
  constexpr int kBarriers = 2 * 8;  // full and empty of a stage
  if (c.variant == Variant::kFront) {
    const int room = kSharedMemoryLimit - kAlignmentReserve - FixedBytes(d, true);
    return std::min(d.blocks, room / (d.stage_bytes + kBarriers));
  }
  const int later = c.variant == Variant::kFused ? d.down_blocks : 0;
  return std::min(d.blocks + later, kRingBudget / d.stage_bytes);
}

}  // namespace internal

constexpr Derived Derive(const Config& c) {
  const bool front = c.variant == Variant::kFront;
  const Geometry& g = c.geometry;
  Derived d;
  d.k_blocks = g.width / kBlockK;
  d.hidden = g.intermediate / c.tp;
  d.down_blocks = d.hidden / kBlockK;
  d.down_tiles = g.width / kTileRows;
  d.shard = g.width / c.tp;
  d.latent_shard = g.latent / c.tp;
  d.n = CeilDiv(c.batch, 8) * 8;
  d.gate_tiles = 2 * d.hidden / kTileRows;
  d.front_tiles = front ? CeilDiv(c.front.rows, kTileRows) : 0;
  d.tiles = d.gate_tiles + d.front_tiles;
  d.grid = front ? c.front.ks * d.tiles : g.grid;
  d.ks = d.grid / d.tiles;
  d.blocks = d.ks == 0 ? 0 : CeilDiv(d.k_blocks, d.ks);
  d.owner_width = d.ks < 8 ? 8 : 4;
  d.owners = 32 / d.owner_width;
  d.tmem_columns = internal::TmemColumns(d.n);
  d.stage_bytes = 8192 + 128 * d.n;
  d.received_bytes = d.ks * 2 * d.owner_width * d.n * 4;
  d.stages = internal::RingStages(c, d);
  d.shared_bytes = d.stages * (d.stage_bytes + 16) + internal::FixedBytes(d, front);
  d.down_image_bytes = d.down_blocks * d.n * 128;
  const int ring = kDownBudget - d.down_image_bytes - d.n * 272;
  d.down_stages = ring < 0 ? -1 : std::min(24, ring / 8192);
  d.down_shared_bytes = d.down_image_bytes + d.n * 272 + d.down_stages * (8192 + 16) + 5 * 8 + 4;
  return d;
}

/// Weight row of row r < 64 of tile m (SPEC.md 3.1): of gate_up for m < gate_tiles, else of front.
constexpr int WeightRow(const Derived& d, int m, int r) {
  if (m >= d.gate_tiles) return kTileRows * (m - d.gate_tiles) + r;
  return r < 32 ? 32 * m + r : d.hidden + 32 * m + (r - 32);
}

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_DERIVED_H_
