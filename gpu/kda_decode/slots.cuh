// The slots of a prep group's items: looked up three items ahead by one thread, left in shared
// memory for the others (SPEC.md section 2.4).
#ifndef SAMEBITS_GPU_KDA_DECODE_SLOTS_CUH_
#define SAMEBITS_GPU_KDA_DECODE_SLOTS_CUH_

#include "gpu/kda_decode/block.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T>
class Slots {
 public:
  SAMEBITS_DEVICE Slots(const Lane& lane, const Params& params, Shared<T> shared, int group)
      : lane_(lane), params_(params), shared_(shared), group_(group) {}

  SAMEBITS_DEVICE Item Locate(Position at) const { return LocateItem<T>(lane_, params_, at); }
  SAMEBITS_DEVICE Item LocateAt(Position at, int offset) const {
    return LocateItem<T>(lane_, params_, at, offset);
  }
  SAMEBITS_DEVICE void Ask(Position at) { offset_ = OffsetOf<T>(lane_, params_, at); }

  SAMEBITS_DEVICE void Write(int j, const Item& item) const {
    int32_t* words = shared_.slots(group_, OperandBlock(j));
    lane_.StoreShared(words, int32_t{item.slot});
    lane_.StoreShared(words + 1, int32_t{item.conv_slot});
    lane_.StoreShared(words + 2, int32_t{item.offset});
  }

  SAMEBITS_DEVICE Item Read(int j, Position at) const {
    const int32_t* words = shared_.slots(group_, OperandBlock(j));
    Item item;
    item.head = at.head;
    item.request = at.request;
    item.slot = lane_.LoadShared(words);
    item.conv_slot = lane_.LoadShared(words + 1);
    item.offset = lane_.LoadShared(words + 2);
    return item;
  }

  /// The thread that looks up, before item 0: items 2 and 3, if they are there.
  SAMEBITS_DEVICE void Begin(int items, Position third, Position fourth) {
    if (items > 2) ahead_ = Locate(third);
    if (items > 3) Ask(fourth);
  }
  /// The same thread, early in item j: leaves item j + 2 for the others, who may read it after the
  /// group's barrier of item j, and looks up item j + 3, whose num_accepted has been asked for, and
  /// that of item j + 4: nothing that is loaded here is used before the next item.
  SAMEBITS_DEVICE void Advance(int j, int items, Position third, Position fourth) {
    Write(j + 2, ahead_);
    if (j + 3 < items) ahead_ = LocateAt(third, offset_);
    if (j + 4 < items) Ask(fourth);
  }

 private:
  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  int group_;
  Item ahead_{};
  int offset_ = 0;  // of the item behind it
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_SLOTS_CUH_
