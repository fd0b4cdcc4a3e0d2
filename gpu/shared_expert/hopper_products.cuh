// Products of K blocks of FUSED on sm_90a. The weights come through a ring in shared memory.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_PRODUCTS_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_PRODUCTS_CUH_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/shared_expert/hopper_block.cuh"
#include "gpu/shared_expert/hopper_layout.h"
#include "gpu/shared_expert/ring.cuh"

namespace samebits::gpu::shared_expert {

template <int N>
inline constexpr int kConsumers = HopperConsumers(N);
/// Token columns of one warpgroup.
template <int N>
inline constexpr int kGroupColumns = N / HopperGroups(N);
template <int N>
using Fragment = FragmentOf<kGroupColumns<N>>;

/// A ring as its consumers see it.
struct Ring {
  std::byte* stages;  // each begins with a weight tile
  uint64_t* full;     // [kMaxStages]
  uint64_t* empty;    // [kMaxStages]
  int count;          // of stages
};

/// K blocks of a product: the first's number among those that are added up, how many, and how many
/// of them lie in stages that are loaded again.
struct Blocks {
  int first;
  int count;
  int reused;
};

/// By all consumers. kStage: bytes from stage to stage.
template <int N, int kStage, class Lane>
class Products {
 public:
  SAMEBITS_DEVICE Products(const Lane& lane, const Ring& ring) : lane_(lane), ring_(ring) {}

  /// Adds the blocks, at least one, to `d`, or starts with block 0. Their weights are in the ring
  /// from `at` on; `rows_of(slot)` is the tile of the rows of a block. A block's products are in
  /// flight while the next one is waited for.
  template <class RowsOf>
  SAMEBITS_DEVICE void Stream(Fragment<N>& d, const Blocks& blocks, RingPlace* at,
                              const RowsOf& rows_of) const {
    int before = 0;
    SAMEBITS_ROLLED
    for (int b = 0; b < blocks.count; ++b) {
      lane_.MbarrierWait(ring_.full + at->slot, at->phase);
      Start(d, blocks.first + b, at->slot, rows_of);
      lane_.template WgmmaWait<1>();
      if (b > 0) Release(b - 1, before, blocks);
      before = at->slot;
      at->Advance(ring_.count);
    }
    lane_.template WgmmaWait<0>();
    Release(blocks.count - 1, before, blocks);
  }

 private:
  template <class RowsOf>
  SAMEBITS_DEVICE void Start(Fragment<N>& d, int b, int slot, const RowsOf& rows_of) const {
    const int group = kGroupColumns<N> == N ? 0 : lane_.ThreadIndex() / 128;
    const uint64_t weights = lane_.WgmmaDescriptor(ring_.stages + slot * kStage);
    const uint64_t rows = lane_.WgmmaDescriptor(rows_of(slot) + group * kGroupColumns<N> * 128);
    lane_.WgmmaFence();
    SAMEBITS_UNROLL
    for (int s = 0; s < 4; ++s) {
      lane_.template Wgmma<kGroupColumns<N>>(d, weights + s * 2, rows + s * 2, b != 0 || s != 0);
    }
    lane_.WgmmaCommit();
  }
  /// The stage of block b of `blocks`.
  SAMEBITS_DEVICE void Release(int b, int slot, const Blocks& blocks) const {
    if (b < blocks.reused && lane_.ThreadIndex() % 32 == 0) {
      lane_.MbarrierArrive(ring_.empty + slot);
    }
  }

  const Lane& lane_;
  Ring ring_;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_PRODUCTS_CUH_
