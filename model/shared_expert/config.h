// The configuration of one case of the shared expert (SPEC.md sections 1.3 and 2). Shared by the
// model and the GPU code.
//
// A case is all that one device does for `steps` decode steps. Each step runs the ranks of the case
// one after the other (rank -1: 0..tp-1, else that one rank): FUSED is one launch per (step, rank),
// SPLIT and FRONT are a gate half and a SharedDown per (step, rank). Step s reads x[s], pushes into
// mailbox half (parity + s) % 2 and finds the counters as the step before left them. With
// `consumer` every step ends with the receiving side of all ranks (4.9).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_CONFIG_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_CONFIG_H_

#include <cstdint>

namespace samebits::shared_expert {

enum class Variant : uint8_t { kFused, kSplit, kFront };

inline constexpr int kAllRanks = -1;
inline constexpr int kMaxTp = 64;
inline constexpr int kMaxBatch = 128;
inline constexpr int kMaxSteps = 8;
inline constexpr int kMaxWidth = 16384;
inline constexpr int kMaxCapacity = 4096;
inline constexpr int kMaxCluster = 16;
inline constexpr int kCounters = 2;  // [0] arrivals, [1] passes of the grid barrier (6.6)
inline constexpr int kBlockK = 64;   // elements of a K block
inline constexpr int kTileRows = 64;
/// "Empty" word of a mailbox: float32 -0, or the bf16 pair (+0, -0) (SPEC.md 1.2).
inline constexpr uint32_t kSentinel = 0x80000000u;

/// The sizes of the layer. The defaults are the real model's; the formulas hold for any.
struct Geometry {
  int width = 7168;         // model width: K of gate/up, rows of down
  int intermediate = 6144;  // of all ranks together
  int latent = 3584;        // latent columns of all ranks (FRONT)
  int experts = 896;        // router logits of all ranks (FRONT)
  int grid = 120;           // CTAs of FUSED and of SPLIT's gate half
};

/// Rows of the front GEMM, of every rank alike (2.6). Rows [0, valid) are logits, rows [split,
/// split + latent/tp) latent columns, all others are computed and dropped.
struct Front {
  int valid = 112;
  int split = 112;
  int rows = 560;    // of the weight
  int pitch = 5376;  // bf16 elements from a token's mailbox row to the next
  int slot = 0;      // first logit of rank 0; rank R's is slot + R * valid
  int base = 0;      // first latent column of rank 0; rank R's is base + R * latent/tp
  int ks = 4;        // FRONT_KS: CTAs that share a tile's K blocks
};

struct Config {
  Variant variant = Variant::kFused;
  int tp = 8;
  int batch = 16;  // B, tokens
  int steps = 1;
  int rank = kAllRanks;  // or the one rank that runs
  int parity = 0;        // mailbox half of the first step
  int capacity = 128;    // token rows of a mailbox slot
  bool consumer = false;
  int sms = 28;  // CTAs of SharedDown
  float beta = 4.0f;
  float linear_beta = 25.0f;  // <= 0: the up value passes (4.6)
  Geometry geometry;
  Front front;  // read with Variant::kFront only

  bool has_front() const { return variant == Variant::kFront; }
  int ranks() const { return rank == kAllRanks ? tp : 1; }
  /// Tensor-parallel rank of index i < ranks() of the operands' rank dimension.
  int rank_of(int i) const { return rank == kAllRanks ? i : rank; }
  int parity_of(int step) const { return (parity + step) % 2; }
  int slot_of(int r) const { return front.slot + r * front.valid; }
  int base_of(int r) const { return front.base + r * (geometry.latent / tp); }
  /// Constraints C1..C8 (SPEC.md 2.5). Throws ConfigError (model/contract.h) that names the field,
  /// the reason and the constraint.
  void validate() const;
};

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_CONFIG_H_
