// What the sm_100a kernels share: row tiles, the accumulator's readout and the push of 64 rows.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_BLOCK_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_BLOCK_CUH_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/shared_expert/blackwell_layout.h"
#include "gpu/shared_expert/params.h"
#include "gpu/shared_expert/situ.cuh"

namespace samebits::gpu::shared_expert {

inline constexpr int kLoaderBarrier = 1;  // named barrier of the loader warps

template <int N>
inline constexpr int kTmemColumns = TmemColumnsOf(N);

/// Rows [0, batch) of `source`, 64 columns from `column`, as the B tile (6.1). By the loaders; the
/// caller arrives at a barrier with CopyAsyncArrive.
template <class Lane>
SAMEBITS_DEVICE void LoadRowTile(const Lane& lane, std::byte* tile, const uint16_t* source,
                                 int64_t pitch, int column, int batch) {
  SAMEBITS_ROLLED
  for (int item = lane.ThreadIndex(); item < 8 * batch; item += kLoaders) {
    const int row = item / 8, chunk = item % 8;
    lane.CopyAsync16(tile + TileOffset(row, 8 * chunk), source + row * pitch + column + 8 * chunk);
  }
}
/// Rows [batch, n) of a B tile: nothing reads what becomes of them, but nothing should be
/// undefined.
template <class Lane>
SAMEBITS_DEVICE void ClearRowTile(const Lane& lane, std::byte* tile, int batch, int n) {
  SAMEBITS_ROLLED
  for (int item = 8 * batch + lane.ThreadIndex(); item < 8 * n; item += kLoaders) {
    lane.StoreShared(reinterpret_cast<Word4*>(tile + TileOffset(item / 8, item % 8 * 8)),
                     Word4{0, 0, 0, 0});
  }
}

/// One thread: the four products of a K block onto tensor memory.
template <int N, class Lane>
SAMEBITS_DEVICE void IssueBlock(const Lane& lane, uint32_t tmem, const std::byte* weights,
                                const std::byte* rows, bool accumulate) {
  constexpr uint32_t kInstruction = Tcgen05Instruction(N);
  const uint64_t a = lane.Tcgen05Descriptor(weights), b = lane.Tcgen05Descriptor(rows);
  SAMEBITS_UNROLL
  for (int s = 0; s < 4; ++s) {
    lane.Tcgen05Mma(tmem, a + 2 * s, b + 2 * s, kInstruction, accumulate || s != 0);
  }
}

/// Row 16 warp + lane of the accumulator in lanes below 16 of the loader warps.
template <int N, class Lane>
SAMEBITS_DEVICE void ReadAccumulator(const Lane& lane, float (&values)[kTmemColumns<N>],
                                     uint32_t tmem) {
  const uint32_t warp = lane.ThreadIndex() / 32;
  lane.template TmemLoad<kTmemColumns<N>>(values, tmem + (32 * warp << 16));
  lane.TmemLoadWait();
  lane.Tcgen05FenceBefore();
}

/// Accumulator rows into the owners' mailboxes as down rows [64 tile, + 64) (6.7), through
/// `staging`, f32 [N][kPushPitch]. By the loaders.
template <int N, bool kTaps, class Lane>
SAMEBITS_DEVICE void PushRows(const Lane& lane, const Params& params,
                              const float (&values)[kTmemColumns<N>], float* staging, int tile) {
  const int thread = lane.ThreadIndex();
  const int row = thread / 32 * 16 + thread % 32;
  if (thread % 32 < 16) {
    SAMEBITS_UNROLL
    for (int t = 0; t < N; ++t) {
      if (t < params.batch) {
        lane.StoreShared(staging + t * kPushPitch + row, values[t]);
        if constexpr (kTaps) {
          const int64_t at = int64_t{t} * params.width + kTileRows * tile + row;
          lane.StoreGlobal(params.taps.down_acc + at, values[t]);
          lane.StoreGlobal(params.taps.push + at, PositiveZero(lane.ToBf16(values[t])));
        }
      }
    }
  }
  lane.NamedBarrier(kLoaderBarrier, kLoaders);
  const int row0 = kTileRows * tile;
  const int peer = row0 / params.shard, column = row0 % params.shard;
  uint16_t* mailbox = params.peers[peer];
  SAMEBITS_ROLLED
  for (int item = thread; item < 8 * params.batch; item += kLoaders) {
    const int token = item / 8, part = item % 8;
    const auto* from = reinterpret_cast<const Float4*>(staging + token * kPushPitch + 8 * part);
    const Float4 low = lane.LoadShared(from), high = lane.LoadShared(from + 1);
    const Word4 words = {PositiveZeroPair(lane.ToBf16Pair(low.x, low.y)),
                         PositiveZeroPair(lane.ToBf16Pair(low.z, low.w)),
                         PositiveZeroPair(lane.ToBf16Pair(high.x, high.y)),
                         PositiveZeroPair(lane.ToBf16Pair(high.z, high.w))};
    const int64_t at = (int64_t{params.mailbox_row} + token) * params.shard + column + 8 * part;
    lane.StoreSystem(reinterpret_cast<Word4*>(mailbox + at), words);
  }
  lane.NamedBarrier(kLoaderBarrier, kLoaders);
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_BLOCK_CUH_
