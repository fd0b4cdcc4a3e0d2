// The shared memory of one block: byte offsets of everything in it (SPEC.md section 7.5).
#ifndef SAMEBITS_GPU_KDA_DECODE_SHARED_LAYOUT_H_
#define SAMEBITS_GPU_KDA_DECODE_SHARED_LAYOUT_H_

#include <cstdint>

#include "model/kda_decode/config.h"

namespace samebits::gpu::kda_ws {

inline constexpr int kHeadDim = kda_decode::kHeadDim;
inline constexpr int kScanThreads = 256;
inline constexpr int kPrepThreads = 128;  // of one prep warpgroup
inline constexpr int kPrepGroups = 2;
inline constexpr int kConvolveGroup = 0, kGateGroup = 1;
inline constexpr int kThreads = kScanThreads + kPrepGroups * kPrepThreads;
inline constexpr int kBlocks = 4;                 // operand blocks
inline constexpr int kParts = 3;                  // q, k and v
inline constexpr int kStages = 2;                 // items whose rows and windows are staged
inline constexpr int kGates = kBlocks + kStages;  // items whose rows of the output gate are there
inline constexpr int kMeta = 16;      // words of a block's meta: 4 + T and the last four are used
inline constexpr int kMetaNext = 12;  // state slot of item j + 2
inline constexpr int kSlotWords = 4;  // slot, conv_slot, offset of an item, one unused
inline constexpr int kScanWarps = kScanThreads / 32;
inline constexpr int kBarrierWords =
    kScanWarps + 3 * kBlocks + kPrepGroups * kStages + kPrepGroups + 2;  // one unused
inline constexpr int kPageElements = kHeadDim * kHeadDim;
inline constexpr int kPageBytes = kPageElements * 4;
inline constexpr int kMaxSharedBytes = 232448;  // opt-in limit of a block, sm_90 and sm_100

/// Byte offsets. Row lengths are 128 elements; "[4]" counts operand blocks, "[2]" stages.
struct SharedLayout {
  int page;            // f32 [128 v][128 k]
  int q, k, v, decay;  // f32 [4][T]; the scan leaves o where v was
  int gate;            // bf16 [6 items][T], of the output
  int beta;            // f32 [4], 8 elements each
  int meta;            // i32 [4], kMeta elements each
  int slots;           // i32 [2 prep groups][4], kSlotWords elements each
  int x_rows;          // bf16 [2][T][3]
  int f_a_rows;        // bf16 [2][T]
  int sums;            // f32 [4 operand blocks], 16 values x 4 warps each
  int out_sums;        // f32 [4], 8 tokens x 4 warps each
  int barriers;        // kBarrierWords words of 8 bytes
  int conv;            // [2][3] windows, ConvPartBytes each; last: its size varies at run time
};

constexpr SharedLayout MakeSharedLayout(int tokens) {
  SharedLayout at{};
  int end = 0;
  const auto place = [&end](int& offset, int bytes) {
    offset = end;
    end += bytes;
  };
  const int row = kHeadDim * 4, half_row = kHeadDim * 2;
  place(at.page, kPageBytes);
  place(at.q, kBlocks * tokens * row);
  place(at.k, kBlocks * tokens * row);
  place(at.v, kBlocks * tokens * row);
  place(at.decay, kBlocks * tokens * row);
  place(at.gate, kGates * tokens * half_row);
  place(at.beta, kBlocks * 8 * 4);
  place(at.meta, kBlocks * kMeta * 4);
  place(at.slots, kPrepGroups * kBlocks * kSlotWords * 4);
  place(at.x_rows, kStages * tokens * 3 * half_row);
  place(at.f_a_rows, kStages * tokens * half_row);
  place(at.sums, kBlocks * 16 * 4 * 4);
  place(at.out_sums, kBlocks * 8 * 4 * 4);
  place(at.barriers, kBarrierWords * 8);
  at.conv = end;
  return at;
}

/// Bytes of one part's staged window: all `window` positions (dim-first) or the three taps.
constexpr int64_t ConvPartBytes(kda_decode::ConvLayout layout, kda_decode::ConvType type,
                                int window) {
  const int64_t positions = layout == kda_decode::ConvLayout::kDimFirst ? window : 3;
  return positions * kHeadDim * (type == kda_decode::ConvType::kBf16 ? 2 : 4);
}

/// Dynamic shared memory that a launch needs at least: one state page, no resident weights.
constexpr int64_t SharedBytes(int tokens, kda_decode::ConvLayout layout, kda_decode::ConvType type,
                              int window) {
  return MakeSharedLayout(tokens).conv + kStages * 3 * ConvPartBytes(layout, type, window);
}

/// The weights of one head, byte offsets from their start.
struct HeadWeightsLayout {
  // bf16 [128 features][128]; the stride puts what a warp reads at a time on banks of its own.
  static constexpr int kGate = 0, kGateStride = kHeadDim * 2 + 32;
  static constexpr int kTaps = kGate + kHeadDim * kGateStride;  // f32 [3][4][128]
  static constexpr int kDtBias = kTaps + 3 * kda_decode::kConvWidth * kHeadDim * 4;  // f32 [128]
  static constexpr int kBias = kDtBias + kHeadDim * 4;  // f32 [3][128], if there is one
  static constexpr int Bytes(bool has_bias) { return kBias + (has_bias ? 3 * kHeadDim * 4 : 0); }
};

/// What a block holds beyond SharedBytes, where it fits: first the weights of its current head,
/// then a page through which states are written.
struct Extras {
  int weights;          // byte offset; 0: the weights stay in global memory
  int store_page;       // byte offset; 0: states are written from registers
  int64_t total_bytes;  // dynamic shared memory of the launch
};
constexpr Extras PlaceExtras(const kda_decode::Config& config) {
  Extras extras{.weights = 0, .store_page = 0, .total_bytes = 0};
  int64_t end =
      (SharedBytes(config.tokens, config.conv_layout, config.conv_type, config.window) + 255) /
      256 * 256;
  const int weights = HeadWeightsLayout::Bytes(config.has_bias);
  if (end + weights <= kMaxSharedBytes) {
    extras.weights = static_cast<int>(end);
    end += weights;
  }
  if (!config.record && end + kPageBytes <= kMaxSharedBytes) {
    extras.store_page = static_cast<int>(end);
    end += kPageBytes;
  }
  extras.total_bytes = end;
  return extras;
}

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_SHARED_LAYOUT_H_
