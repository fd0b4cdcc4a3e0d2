// What the sm_90a kernels share: the ways of a tile's sums to the blocks that add them up and into
// the mailboxes.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_BLOCK_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_BLOCK_CUH_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/shared_expert/hopper_layout.h"
#include "gpu/shared_expert/params.h"
#include "gpu/shared_expert/situ.cuh"

namespace samebits::gpu::shared_expert {

// Named barriers: of the threads that multiply; of all, once each warpgroup has its registers; of
// all but the warp that loads weights, once they may know the half of the exchange.
inline constexpr int kConsumerBarrier = 1, kRegistersBarrier = 2, kHalfBarrier = 3;

/// Whether SharedDown empties the parts of a gate half.
template <int N>
inline constexpr bool kDownEmpties = HopperDownEmpties(N);

/// A thread's accumulators of `kColumns` token columns: d[4i + e] is row 16 warp + lane / 4 +
/// 8 (e / 2), token 8i + 2 (lane % 4) + e % 2 of its warpgroup's.
template <int kColumns>
using FragmentOf = float[kColumns / 2];

/// Starts the copy of K block `block` of gate/up tile `tile`: 32 rows of gate, and the same of up.
template <class Lane>
SAMEBITS_DEVICE void LoadGateUp(const Lane& lane, const Params& params, int tile, int block,
                                std::byte* to, uint64_t* barrier) {
  const int column = kBlockK * block, row = kTileRows / 2 * tile;
  lane.TensorLoadOnce(to, &params.gate_up_map, column, row, barrier);
  lane.TensorLoadOnce(to + kWeightTileBytes / 2, &params.gate_up_map, column, params.hidden + row,
                      barrier);
}

/// Empties words of the exchange. By the warps of all blocks that load rows.
template <class Lane>
SAMEBITS_DEVICE void EmptyByRowLoaders(const Lane& lane, Word4* words, int count) {
  const int thread = lane.ThreadIndex() - (kHalfThreads - kRowThreads);
  SAMEBITS_ROLLED
  for (int i = lane.BlockIndex() * kRowThreads + thread; i < count;
       i += lane.GridBlocks() * kRowThreads) {
    lane.StoreRelaxed(words + i, {kEmpty, kEmpty, kEmpty, kEmpty});
  }
}

/// A NaN of other bits than the canonical ones must not look like an empty word.
template <class Lane>
SAMEBITS_DEVICE uint32_t Present(const Lane& lane, float value) {
  const uint32_t bits = lane.Bits(value);
  return bits == kEmpty ? 0x7FFFFFFFu : bits;
}

/// The warpgroup's partial sums, `part` = tile ks + c, to the blocks that sum them, through half
/// `half` of the exchange.
template <int N, bool kTaps, class Lane>
SAMEBITS_DEVICE void StoreParts(const Lane& lane, const Params& params, int half, int part,
                                const FragmentOf<N>& d) {
  const int thread = lane.ThreadIndex();
  Word4* to = params.exchange.parts + int64_t{half} * params.part_chunks +
              int64_t{part} * (N / 8) * 128 + thread;
  SAMEBITS_UNROLL
  for (int i = 0; i < N / 8; ++i) {
    lane.StoreRelaxed(to + i * 128, {Present(lane, d[4 * i]), Present(lane, d[4 * i + 1]),
                                     Present(lane, d[4 * i + 2]), Present(lane, d[4 * i + 3])});
  }
  if constexpr (kTaps) {
    const int row = 16 * (thread / 32) + thread % 32 / 4;
    SAMEBITS_UNROLL
    for (int k = 0; k < N / 2; ++k) {
      const int token = k / 4 * 8 + thread % 4 * 2 + k % 2;
      const int64_t at = (int64_t{part} * kTileRows + row + k / 2 % 2 * 8) * params.batch + token;
      if (token < params.batch) lane.StoreGlobal(params.taps.part + at, d[k]);
    }
  }
}

/// Where down rows [64 tile, + 64) of token 0 go: into their owner's mailbox (6.7).
SAMEBITS_DEVICE uint16_t* MailboxOf(const Params& params, int tile) {
  const int row = kTileRows * tile, peer = row / params.shard;
  return params.peers[peer] + int64_t{params.mailbox_row} * params.shard + row -
         peer * params.shard;
}

/// The warpgroup's accumulators of down rows [64 tile, + 64) to `mailbox` (MailboxOf), through
/// `staging`, bf16 [N][kStagingPitch]. The caller orders uses of `staging`.
template <int N, bool kTaps, class Lane>
SAMEBITS_DEVICE void PushTile(const Lane& lane, const Params& params, const FragmentOf<N>& d,
                              uint16_t* staging, int tile, uint16_t* mailbox) {
  const int thread = lane.ThreadIndex();
  const int row = 16 * (thread / 32) + thread % 32 / 4, first = thread % 4 * 2;
  SAMEBITS_UNROLL
  for (int k = 0; k < N / 2; ++k) {
    const int token = first + k / 4 * 8 + k % 2, r = row + k / 2 % 2 * 8;
    const uint16_t value = PositiveZero(lane.ToBf16(d[k]));
    lane.StoreShared(staging + token * kStagingPitch + r, value);
    if constexpr (kTaps) {
      if (token < params.batch) {
        const int64_t at = int64_t{token} * params.width + kTileRows * tile + r;
        lane.StoreGlobal(params.taps.down_acc + at, d[k]);
        lane.StoreGlobal(params.taps.push + at, value);
      }
    }
  }
  lane.NamedBarrier(kConsumerBarrier, kStreamThreads);
  for (int item = thread; item < 8 * params.batch; item += kStreamThreads) {
    const int token = item / 8, part = item % 8;
    const Word4 words =
        lane.LoadShared(reinterpret_cast<const Word4*>(staging + token * kStagingPitch + part * 8));
    lane.StoreSystem(reinterpret_cast<Word4*>(mailbox + token * params.shard + part * 8), words);
  }
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_BLOCK_CUH_
