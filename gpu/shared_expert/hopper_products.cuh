// Products of K blocks on sm_90a. The weights come through a ring in shared memory.
//
// The four products of a block (16 tokens) take 95 cycles behind those of another, a wait for a
// barrier that is complete 80, the end of a product that is waited for 40. So the blocks of the
// first ring are multiplied in runs that one barrier counts, and only stages that are loaded again
// are released.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_PRODUCTS_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_PRODUCTS_CUH_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/shared_expert/hopper_layout.h"
#include "gpu/shared_expert/ring.cuh"

namespace samebits::gpu::shared_expert {

template <int N>
inline constexpr int kConsumers = HopperConsumers(N);
/// Whether SharedDown empties the parts of a gate half.
template <int N>
inline constexpr bool kDownEmpties = HopperDownEmpties(N);
/// Token columns of one warpgroup.
template <int N>
inline constexpr int kGroupColumns = N / HopperGroups(N);
/// A thread's accumulators: d[4i + e] is row 16 warp + lane / 4 + 8 (e / 2), token 8i + 2 (lane %
/// 4) + e % 2 of its group.
template <int N>
using Fragment = float[kGroupColumns<N> / 2];

/// A ring as its consumers see it.
struct Ring {
  std::byte* stages;  // each begins with a weight tile
  uint64_t* full;     // [kMaxStages]
  uint64_t* empty;    // [kMaxStages]
  int count;          // of stages
};

/// K blocks of a product. The first `early` of them come in runs of kTogether that one barrier
/// counts, weights and rows; the others by the barriers of their stages. The stages of the first
/// `reused` are loaded again.
struct Blocks {
  int first;
  int early;
  int count;
  int reused;
};

/// By all consumers. kStage: bytes from stage to stage; kRows: from the rows of one block to those
/// of the next in the next stage.
template <int N, int kStage, int kRows, class Lane>
class Products {
 public:
  SAMEBITS_DEVICE Products(const Lane& lane, const Ring& ring) : lane_(lane), ring_(ring) {}

  /// Adds the blocks to `d`, or starts with block 0. Their weights are in the ring from `at` on;
  /// `rows_of(b, slot)` is the tile of the rows of block b, in shared memory; `await(run)` returns
  /// when that run of the early blocks is there.
  template <class RowsOf, class Await>
  SAMEBITS_DEVICE void Multiply(Fragment<N>& d, const Blocks& blocks, RingPlace* at,
                                const RowsOf& rows_of, const Await& await) const {
    int b = 0;
    if constexpr (kRuns) {
      SAMEBITS_ROLLED
      for (; b + kTogether <= blocks.early; b += kTogether) {
        await(b / kTogether);
        Finish<kTogether>(d, b, blocks, at, rows_of);
      }
    }
    SAMEBITS_ROLLED
    for (; b < blocks.count; ++b) {
      if (b >= blocks.early) {
        lane_.MbarrierWait(ring_.full + at->slot, at->phase);
      } else if (b % kTogether == 0) {
        await(b / kTogether);
      }
      Finish<1>(d, b, blocks, at, rows_of);
    }
  }

  /// The same for blocks that all come by the barriers of their stages, at least two: a block's
  /// products are in flight while the next one is waited for.
  template <class RowsOf>
  SAMEBITS_DEVICE void Stream(Fragment<N>& d, const Blocks& blocks, RingPlace* at,
                              const RowsOf& rows_of) const {
    int before = 0;
    SAMEBITS_ROLLED
    for (int b = 0; b < blocks.count; ++b) {
      lane_.MbarrierWait(ring_.full + at->slot, at->phase);
      Start<1>(d, blocks.first + b, at->slot, rows_of);
      lane_.template WgmmaWait<1>();
      if (b > 0) Release<1>(b - 1, before, blocks);
      before = at->slot;
      at->Advance(ring_.count);
    }
    lane_.template WgmmaWait<0>();
    Release<1>(blocks.count - 1, before, blocks);
  }

 private:
  /// With more accumulators than 24 the compiler waits for every product of a run.
  static constexpr bool kRuns = kGroupColumns<N> <= 48;

  /// The products of kCount blocks from `first` on, in stages that follow each other: all their
  /// descriptors are one and constants. Without branches: else the compiler waits for every
  /// product.
  template <int kCount, class RowsOf>
  SAMEBITS_DEVICE void Start(Fragment<N>& d, int first, int slot, const RowsOf& rows_of) const {
    const int group = kGroupColumns<N> == N ? 0 : lane_.ThreadIndex() / 128;
    const uint64_t weights = lane_.WgmmaDescriptor(ring_.stages + slot * kStage);
    const uint64_t rows =
        lane_.WgmmaDescriptor(rows_of(first, slot) + group * kGroupColumns<N> * 128);
    lane_.WgmmaFence();
    SAMEBITS_UNROLL
    for (int s = 0; s < 4 * kCount; ++s) {
      lane_.template Wgmma<kGroupColumns<N>>(d, weights + s / 4 * (kStage / 16) + s % 4 * 2,
                                             rows + s / 4 * (kRows / 16) + s % 4 * 2,
                                             first != 0 || s != 0);
    }
    lane_.WgmmaCommit();
  }
  template <int kCount, class RowsOf>
  SAMEBITS_DEVICE void Finish(Fragment<N>& d, int b, const Blocks& blocks, RingPlace* at,
                              const RowsOf& rows_of) const {
    Start<kCount>(d, blocks.first + b, at->slot, rows_of);
    lane_.template WgmmaWait<0>();
    Release<kCount>(b, at->slot, blocks);
    *at = at->After(kCount, ring_.count);
  }
  /// The stages from `slot` on, of kCount blocks from block b of `blocks` on.
  template <int kCount>
  SAMEBITS_DEVICE void Release(int b, int slot, const Blocks& blocks) const {
    const int i = lane_.ThreadIndex() % 32;
    if (i < kCount && b + i < blocks.reused) lane_.MbarrierArrive(ring_.empty + slot + i);
  }

  const Lane& lane_;
  Ring ring_;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_PRODUCTS_CUH_
