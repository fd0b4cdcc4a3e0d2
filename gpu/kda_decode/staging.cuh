// Asynchronous copies of an item's rows and convolution windows, and the way back of the windows
// (SPEC.md sections 2.3, 5 and 7.3). One instance per thread of prep group 0. j: local item.
#ifndef SAMEBITS_GPU_KDA_DECODE_STAGING_CUH_
#define SAMEBITS_GPU_KDA_DECODE_STAGING_CUH_

#include "gpu/kda_decode/block.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T>
class Staging {
 public:
  SAMEBITS_DEVICE Staging(const Lane& lane, const Params& params, Shared<T> shared, int p)
      : lane_(lane), params_(params), shared_(shared), p_(p) {
    const int positions = params.conv_dim_first ? params.window : 3;
    part_bytes_ = positions * row_bytes();
  }

  /// `at`: the item that Start is called for next.
  SAMEBITS_DEVICE void Locate(Position at) {
    const kda_decode::Operands& from = params_.operands;
    const int64_t token = int64_t{at.request} * T + row();
    const int64_t channel = int64_t{at.head} * kHeadDim + chunk() * kChunkElements;
    input_ = from.x + token * from.x_stride + channel;
    gate_ = from.gate + token * from.gate_stride + channel;
  }
  /// To the next request of the head.
  SAMEBITS_DEVICE void Advance() {
    input_ += T * params_.operands.x_stride;
    gate_ += T * params_.operands.gate_stride;
  }

  /// Starts the copies of the rows of q, k, v and the output gate and of the windows of item j, no
  /// window for a padded row. `staged` counts one arrival per thread, dim-first one more. Rows go
  /// 16 bytes at a time: a bulk copy costs its thread about a hundred cycles, however short it is.
  SAMEBITS_DEVICE void Start(int j, const Item& item, uint64_t* staged) {
    const bool real = item.slot > 0;
    if (row() < T) StartRows(j);
    if (real && !params_.conv_dim_first && row() < kTaps) StartTaps(j, item);
    lane_.CopyAsyncArrive(staged);
    if (params_.conv_dim_first && p_ == 0) StartBlocks(j, item, real, staged);
  }

  /// Brings what Start will copy into the L2 cache.
  SAMEBITS_DEVICE void Prefetch(const Item& item) {
    if (row() < T && chunk() % kLineChunks == 0) {
      SAMEBITS_UNROLL
      for (int part = 0; part < kParts; ++part) lane_.PrefetchGlobal(input_ + part * Dim());
      lane_.PrefetchGlobal(gate_);
    }
    if (item.slot <= 0) return;
    if (params_.conv_dim_first) {
      if (p_ < kParts) Prefetch(Block(item, p_), part_bytes_);
    } else if (row() < kTaps && chunk() < kParts) {
      Prefetch(Position(item, item.offset + row(), chunk()), row_bytes());
    }
  }

  /// The taps of this thread's channel as the bits of f32.
  SAMEBITS_DEVICE void LoadTaps(int j, int part, int offset, uint32_t (&z)[3]) const {
    const int first = params_.conv_dim_first ? p_ * params_.window + offset : p_;
    const int step = params_.conv_dim_first ? 1 : kHeadDim;
    const std::byte* page = Page(j, part);
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

  /// Input of this thread's channel, as the bits of f32.
  SAMEBITS_DEVICE uint32_t LoadInput(int j, int part, int t) const {
    return uint32_t{lane_.LoadShared(shared_.x_row(j % kStages, t, part) + p_)} << 16;
  }

  /// The new windows: taps 1 and 2, then the inputs (section 5).
  /// Channel-innermost: to global memory; dim-first: into the staged block, for StoreWindows.
  SAMEBITS_DEVICE void MoveWindows(int j, const Item& item) {
    if (!params_.conv_dim_first && !params_.conv_f32) {
      CopyWindows(j, item);
      return;
    }
    SAMEBITS_UNROLL
    for (int part = 0; part < kParts; ++part) MoveWindow(j, item, part);
    if (params_.conv_dim_first) lane_.FenceProxyAsync();
  }

  /// Dim-first, one thread: the staged blocks back to global memory.
  SAMEBITS_DEVICE void StoreWindows(int j, const Item& item) {
    SAMEBITS_UNROLL
    for (int part = 0; part < kParts; ++part) {
      lane_.BulkStore(Block(item, part), Page(j, part), part_bytes_);
    }
    lane_.BulkCommit();
  }

 private:
  static constexpr int kTaps = 3;  // of the window, that an item uses
  static constexpr int kRowBytes = kHeadDim * 2, kChunks = kRowBytes / 16;
  static constexpr int kChunkElements = 8;  // bf16, of 16 bytes
  static constexpr int kLineChunks = kLineBytes / 16;
  // Rows of bf16 that the group copies together, this thread chunk p % 16 of row p / 16.
  static constexpr int kRows = kPrepThreads / kChunks;
  static_assert(T <= kRows);

  SAMEBITS_DEVICE int chunk() const { return static_cast<int>(thread() % kChunks); }
  SAMEBITS_DEVICE int row() const { return static_cast<int>(thread() / kChunks); }
  SAMEBITS_DEVICE uint32_t thread() const { return static_cast<uint32_t>(p_); }

  SAMEBITS_DEVICE int element_bytes() const { return params_.conv_f32 ? 4 : 2; }
  SAMEBITS_DEVICE int row_bytes() const { return kHeadDim * element_bytes(); }
  SAMEBITS_DEVICE int64_t Dim() const { return int64_t{lane_.Opaque(params_.heads)} * kHeadDim; }
  /// The staged window of a part.
  SAMEBITS_DEVICE std::byte* Page(int j, int part) const {
    return shared_.conv() + (j % kStages * kParts + part) * part_bytes_;
  }

  /// Element `index` of the slot's page of the convolution state.
  SAMEBITS_DEVICE std::byte* Global(const Item& item, int64_t index) const {
    const int64_t element = int64_t{item.conv_slot} * params_.operands.conv_slot_stride + index;
    return static_cast<std::byte*>(params_.operands.conv_state) + element * element_bytes();
  }
  /// Dim-first: the 128 windows of this head and part.
  SAMEBITS_DEVICE std::byte* Block(const Item& item, int part) const {
    const int64_t channel = part * Dim() + int64_t{item.head} * kHeadDim;
    return Global(item, channel * params_.window);
  }
  /// Channel-innermost: the 128 channels of this head and part at a position of the window.
  SAMEBITS_DEVICE std::byte* Position(const Item& item, int position, int part) const {
    return Global(item, (position * kParts + part) * Dim() + int64_t{item.head} * kHeadDim);
  }

  SAMEBITS_DEVICE void Prefetch(const void* from, int bytes) const {
    SAMEBITS_ROLLED
    for (int at = 0; at < bytes; at += kLineBytes) {
      lane_.PrefetchGlobal(static_cast<const std::byte*>(from) + at);
    }
  }

  SAMEBITS_DEVICE void StartRows(int j) {
    const int at = chunk() * kChunkElements;
    SAMEBITS_UNROLL
    for (int part = 0; part < kParts; ++part) {
      lane_.CopyAsync16(shared_.x_row(j % kStages, row(), part) + at, input_ + part * Dim());
    }
    lane_.CopyAsync16(shared_.gate(j, row()) + at, gate_);
  }

  /// Channel-innermost: the three taps of the parts.
  SAMEBITS_DEVICE void StartTaps(int j, const Item& item) {
    const std::byte* from = Position(item, item.offset + row(), 0) + 16 * chunk();
    std::byte* to = Page(j, 0) + row() * row_bytes() + 16 * chunk();
    SAMEBITS_UNROLL
    for (int part = 0; part < kParts; ++part) {
      lane_.CopyAsync16(to, from);
      if (params_.conv_f32) lane_.CopyAsync16(to + kRowBytes, from + kRowBytes);
      to += part_bytes_;
      from += Dim() * element_bytes();
    }
  }

  /// Dim-first, one thread: the three blocks, if there are any, and its arrival.
  SAMEBITS_DEVICE void StartBlocks(int j, const Item& item, bool any, uint64_t* staged) {
    lane_.MbarrierArriveExpect(staged, any ? kParts * part_bytes_ : 0);
    if (!any) return;
    SAMEBITS_ROLLED
    for (int part = 0; part < kParts; ++part) {
      lane_.BulkLoad(Page(j, part), Block(item, part), part_bytes_, staged);
    }
  }

  /// Channel-innermost, BF16: whole rows as they are, 16 bytes at a time.
  SAMEBITS_DEVICE void CopyWindows(int j, const Item& item) {
    const int64_t dim_bytes = Dim() * int64_t{sizeof(uint16_t)};
    std::byte* to = Position(item, row(), 0) + 16 * chunk();
    SAMEBITS_UNROLL
    for (int first = 0; first < T + 2; first += kRows, to += kRows * kParts * dim_bytes) {
      const int i = first + row();
      if (i >= T + 2) continue;
      const std::byte* tap = Page(j, 0) + (i + 1) * kRowBytes;
      const auto* input = reinterpret_cast<const std::byte*>(shared_.x_row(j % kStages, i - 2, 0));
      const std::byte* from = (i < 2 ? tap : input) + 16 * chunk();
      const int pitch = i < 2 ? part_bytes_ : kRowBytes;
      SAMEBITS_UNROLL
      for (int part = 0; part < kParts; ++part) {
        lane_.StoreGlobal(reinterpret_cast<Word4*>(to + part * dim_bytes),
                          lane_.LoadShared(reinterpret_cast<const Word4*>(from + part * pitch)));
      }
    }
  }

  /// The window of this thread's channel of a part.
  SAMEBITS_DEVICE void MoveWindow(int j, const Item& item, int part) {
    uint32_t taps[3];
    LoadTaps(j, part, item.offset, taps);
    SAMEBITS_UNROLL
    for (int i = 0; i < T + 2; ++i) {
      StoreEntry(j, item, part, i, i < 2 ? taps[i + 1] : LoadInput(j, part, i - 2));
    }
  }
  SAMEBITS_DEVICE void StoreEntry(int j, const Item& item, int part, int i, uint32_t bits) {
    if (!params_.conv_dim_first) {  // FP32: BF16 is copied by rows
      lane_.StoreGlobal(reinterpret_cast<uint32_t*>(Position(item, i, part)) + p_, bits);
    } else if (params_.conv_f32) {
      auto* to = reinterpret_cast<uint32_t*>(Page(j, part)) + p_ * params_.window;
      lane_.StoreShared(to + i, bits);
    } else {
      auto* to = reinterpret_cast<uint16_t*>(Page(j, part)) + p_ * params_.window;
      lane_.StoreShared(to + i, static_cast<uint16_t>(bits >> 16));
    }
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  int p_;
  int part_bytes_;  // of one part's staged window
  // This thread's chunk of the next item's rows of q and of the output gate.
  const uint16_t *input_ = nullptr, *gate_ = nullptr;
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_STAGING_CUH_
