// What one launch of a shared_expert kernel is given, by value.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_PARAMS_H_
#define SAMEBITS_GPU_SHARED_EXPERT_PARAMS_H_

#include <cstdint>

#include "gpu/lane/types.h"
#include "model/shared_expert/config.h"
#include "model/shared_expert/operands.h"

namespace samebits::gpu::shared_expert {

using samebits::shared_expert::kBlockK;
using samebits::shared_expert::kCounters;
using samebits::shared_expert::kMaxTp;
using samebits::shared_expert::kTileRows;

/// Word of the exchange buffers that no value can be: bf16 and float32 NaNs are canonical.
inline constexpr uint32_t kEmpty = 0xFFFFFFFFu;

/// Scratch memory of the sm_90a kernel, of one process, for launches that follow each other. Full
/// of kEmpty, with `ticket` 0, before the first launch. FUSED launches alternate between its
/// halves: each empties the one that the launch before filled. A gate half has the first half,
/// which is empty again after its SharedDown.
struct Exchange {
  Word4* parts;      // [2][tiles][ks][n / 8][128 threads]: a fragment's four accumulators
  Word4* h;          // [2][down_blocks][n rows][8 chunks], as the matrix unit's operand lies in
                     // shared memory (SPEC.md 6.1)
  uint32_t* ticket;  // launches, in blocks, modulo two launches
};

struct Params {
  // Sizes (model/shared_expert/derived.h), which a block needs before it can load anything. First
  // and together: each line of the constant cache that it touches delays the weights.
  int32_t batch;
  int32_t width;
  int32_t hidden;
  int32_t k_blocks;
  int32_t down_blocks;
  int32_t down_tiles;
  int32_t shard;
  int32_t gate_tiles;
  int32_t ks;
  uint32_t ks_reciprocal;  // ceil(2^20 / ks)
  int32_t span_blocks;     // k_blocks / ks
  int32_t longer_spans;    // k_blocks % ks
  int32_t part_chunks;     // words of 16 bytes of a half of Exchange::parts
  int32_t tp;
  int32_t stages;       // of the ring
  int32_t flight;       // sm_90a: loads of weights under way
  int32_t held;         // K blocks of weights in registers, at most
  int32_t runs;         // and runs of rows in shared memory
  int32_t mailbox_row;  // (parity * tp + rank) * capacity
  float beta, linear_beta;
  float inverse_beta, inverse_linear_beta;

  // Operands; x, h and taps of this step and rank.
  TensorMap x_map;        // boxes of 64 columns, n rows
  TensorMap gate_up_map;  // 64 columns, 32 rows
  TensorMap front_map;    // 64 columns, 64 rows
  TensorMap down_map;     // 64 columns, 64 rows
  TensorMap h_map;        // 64 columns, n rows
  const uint16_t* x;
  uint16_t* h;
  uint32_t* counters;
  Exchange exchange;
  uint16_t* peers[kMaxTp];        // RS mailboxes
  uint16_t* front_peers[kMaxTp];  // front mailboxes
  samebits::shared_expert::Taps taps;

  // Clusters of the sm_100a kernel: owners of `owner_width` h columns each (2.4).
  int32_t owner_width;
  int32_t owners;

  // FRONT.
  Multicast front_multicast;  // all of front_peers; unused unless has_multicast
  bool has_multicast;
  int32_t front_valid;
  int32_t front_split;
  int32_t latent_shard;
  int32_t latent;
  int64_t front_pitch;
  int32_t front_slot;  // first logit of this rank
  int32_t front_base;  // first latent column of this rank
};

/// A span of K blocks.
struct Span {
  int first;
  int count;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_PARAMS_H_
