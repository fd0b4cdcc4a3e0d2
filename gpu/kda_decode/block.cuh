// What both roles of a block share: typed addresses in shared memory, the range of items, and the
// small functions of SPEC.md sections 3.0 and 4.2.
#ifndef SAMEBITS_GPU_KDA_DECODE_BLOCK_CUH_
#define SAMEBITS_GPU_KDA_DECODE_BLOCK_CUH_

#include <cstddef>
#include <cstdint>

#include "gpu/kda_decode/params.h"
#include "gpu/kda_decode/shared_layout.h"
#include "gpu/lane/annotate.h"
#include "gpu/lane/types.h"

namespace samebits::gpu::kda_ws {

inline constexpr int kLineBytes = 128;  // of a cache line

/// Operand block of local item j.
SAMEBITS_DEVICE int OperandBlock(int j) { return j % kBlocks; }

/// Addresses in shared memory. b: operand block, s: stage, g: prep group, t: token.
template <int T>
struct Shared {
  static constexpr SharedLayout kAt = MakeSharedLayout(T);
  std::byte* base;

  SAMEBITS_DEVICE float* page() const { return At<float>(kAt.page); }
  SAMEBITS_DEVICE float* store_page(const Params& params) const {
    return At<float>(params.store_page);
  }
  SAMEBITS_DEVICE float* q(int b, int t) const { return Row<float>(kAt.q, b, t); }
  SAMEBITS_DEVICE float* k(int b, int t) const { return Row<float>(kAt.k, b, t); }
  SAMEBITS_DEVICE float* v(int b, int t) const { return Row<float>(kAt.v, b, t); }
  SAMEBITS_DEVICE float* decay(int b, int t) const { return Row<float>(kAt.decay, b, t); }
  SAMEBITS_DEVICE float* out(int b, int t) const { return v(b, t); }
  /// Logits of the output gate of local item j.
  SAMEBITS_DEVICE uint16_t* gate(int j, int t) const {
    return Row<uint16_t>(kAt.gate, j % kGates, t);
  }
  SAMEBITS_DEVICE float* beta(int b) const { return At<float>(kAt.beta) + 8 * b; }
  SAMEBITS_DEVICE int32_t* meta(int b) const { return At<int32_t>(kAt.meta) + kMeta * b; }
  SAMEBITS_DEVICE int32_t* slots(int g, int b) const {
    return At<int32_t>(kAt.slots) + kSlotWords * (kBlocks * g + b);
  }
  SAMEBITS_DEVICE uint16_t* x_row(int s, int t, int part) const {
    return At<uint16_t>(kAt.x_rows) + ((s * T + t) * 3 + part) * kHeadDim;
  }
  SAMEBITS_DEVICE uint16_t* f_a_row(int s, int t) const {
    return Row<uint16_t>(kAt.f_a_rows, s, t);
  }
  /// Four per-warp sums of a value.
  SAMEBITS_DEVICE float* sums(int b, int value) const {
    return At<float>(kAt.sums) + (b * 16 + value) * 4;
  }
  SAMEBITS_DEVICE float* out_sums(int b, int t) const {
    return At<float>(kAt.out_sums) + (b * 8 + t) * 4;
  }
  SAMEBITS_DEVICE std::byte* conv() const { return base + kAt.conv; }

  // mbarriers: the part of the page of each scan warp w, operand blocks (their operands are there,
  // scanned, their output is written), the rows of a prep group in a stage, its weights of the
  // head.
  SAMEBITS_DEVICE uint64_t* state_full(int w) const { return Barrier(w); }
  SAMEBITS_DEVICE uint64_t* ops_full(int b) const { return Barrier(kScanWarps + b); }
  SAMEBITS_DEVICE uint64_t* done(int b) const { return Barrier(kScanWarps + kBlocks + b); }
  SAMEBITS_DEVICE uint64_t* released(int b) const { return Barrier(kScanWarps + 2 * kBlocks + b); }
  SAMEBITS_DEVICE uint64_t* staged(int g, int s) const {
    return Barrier(kScanWarps + 3 * kBlocks + kStages * g + s);
  }
  SAMEBITS_DEVICE uint64_t* weights_full(int g) const { return staged(kPrepGroups, 0) + g; }
  /// The rows of the block's first item are there.
  SAMEBITS_DEVICE uint64_t* first_rows() const { return weights_full(kPrepGroups); }

 private:
  template <typename V>
  SAMEBITS_DEVICE V* At(int offset) const {
    return reinterpret_cast<V*>(base + offset);
  }
  template <typename V>
  SAMEBITS_DEVICE V* Row(int offset, int b, int t) const {
    return At<V>(offset) + (b * T + t) * kHeadDim;
  }
  SAMEBITS_DEVICE uint64_t* Barrier(int word) const { return At<uint64_t>(kAt.barriers) + word; }
};

/// The items of this block: `count` from `first` on. Unlike section 7.1, requests are innermost, so
/// that the weights of a head stay in shared memory for as many items as there are.
struct ItemRange {
  int first;
  int count;
};

template <class Lane>
SAMEBITS_DEVICE ItemRange RangeOfBlock(const Lane& lane, const Params& params) {
  // floor(total * block / blocks), without a product that could overflow.
  const uint32_t total = static_cast<uint32_t>(params.heads) * params.requests;
  const uint32_t block = lane.BlockIndex(), blocks = lane.GridBlocks();
  const uint32_t each = total / blocks, more = total - each * blocks;
  const uint32_t before = more * block / blocks;
  const bool one_more = more * (block + 1) >= (before + 1) * blocks;
  return {static_cast<int>(each * block + before), static_cast<int>(each + (one_more ? 1 : 0))};
}

/// Of an item; requests are innermost.
struct Position {
  int head;
  int request;

  SAMEBITS_DEVICE void Advance(int items, int requests) {
    request += items;
    while (request >= requests) {
      request -= requests;
      ++head;
    }
  }
};

SAMEBITS_DEVICE Position PositionOf(const Params& params, int item) {
  const int head = static_cast<int>(static_cast<uint32_t>(item) / params.requests);
  return {head, item - head * params.requests};
}

/// One (request, head); slots and offset as in section 2.4.
struct Item {
  int head;
  int request;
  int slot;  // of the state; <= 0: padded row
  int conv_slot;
  int offset;
};

template <int T, class Lane>
SAMEBITS_DEVICE int OffsetOf(const Lane& lane, const Params& params, Position at) {
  if (T == 1) return 0;
  return lane.LoadGlobal(params.operands.num_accepted + at.request) - 1;
}

template <int T, class Lane>
SAMEBITS_DEVICE Item LocateItem(const Lane& lane, const Params& params, Position at, int offset) {
  Item item;
  item.head = at.head;
  item.request = at.request;
  item.offset = offset;
  const int32_t* slots =
      params.operands.slots + int64_t{item.request} * params.operands.slots_stride;
  item.conv_slot = lane.LoadGlobal(slots);
  item.slot = T == 1 ? item.conv_slot : lane.LoadGlobal(slots + offset);
  return item;
}
template <int T, class Lane>
SAMEBITS_DEVICE Item LocateItem(const Lane& lane, const Params& params, Position at) {
  return LocateItem<T>(lane, params, at, OffsetOf<T>(lane, params, at));
}

/// Row of the key/gate record of a token (section 2.5): 128 keys, then 128 raw gates.
template <int T>
SAMEBITS_DEVICE uint16_t* KeyGateRecord(const Params& params, const Item& item, int t) {
  const int64_t row = item.conv_slot;  // slots[r][0]
  return params.operands.key_gate_record +
         ((row * params.heads + item.head) * T + t) * (2 * kHeadDim);
}

/// Index of element 0 of a vector tap (operands.h); divided by 128 it is that of a scalar tap.
template <int T, class Lane>
SAMEBITS_DEVICE int64_t TapRow(const Lane& lane, const Params& params, int request, int head,
                               int t) {
  return ((int64_t{request} * T + t) * lane.Opaque(params.heads) + head) * kHeadDim;
}

/// f32(bf(x)) of section 3.0.
template <class Lane>
SAMEBITS_DEVICE float RoundToBf16(const Lane& lane, float x) {
  return lane.FromBits(lane.ToBf16Pair(0.0f, x));
}
/// The bf16 that `x`, rounded already, is.
template <class Lane>
SAMEBITS_DEVICE uint16_t Bf16Bits(const Lane& lane, float x) {
  return static_cast<uint16_t>(lane.Bits(x) >> 16);
}

/// exp of section 3.0.
template <class Lane>
SAMEBITS_DEVICE float Exp(const Lane& lane, float x) {
  return lane.Ex2(lane.Mul(x, lane.FromBits(0x3FB8AA3B)));  // log2(e)
}

/// 1 + exp(-x) of section 3.0. Exp of less than 2^-126 does not show in the sum.
template <class Lane>
SAMEBITS_DEVICE float OnePlusExp(const Lane& lane, float x) {
  return lane.Add(1.0f, lane.Ex2Ftz(lane.Mul(-x, lane.FromBits(0x3FB8AA3B))));
}

/// DIV(a, b) of section 3.0 for b >= 1 or no number: of the two scalings only that of large b.
template <class Lane>
SAMEBITS_DEVICE float DivAtLeastOne(const Lane& lane, float a, float b) {
  if (b > 0x1p126f) {
    a = lane.Mul(a, 0.25f);
    b = lane.Mul(b, 0.25f);
  }
  return lane.Mul(a, lane.RcpFtz(b));
}
template <class Lane>
SAMEBITS_DEVICE float Sigmoid(const Lane& lane, float x) {
  return DivAtLeastOne(lane, 1.0f, OnePlusExp(lane, x));
}
template <class Lane>
SAMEBITS_DEVICE float Silu(const Lane& lane, float x) {
  return DivAtLeastOne(lane, x, OnePlusExp(lane, x));
}

/// Per-warp sums (B32) of kValues values of each lane, kValues a power of two up to 32: lane L ends
/// with value L * kValues / 32 in value[0]. Each exchange keeps half of the values.
template <int kValues, int kHalf = kValues / 2, class Lane, int kSize>
SAMEBITS_DEVICE void WarpSums(const Lane& lane, int lane_id, float (&value)[kSize]) {
  if constexpr (kHalf > 0) {
    constexpr int kDistance = 32 * kHalf / kValues;
    const bool upper = (lane_id & kDistance) != 0;
    SAMEBITS_UNROLL
    for (int i = 0; i < kHalf; ++i) {
      const float send = upper ? value[i] : value[i + kHalf];
      const float keep = upper ? value[i + kHalf] : value[i];
      value[i] = lane.Add(keep, lane.ShuffleXor(send, kDistance));
    }
    WarpSums<kValues, kHalf / 2>(lane, lane_id, value);
  } else {
    SAMEBITS_UNROLL
    for (int distance = 16 / kValues; distance >= 1; distance /= 2) {
      value[0] = lane.Add(value[0], lane.ShuffleXor(value[0], distance));
    }
  }
}

/// NORM128 from the sums of its four warps: (0 + 2) + (1 + 3).
template <class Lane>
SAMEBITS_DEVICE float CrossWarpSum(const Lane& lane, const float* sums) {
  const Float4 w = lane.LoadShared(reinterpret_cast<const Float4*>(sums));
  return lane.Add(lane.Add(w.x, w.z), lane.Add(w.y, w.w));
}

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_BLOCK_CUH_
