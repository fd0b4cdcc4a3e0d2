// What both prep groups do (SPEC.md section 7.3): go through the items of the block, keep the
// weights of the current head, stage rows two items ahead. Group 0 convolves, normalises and has
// the epilogue; group 1 has the gate. Both work on every item.
#ifndef SAMEBITS_GPU_KDA_DECODE_PREP_GROUP_CUH_
#define SAMEBITS_GPU_KDA_DECODE_PREP_GROUP_CUH_

#include <type_traits>

#include "gpu/kda_decode/block.cuh"
#include "gpu/kda_decode/features.cuh"
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
        next_(at_),
        slots_(lane, params, shared, kGroup),
        staging_(lane, params, shared, p),
        first_head_(at_.head) {}

  SAMEBITS_DEVICE HeadWeights<Lane> weights() const { return {lane_, params_}; }
  SAMEBITS_DEVICE uint64_t* staged(int j) const { return shared_.staged(kGroup, j % kStages); }

  SAMEBITS_DEVICE int lane_id() const { return p_ & 31; }
  SAMEBITS_DEVICE int warp() const { return p_ >> 5; }

  SAMEBITS_DEVICE void GroupBarrier() { lane_.NamedBarrier(1 + kGroup, kPrepThreads); }

  /// Item j + distance, item j being the current one.
  SAMEBITS_DEVICE Position Ahead(int distance) const {
    Position at = at_;
    at.Advance(distance, params_.requests);
    return at;
  }

  /// Up to the wait for the grid before: weights, slots, addresses. `second` is the first again
  /// where there is none.
  SAMEBITS_DEVICE void Begin(Item& first, Item& second) {
    first = slots_.Locate(at_);
    second = slots_.Locate(Ahead(items_.count > 1 ? 1 : 0));
    StartWeights(at_.head);
    staging_.Locate(next_);
    staging_.Prefetch(first);
  }

  /// Starts the copies of item j, the next.
  SAMEBITS_DEVICE void Stage(int j, const Item& item) {
    staging_.Start(j, item, staged(j));
    const int head = next_.head;
    next_.Advance(1, params_.requests);
    if (next_.head == head) {
      staging_.Advance();
    } else {
      staging_.Locate(next_);
    }
  }

  /// The first items; leaves their slots for all threads.
  SAMEBITS_DEVICE void StageFirst(const Item& first, const Item& second) {
    Stage(0, first);
    if (items_.count > 1) Stage(1, second);
    if (p_ == 0) {
      slots_.Write(0, first);
      slots_.Write(1, second);
      slots_.Begin(items_.count, Ahead(2), Ahead(3));
    }
    GroupBarrier();  // the slots are in shared memory
  }

  /// Behind the group's barrier of item j: starts the copies of item j + 2, and those of the next
  /// item's weights if it has another head.
  SAMEBITS_DEVICE void StageNext(int j) {
    if (j + 1 < items_.count && at_.request + 1 == params_.requests) StartWeights(at_.head + 1);
    if (j + kStages < items_.count) Stage(j + kStages, slots_.Read(j + kStages, next_));
  }

  /// Starts the copies of the weights of a head.
  SAMEBITS_DEVICE void StartWeights(int head) {
    if (!weights().resident()) return;
    weights().template Start<kGroup>(head, p_, shared_.weights_full(kGroup));
  }

  /// Waits for the weights of the current item's head, which are on their way. True when they are
  /// others than those of the item before.
  SAMEBITS_DEVICE bool AwaitWeights() {
    if (heads_ > at_.head - first_head_) return false;
    if (weights().resident()) lane_.MbarrierWait(shared_.weights_full(kGroup), heads_ % 2);
    ++heads_;
    return true;
  }

  /// One thread, once the rows of item j are in shared memory.
  SAMEBITS_DEVICE void RowsAreThere(int j) {
    if (j == 0) lane_.MbarrierArrive(shared_.first_rows());
    slots_.Advance(j, items_.count, Ahead(3), Ahead(4));
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  ItemRange items_;
  int p_;
  Position at_;           // of the current item
  Position next_;         // of the next to be staged
  Slots<Lane, T> slots_;  // of the group's items
  std::conditional_t<kGroup == kConvolveGroup, Staging<Lane, T>, Features<Lane, T>> staging_;
  int first_head_;  // of the block
  int heads_ = 0;   // whose weights have been awaited
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_PREP_GROUP_CUH_
