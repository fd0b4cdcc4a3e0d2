#include "model/shared_expert/config.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "model/contract.h"
#include "model/shared_expert/derived.h"

namespace samebits::shared_expert {
namespace {

template <typename... Args>
void Require(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) throw ConfigError(fmt::format(message, std::forward<Args>(args)...));
}

void RequireRange(const char* field, int64_t value, int64_t min, int64_t max, const char* source) {
  Require(value >= min && value <= max, "{}: {} is not in {}..{}{}", field, value, min, max,
          source);
}

/// What Derive divides by.
void CheckDivisible(const Config& c) {
  const Geometry& g = c.geometry;
  Require(g.intermediate % (kBlockK * c.tp) == 0,
          "tp: {} does not divide intermediate {} into multiples of 64 columns (C1)", c.tp,
          g.intermediate);
  Require(g.width % c.tp == 0 && g.width / c.tp % kTileRows == 0,
          "tp: {} does not divide width {} into multiples of 64, a down tile would straddle two "
          "peers (C1)",
          c.tp, g.width);
  Require(!c.has_front() || g.latent % c.tp == 0, "tp: {} does not divide latent {} (C1)", c.tp,
          g.latent);
}

void CheckTiles(const Config& c, const Derived& d) {
  Require(d.grid % d.tiles == 0 && d.ks > 0, "grid: {} is not a multiple of the {} tiles (C1)",
          d.grid, d.tiles);
  Require(d.owners <= d.ks, "{}: {} CTAs per tile are fewer than the {} owners of its columns (C1)",
          c.has_front() ? "front_ks" : "grid", d.ks, d.owners);
  Require(d.ks <= kMaxCluster, "{}: {} CTAs per tile, a cluster has at most {} (C1)",
          c.has_front() ? "front_ks" : "grid", d.ks, kMaxCluster);
  Require(d.ks <= d.k_blocks, "{}: {} CTAs share the {} K blocks of width {} (C1)",
          c.has_front() ? "front_ks" : "grid", d.ks, d.k_blocks, c.geometry.width);
  Require(c.variant != Variant::kFused || d.down_tiles <= d.grid,
          "grid: {} CTAs are fewer than the {} down tiles of FUSED (C1)", d.grid, d.down_tiles);
  Require(!c.has_front() || d.latent_shard % d.owner_width == 0,
          "latent: {} columns per rank are not a multiple of the owners' {} (C1)", d.latent_shard,
          d.owner_width);
}

/// C2..C6: what a CTA's threads, accumulators and shared memory hold.
void CheckKernelLimits(const Config& c, const Derived& d) {
  Require(!c.has_front() || 2 * c.batch <= 128,
          "batch: {} is above 64, FRONT publishes with one of 128 threads per token and half (C2)",
          c.batch);
  const int accumulators = c.variant == Variant::kFused ? 1 : 2;
  Require(d.n <= 256 && accumulators * d.tmem_columns <= 512,
          "batch: {} needs {} columns of the tensor memory, there are 512 (C3)", c.batch,
          accumulators * d.tmem_columns);
  Require(d.shared_bytes <= kSharedMemoryLimit,
          "batch: {} needs {} bytes of shared memory, a CTA has {} (C4)", c.batch, d.shared_bytes,
          kSharedMemoryLimit);
  Require(d.stages >= 1, "batch: {} leaves no ring stage (C4)", c.batch);
  if (c.variant == Variant::kFused) {
    Require(d.n * 272 <= d.stages * d.stage_bytes,
            "batch: the push tile of {} bytes exceeds the ring of {} (C6)", d.n * 272,
            d.stages * d.stage_bytes);
    return;
  }
  Require(d.down_stages >= 1,
          "batch: {} leaves SharedDown no ring stage beside h and the push tile in {} bytes (C5)",
          c.batch, kDownBudget);
  Require(d.down_shared_bytes <= kSharedMemoryLimit,
          "batch: SharedDown needs {} bytes of shared memory, a CTA has {} (C4)",
          d.down_shared_bytes, kSharedMemoryLimit);
  Require(!c.has_front() || 256 * d.n <= d.stages * d.stage_bytes,
          "batch: the staged parts of {} bytes exceed the ring of {} (C6)", 256 * d.n,
          d.stages * d.stage_bytes);
}

void CheckFront(const Config& c, const Derived& d) {
  const Front& f = c.front;
  RequireRange("front_valid", f.valid, 0, c.geometry.experts, " (C8)");
  Require(f.valid % d.owner_width == 0, "front_valid: {} is not a multiple of {} (C8)", f.valid,
          d.owner_width);
  Require(f.split % d.owner_width == 0, "front_split: {} is not a multiple of {} (C8)", f.split,
          d.owner_width);
  Require(f.split >= f.valid, "front_split: {} is below the {} logit rows (C8)", f.split, f.valid);
  Require(f.rows >= f.split + d.latent_shard,
          "front_rows: {} are fewer than split {} and the {} latent rows (C8)", f.rows, f.split,
          d.latent_shard);
  Require(f.slot >= 0 && f.slot % 4 == 0 && f.valid % 4 == 0,
          "front_slot: {} is not a multiple of 4 (C8)", f.slot);
  Require(f.base >= 0 && f.base % d.owner_width == 0, "front_base: {} is not a multiple of {} (C8)",
          f.base, d.owner_width);
  Require(f.pitch % 8 == 0, "front_pitch: {} is not a multiple of 8 (C8)", f.pitch);
  Require(f.pitch >= c.geometry.latent + 2 * c.geometry.experts,
          "front_pitch: {} is below the {} of latent columns and logits (C8)", f.pitch,
          c.geometry.latent + 2 * c.geometry.experts);
  const int last = c.rank_of(c.ranks() - 1);
  Require(c.slot_of(last) + f.valid <= c.geometry.experts,
          "front_slot: logits of rank {} end at {}, there are {} (C8)", last,
          c.slot_of(last) + f.valid, c.geometry.experts);
  Require(c.base_of(last) + d.latent_shard <= c.geometry.latent,
          "front_base: latent columns of rank {} end at {}, there are {} (C8)", last,
          c.base_of(last) + d.latent_shard, c.geometry.latent);
}

void CheckRanges(const Config& c) {
  RequireRange("tp", c.tp, 1, kMaxTp, " (C1)");
  RequireRange("width", c.geometry.width, kTileRows, kMaxWidth, "");
  RequireRange("intermediate", c.geometry.intermediate, kBlockK, kMaxWidth, "");
  RequireRange("latent", c.geometry.latent, 8, kMaxWidth, "");
  RequireRange("experts", c.geometry.experts, 4, kMaxWidth, "");
  Require(c.geometry.latent % 8 == 0, "latent: {} is not a multiple of 8 (C8)", c.geometry.latent);
  Require(c.geometry.width % kBlockK == 0, "width: {} is not a multiple of 64 (C1)",
          c.geometry.width);
  RequireRange("batch", c.batch, 1, kMaxBatch, " (C2)");
  RequireRange("steps", c.steps, 1, kMaxSteps, "");
  RequireRange("rank", c.rank, kAllRanks, c.tp - 1, " (C7)");
  RequireRange("parity", c.parity, 0, 1, " (C7)");
  Require(c.capacity >= c.batch && c.capacity <= kMaxCapacity,
          "capacity: {} is not in {}..{}, from batch on (C7)", c.capacity, c.batch, kMaxCapacity);
  RequireRange("sms", c.sms, 1, 1024, "");
  Require(!c.consumer || c.rank == kAllRanks,
          "consumer: needs all ranks, rank {} alone leaves empty words to wait for", c.rank);
  Require(std::isfinite(c.beta) && c.beta != 0.0f, "beta: {} is not finite and different from 0",
          c.beta);
  Require(std::isfinite(c.linear_beta), "linear_beta: {} is not finite", c.linear_beta);
}

}  // namespace

void Config::validate() const {
  CheckRanges(*this);
  CheckDivisible(*this);
  if (has_front()) {
    RequireRange("front_rows", front.rows, 1, kMaxWidth, " (C8)");
    RequireRange("front_ks", front.ks, 1, kMaxCluster, " (C1)");
  }
  const Derived derived = Derive(*this);
  CheckTiles(*this, derived);
  CheckKernelLimits(*this, derived);
  if (has_front()) CheckFront(*this, derived);
}

}  // namespace samebits::shared_expert
