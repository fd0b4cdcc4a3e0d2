// Asynchronous copies of an item's rows and convolution windows, and the way back of the windows
// (SPEC.md sections 2.3, 5 and 7.3). One instance per prep thread and stage.
#ifndef SAMEBITS_GPU_KDA_DECODE_STAGING_CUH_
#define SAMEBITS_GPU_KDA_DECODE_STAGING_CUH_

#include "gpu/kda_decode/block.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T>
class Staging {
 public:
  SAMEBITS_DEVICE Staging(const Lane& lane, const Params& params, Shared<T> shared, int stage,
                          int p)
      : lane_(lane), params_(params), shared_(shared), stage_(stage), p_(p) {
    const int positions = params.conv_dim_first ? params.window : 3;
    part_bytes_ = positions * kHeadDim * element_bytes();
    conv_ = shared.conv() + stage * 3 * part_bytes_;
  }

  /// Starts the copies of an item's rows of q, k and v and of its windows, none for a padded row.
  /// `staged` counts one arrival per thread and one more. 16 bytes at a time: a bulk copy costs its
  /// thread about a hundred cycles, however short it is.
  SAMEBITS_DEVICE void StartInputs(const Item& item, uint64_t* staged) {
    constexpr int kCopies = 3 * T * kRowCopies;
    SAMEBITS_UNROLL
    for (int i = 0; i < kCopies; i += kPrepThreads) {
      const int copy = i + p_, row = copy / kRowCopies;
      if (copy < kCopies) {
        lane_.CopyAsync16(shared_.x_row(stage_, 0, 0) + copy * kCopyElements,
                          Input(item, row / 3, row % 3) + copy % kRowCopies * kCopyElements);
      }
    }
    const bool real = item.slot > 0;
    if (real && !params_.conv_dim_first) StartTaps(item);
    lane_.CopyAsyncArrive(staged);
    if (p_ == 0) StartBlocks(item, real && params_.conv_dim_first, staged);
  }

  /// Starts the copies of the rows of f_a and of the output gate. `staged` counts one arrival per
  /// thread.
  SAMEBITS_DEVICE void StartGates(const Item& item, uint64_t* staged) {
    constexpr int kCopies = 2 * T * kRowCopies;
    SAMEBITS_UNROLL
    for (int i = 0; i < kCopies; i += kPrepThreads) {
      const int copy = i + p_, row = copy / kRowCopies, at = copy % kRowCopies * kCopyElements;
      if (row < T) {
        lane_.CopyAsync16(shared_.f_a_row(stage_, row) + at, Feature(item.request, row) + at);
      } else if (row < 2 * T) {
        lane_.CopyAsync16(shared_.gate_row(stage_, row - T) + at,
                          OutputGate(item.request, item.head, row - T) + at);
      }
    }
    lane_.CopyAsyncArrive(staged);
  }

  /// Brings what StartInputs will copy into the L2 cache.
  SAMEBITS_DEVICE void PrefetchInputs(const Item& item) {
    if (p_ < 3 * T) Prefetch(Input(item, p_ / 3, p_ % 3), kRowBytes);
    if (item.slot <= 0) return;
    if (params_.conv_dim_first) {
      if (p_ < 3) Prefetch(Block(item, p_), part_bytes_);
    } else if (p_ >= 32 && p_ < 41) {
      Prefetch(Tap(item, (p_ - 32) / 3, (p_ - 32) % 3), row_bytes());
    }
  }

  /// The same of StartGates.
  SAMEBITS_DEVICE void PrefetchGates(Position at) {
    if (p_ >= 2 * T) return;
    const int t = p_ / 2;
    Prefetch(p_ % 2 == 0 ? Feature(at.request, t) : OutputGate(at.request, at.head, t), kRowBytes);
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

  /// A row of q, k or v (parts 0 to 2) of a token.
  SAMEBITS_DEVICE const uint16_t* Input(const Item& item, int t, int part) const {
    const int64_t row = int64_t{item.request} * T + t;
    return params_.operands.x + row * params_.operands.x_stride +
           int64_t{part * params_.heads + item.head} * kHeadDim;
  }
  SAMEBITS_DEVICE const uint16_t* OutputGate(int request, int head, int t) const {
    return params_.operands.gate + (int64_t{request} * T + t) * params_.operands.gate_stride +
           int64_t{head} * kHeadDim;
  }
  SAMEBITS_DEVICE const uint16_t* Feature(int request, int t) const {
    return params_.operands.f_a + (int64_t{request} * T + t) * params_.operands.f_a_stride;
  }

  /// Channel-innermost: one tap of a part.
  SAMEBITS_DEVICE std::byte* Tap(const Item& item, int part, int i) const {
    const int64_t dim = int64_t{params_.heads} * kHeadDim;
    return Global(item, (item.offset + i) * 3 * dim + part * dim + int64_t{item.head} * kHeadDim);
  }

  SAMEBITS_DEVICE void Prefetch(const void* from, int bytes) const {
    SAMEBITS_ROLLED
    for (int at = 0; at < bytes; at += kLineBytes) {
      lane_.PrefetchGlobal(static_cast<const std::byte*>(from) + at);
    }
  }

  /// Channel-innermost: the three taps of all parts.
  SAMEBITS_DEVICE void StartTaps(const Item& item) {
    const int shift = params_.conv_f32 ? 5 : 4;  // 2^shift copies of a row
    SAMEBITS_ROLLED
    for (int copy = p_; copy < 9 << shift; copy += kPrepThreads) {
      const int row = copy >> shift;
      lane_.CopyAsync16(conv_ + copy * 16,
                        Tap(item, row / 3, row % 3) + (copy - (row << shift)) * 16);
    }
  }

  /// Dim-first, one thread: the three blocks, if there are any, and its arrival.
  SAMEBITS_DEVICE void StartBlocks(const Item& item, bool any, uint64_t* staged) {
    lane_.MbarrierArriveExpect(staged, any ? 3 * part_bytes_ : 0);
    if (!any) return;
    SAMEBITS_ROLLED
    for (int part = 0; part < 3; ++part) {
      lane_.BulkLoad(conv_ + part * part_bytes_, Block(item, part), part_bytes_, staged);
    }
  }

  static constexpr int kRowBytes = kHeadDim * 2, kRowCopies = kRowBytes / 16;
  static constexpr int kCopyElements = 8;  // bf16, of one copy

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  int stage_;
  int p_;
  int part_bytes_;   // of one part's staged window
  std::byte* conv_;  // the staged windows
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_STAGING_CUH_
