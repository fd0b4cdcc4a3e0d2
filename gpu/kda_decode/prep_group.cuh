// What both prep groups do (SPEC.md section 7.3): go through the items of the block, keep the
// weights of the current head, stage rows two items ahead. Group 0 convolves and normalises, group
// 1 has the gate and the epilogue; both work on every item.
#ifndef SAMEBITS_GPU_KDA_DECODE_PREP_GROUP_CUH_
#define SAMEBITS_GPU_KDA_DECODE_PREP_GROUP_CUH_

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/head_weights.cuh"
#include "gpu/kda_decode/slots.cuh"
#include "gpu/kda_decode/staging.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T, int kGroup>
class PrepGroup {
 protected:
  /// `p`: thread in the group.
  SAMEBITS_DEVICE PrepGroup(const Lane& lane, const Params& params, Shared<T> shared,
                            ItemRange items, int p)
      : lane_(lane),
        params_(params),
        shared_(shared),
        items_(items),
        p_(p),
        at_(PositionOf(params, items.first)),
        slots_(lane, params, shared, kGroup),
        first_head_(at_.head) {}

  SAMEBITS_DEVICE Staging<Lane, T> staging(int j) const {
    return {lane_, params_, shared_, j % kStages, p_};
  }
  SAMEBITS_DEVICE HeadWeights<Lane> weights() const { return {lane_, params_}; }
  SAMEBITS_DEVICE uint64_t* staged(int j) const { return shared_.staged(kGroup, j % kStages); }

  SAMEBITS_DEVICE void GroupBarrier() { lane_.NamedBarrier(1 + kGroup, kPrepThreads); }

  /// Item j + distance, item j being the current one.
  SAMEBITS_DEVICE Position Ahead(int distance) const {
    Position at = at_;
    at.Advance(distance, params_.requests);
    return at;
  }

  /// Starts the copies of the weights of a head, by the first warp.
  SAMEBITS_DEVICE void StartWeights(int head) {
    if (!weights().resident() || p_ >= 32) return;
    weights().Start(kGroup, head, p_, shared_.weights_full(kGroup));
  }

  /// Waits for the weights of the current item's head; those of the block's first head are on their
  /// way. True when they are others than those of the item before.
  SAMEBITS_DEVICE bool AwaitWeights() {
    if (heads_ > at_.head - first_head_) return false;
    // All have left the old ones: the group's barrier of the item before is behind them.
    if (heads_ > 0) StartWeights(at_.head);
    if (weights().resident()) lane_.MbarrierWait(shared_.weights_full(kGroup), heads_ % 2);
    ++heads_;
    return true;
  }

  /// One thread, once the rows of item j are in shared memory.
  SAMEBITS_DEVICE void RowsAreThere(int j) {
    if (j == 0) lane_.MbarrierArrive(shared_.first_rows());
    slots_.Advance(j, j + 3 < items_.count, Ahead(3));
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  ItemRange items_;
  int p_;
  Position at_;           // of the current item
  Slots<Lane, T> slots_;  // of the group's items
  int first_head_;        // of the block
  int heads_ = 0;         // whose weights have been awaited
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_PREP_GROUP_CUH_
