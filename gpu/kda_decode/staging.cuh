// Asynchronous copies of an item's rows and convolution windows, and the way back of the windows
// (SPEC.md sections 2.3, 5 and 7.3). One instance per prep thread.
#ifndef SAMEBITS_GPU_KDA_DECODE_STAGING_CUH_
#define SAMEBITS_GPU_KDA_DECODE_STAGING_CUH_

#include "gpu/kda_decode/block.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T>
class Staging {
 public:
  SAMEBITS_DEVICE Staging(const Lane& lane, const Params& params, Shared<T> shared, int group,
                          int p)
      : lane_(lane), params_(params), shared_(shared), group_(group), p_(p) {
    const int positions = params.conv_dim_first ? params.window : 3;
    part_bytes_ = positions * kHeadDim * element_bytes();
    conv_ = shared.conv() + group * 3 * part_bytes_;
  }

  /// Starts the copies of an item's rows, which need no slot, by one warp. staged(group) completes
  /// with these and with those of StartWindows.
  SAMEBITS_DEVICE void StartRows(int request, int head) {
    if (p_ == 0) lane_.MbarrierArriveExpect(shared_.staged(group_), 5 * T * kHeadDim * 2);
    lane_.WarpBarrier();
    SAMEBITS_ROLLED
    for (int i = p_; i < 5 * T; i += 32) StageRow(request, head, i / 5, i % 5);
  }

  /// Starts the copies of the item's windows, none for a padded row, by one warp.
  SAMEBITS_DEVICE void StartWindows(const Item& item) {
    uint64_t* staged = shared_.staged(group_);
    const bool real = item.slot > 0;
    const int bytes = 3 * (params_.conv_dim_first ? part_bytes_ : 3 * row_bytes());
    if (p_ == 0) lane_.MbarrierArriveExpect(staged, real ? bytes : 0);
    lane_.WarpBarrier();
    if (!real) return;
    if (params_.conv_dim_first) {
      if (p_ < 3) {
        lane_.BulkLoad(conv_ + p_ * part_bytes_, Block(item, p_), part_bytes_, staged);
      }
    } else if (p_ < 9) {
      StageTap(item, p_ / 3, p_ % 3);
    }
  }

  /// The taps of this thread's channel as the bits of f32.
  SAMEBITS_DEVICE void LoadTaps(int part, int offset, uint32_t (&z)[3 + T]) const {
    const int first = params_.conv_dim_first ? p_ * params_.window + offset : p_;
    const int step = params_.conv_dim_first ? 1 : kHeadDim;
    const std::byte* page = conv_ + part * part_bytes_;
    if (params_.conv_f32) {
      const auto* from = reinterpret_cast<const uint32_t*>(page) + first;
      SAMEBITS_UNROLL
      for (int i = 0; i < 3; ++i) z[i] = lane_.LoadShared(from + i * step);
    } else {
      const auto* from = reinterpret_cast<const uint16_t*>(page) + first;
      SAMEBITS_UNROLL
      for (int i = 0; i < 3; ++i) z[i] = uint32_t{lane_.LoadShared(from + i * step)} << 16;
    }
  }

  /// New window of this thread's channel: taps 1 and 2, then the inputs (z: three taps, T inputs).
  /// Dim-first: into the staged block, for StoreWindows; channel-innermost: to global memory.
  SAMEBITS_DEVICE void WriteWindow(int part, const Item& item, const uint32_t (&z)[3 + T]) {
    if (params_.conv_dim_first) {
      std::byte* to = conv_ + part * part_bytes_ + p_ * params_.window * element_bytes();
      if (params_.conv_f32) {
        SAMEBITS_UNROLL
        for (int i = 0; i < T + 2; ++i) {
          lane_.StoreShared(reinterpret_cast<uint32_t*>(to) + i, z[i + 1]);
        }
      } else {
        SAMEBITS_UNROLL
        for (int i = 0; i < T + 2; ++i) {
          lane_.StoreShared(reinterpret_cast<uint16_t*>(to) + i,
                            static_cast<uint16_t>(z[i + 1] >> 16));
        }
      }
      return;
    }
    // Opaque: multiples of the pitch would otherwise stay in registers from item to item.
    const int64_t dim = int64_t{lane_.Opaque(params_.heads)} * kHeadDim;
    std::byte* to = Global(item, part * dim + int64_t{item.head} * kHeadDim + p_);
    const int64_t pitch = 3 * dim * element_bytes();
    if (params_.conv_f32) {
      SAMEBITS_UNROLL
      for (int i = 0; i < T + 2; ++i, to += pitch) {
        lane_.StoreGlobal(reinterpret_cast<uint32_t*>(to), z[i + 1]);
      }
    } else {
      SAMEBITS_UNROLL
      for (int i = 0; i < T + 2; ++i, to += pitch) {
        lane_.StoreGlobal(reinterpret_cast<uint16_t*>(to), static_cast<uint16_t>(z[i + 1] >> 16));
      }
    }
  }

  /// Dim-first, one thread: the three staged blocks back to global memory.
  SAMEBITS_DEVICE void StoreWindows(const Item& item) {
    SAMEBITS_UNROLL
    for (int part = 0; part < 3; ++part) {
      lane_.BulkStore(Block(item, part), conv_ + part * part_bytes_, part_bytes_);
    }
    lane_.BulkCommit();
  }

 private:
  SAMEBITS_DEVICE int element_bytes() const { return params_.conv_f32 ? 4 : 2; }
  SAMEBITS_DEVICE int row_bytes() const { return kHeadDim * element_bytes(); }

  /// Element `index` of the slot's page of the convolution state.
  SAMEBITS_DEVICE std::byte* Global(const Item& item, int64_t index) const {
    const int64_t element = int64_t{item.conv_slot} * params_.operands.conv_slot_stride + index;
    return static_cast<std::byte*>(params_.operands.conv_state) + element * element_bytes();
  }

  /// Dim-first: the 128 windows of this head and part.
  SAMEBITS_DEVICE std::byte* Block(const Item& item, int part) const {
    const int64_t channel = int64_t{part * params_.heads + item.head} * kHeadDim;
    return Global(item, channel * params_.window);
  }

  /// Kinds: q, k, v, gate and f_a of a token.
  SAMEBITS_DEVICE void StageRow(int request, int head, int t, int kind) {
    const kda_decode::Operands& from = params_.operands;
    const int64_t column = int64_t{head} * kHeadDim;
    const int64_t dim = int64_t{params_.heads} * kHeadDim;
    const int64_t row = int64_t{request} * T + t;
    const uint16_t* source = kind < 3    ? from.x + row * from.x_stride + kind * dim + column
                             : kind == 3 ? from.gate + row * from.gate_stride + column
                                         : from.f_a + row * from.f_a_stride;
    uint16_t* to = kind < 3    ? shared_.x_row(group_, t, kind)
                   : kind == 3 ? shared_.gate_row(group_, t)
                               : shared_.f_a_row(group_, t);
    lane_.BulkLoad(to, source, kHeadDim * 2, shared_.staged(group_));
  }

  /// Channel-innermost: one tap of a part.
  SAMEBITS_DEVICE void StageTap(const Item& item, int part, int i) {
    const int64_t dim = int64_t{params_.heads} * kHeadDim;
    const int64_t index = (item.offset + i) * 3 * dim + part * dim + int64_t{item.head} * kHeadDim;
    lane_.BulkLoad(conv_ + part * part_bytes_ + i * row_bytes(), Global(item, index), row_bytes(),
                   shared_.staged(group_));
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  int group_;
  int p_;
  int part_bytes_;   // of one part's staged window
  std::byte* conv_;  // this group's staged windows
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_STAGING_CUH_
