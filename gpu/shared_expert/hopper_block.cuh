// What the sm_90a kernels share: a tile's way into the mailboxes.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_BLOCK_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_BLOCK_CUH_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/shared_expert/hopper_products.cuh"
#include "gpu/shared_expert/params.h"
#include "gpu/shared_expert/situ.cuh"

namespace samebits::gpu::shared_expert {

inline constexpr int kConsumerBarrier = 1;  // named barrier of the consumer threads

/// The accumulators of down rows [64 tile, + 64) into the owners' mailboxes (6.7), through
/// `staging`, bf16 [N][kStagingPitch]. By all consumers; the caller orders uses of `staging`.
template <int N, bool kTaps, class Lane>
SAMEBITS_DEVICE void PushTile(const Lane& lane, const Params& params, const Fragment<N>& d,
                              uint16_t* staging, int tile) {
  const int thread = lane.ThreadIndex();
  const int warp = thread % 128 / 32, row = 16 * warp + thread % 32 / 4;
  const int first = thread / 128 * kGroupColumns<N> + thread % 4 * 2;
  SAMEBITS_UNROLL
  for (int k = 0; k < kGroupColumns<N> / 2; ++k) {
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
  lane.NamedBarrier(kConsumerBarrier, kConsumers<N>);
  const int row0 = kTileRows * tile;
  const int peer = row0 / params.shard, column = row0 % params.shard;
  uint16_t* mailbox = params.peers[peer];
  for (int item = thread; item < 8 * params.batch; item += kConsumers<N>) {
    const int token = item / 8, part = item % 8;
    const Word4 words =
        lane.LoadShared(reinterpret_cast<const Word4*>(staging + token * kStagingPitch + part * 8));
    const int64_t at = (int64_t{params.mailbox_row} + token) * params.shard + column + part * 8;
    lane.StoreSystem(reinterpret_cast<Word4*>(mailbox + at), words);
  }
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_BLOCK_CUH_
