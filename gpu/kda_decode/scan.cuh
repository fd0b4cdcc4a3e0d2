// The scan role (SPEC.md sections 3.1, 3.8, 4.3 and 7.4): 256 threads hold the state of one item in
// registers and run the recurrence of its tokens. o of a token replaces its v.
#ifndef SAMEBITS_GPU_KDA_DECODE_SCAN_CUH_
#define SAMEBITS_GPU_KDA_DECODE_SCAN_CUH_

#include "gpu/kda_decode/block.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T, bool kTaps>
class Scan {
 public:
  SAMEBITS_DEVICE Scan(const Lane& lane, const Params& params, Shared<T> shared, ItemRange items,
                       int thread)
      : lane_(lane),
        params_(params),
        shared_(shared),
        items_(items),
        thread_(thread),
        l_(thread % 8),
        base_row_(thread / 8),
        own_row_(thread / 8 + 32 * (thread % 8 / 2)) {}

  SAMEBITS_DEVICE void Run() {
    if (thread_ == 0) LoadFirstPages();
    SAMEBITS_ROLLED
    for (int j = 0; j < items_.count; ++j) {
      const int block = OperandBlock(j);
      lane_.MbarrierWait(shared_.state_full(Page(j)), PageParity(j));
      ReadPage(Page(j));
      lane_.MbarrierArrive(shared_.state_empty(Page(j)));
      lane_.MbarrierWait(shared_.ops_full(block), j / kBlocks % 2);
      const int32_t* meta = shared_.meta(block);
      if (thread_ == 0) LoadNextPage(j, lane_.LoadShared(meta + kMetaNext));
      if (lane_.LoadShared(meta) != 0) {
        const int request = lane_.LoadShared(meta + 1), head = lane_.LoadShared(meta + 2);
        record_row_ = lane_.LoadShared(meta + 3);
        SAMEBITS_ROLLED
        for (int t = 0; t < T; ++t) Token(block, request, head, t);
      }
      lane_.MbarrierArrive(shared_.done(block));
    }
  }

 private:
  static constexpr int kRows = 4;    // value rows of a thread: base_row + 32 r
  static constexpr int kChunks = 4;  // of 4 keys: 4 (l + 8 c) + [0, 4)
  static constexpr int kCopyBytes = 16384;

  SAMEBITS_DEVICE int Key(int chunk) const { return 4 * (l_ + 8 * chunk); }

  /// Item j waits in page j modulo the number of pages; the phase is the use of that page.
  SAMEBITS_DEVICE int Page(int j) const { return params_.pages == 2 ? j % 2 : 0; }
  SAMEBITS_DEVICE int PageParity(int j) const { return (params_.pages == 2 ? j / 2 : j) % 2; }

  /// The pages of the first items; the prep role finds the slots of the later ones. One thread.
  SAMEBITS_DEVICE void LoadFirstPages() {
    SAMEBITS_UNROLL
    for (int j = 0; j < kMaxPages; ++j) {
      if (j >= items_.count) return;
      next_slot_ = LocateItem<T>(lane_, params_, items_.first + j).slot;
      if (j < params_.pages) LoadPage(j, next_slot_);
    }
  }

  /// Once every thread holds item j: the page of item j + pages. `after_next`: slot of item j + 2.
  /// One thread.
  SAMEBITS_DEVICE void LoadNextPage(int j, int after_next) {
    lane_.MbarrierWait(shared_.state_empty(Page(j)), PageParity(j));
    const int next = j + params_.pages;
    if (next < items_.count) LoadPage(next, params_.pages == 2 ? after_next : next_slot_);
    next_slot_ = after_next;
  }

  /// Starts the copy of an item's state, or completes the phase of a padded row.
  SAMEBITS_DEVICE void LoadPage(int j, int slot) {
    uint64_t* full = shared_.state_full(Page(j));
    if (slot <= 0) {
      lane_.MbarrierArriveExpect(full, 0);
      return;
    }
    lane_.MbarrierArriveExpect(full, kPageBytes);
    const float* from = State(slot, (items_.first + j) / params_.requests);
    float* to = shared_.page(params_, Page(j));
    SAMEBITS_UNROLL
    for (int at = 0; at < kPageElements; at += kCopyBytes / 4) {
      lane_.BulkLoad(to + at, from + at, kCopyBytes, full);
    }
  }

  SAMEBITS_DEVICE float* State(int slot, int head) const {
    return params_.operands.state + int64_t{slot} * params_.operands.state_slot_stride +
           int64_t{head} * kPageElements;
  }

  SAMEBITS_DEVICE void ReadPage(int page) {
    const float* first = shared_.page(params_, page) + base_row_ * kHeadDim;
    SAMEBITS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      SAMEBITS_UNROLL
      for (int c = 0; c < kChunks; ++c) {
        const float* from = first + 32 * r * kHeadDim + Key(c);
        // A padded row has no page; what is here then is dropped.
        const Float4 s = lane_.LoadSharedOrUndefined(reinterpret_cast<const Float4*>(from));
        state_[r][c][0] = {s.x, s.y};
        state_[r][c][1] = {s.z, s.w};
      }
    }
  }

  SAMEBITS_DEVICE Float4 Chunk(const float* row, int c) const {
    return lane_.LoadShared(reinterpret_cast<const Float4*>(row + Key(c)));
  }

  /// One step of the recurrence, (a) to (f) of section 3.8.
  SAMEBITS_DEVICE void Token(int block, int request, int head, int t) {
    Float4 k[kChunks];
    const float v = lane_.LoadShared(shared_.v(block, t) + own_row_);
    const float beta = lane_.LoadShared(shared_.beta(block) + t);
    const float dot = DecayAndDot(block, t, k);
    const float correction = lane_.Mul(lane_.Sub(v, dot), beta);
    const float out = UpdateAndOut(block, t, k, correction);
    const float rounded = lane_.FromBf16(lane_.ToBf16(out));
    if (l_ % 2 == 0) {  // both lanes of a pair own the row
      lane_.StoreShared(shared_.out(block, t) + own_row_, rounded);
      if (params_.record) RecordCorrection(head, t, correction);
      if constexpr (kTaps) {
        const int64_t at = TapRow<T>(lane_, params_, request, head, t) + own_row_;
        lane_.StoreGlobal(params_.taps.dot + at, dot);
        lane_.StoreGlobal(params_.taps.correction + at, correction);
        lane_.StoreGlobal(params_.taps.out_acc + at, out);
        lane_.StoreGlobal(params_.taps.out_raw + at, rounded);
      }
    }
    if constexpr (kTaps) {
      const int64_t row = TapRow<T>(lane_, params_, request, head, t);
      StoreState(params_.taps.state_after + row * kHeadDim);
    }
    if (!params_.record) {
      const int target = lane_.LoadShared(shared_.meta(block) + 4 + t);
      if (target > 0) StoreState(State(target, head));
    }
  }

  /// S = S d, then KEYDOT(S, kn) of the own row; leaves kn in `k` for the update.
  SAMEBITS_DEVICE float DecayAndDot(int block, int t, Float4 (&k)[kChunks]) {
    Float2 acc[kRows][2] = {};
    SAMEBITS_UNROLL
    for (int c = 0; c < kChunks; ++c) {
      k[c] = Chunk(shared_.k(block, t), c);
      const Float4 d = Chunk(shared_.decay(block, t), c);
      SAMEBITS_UNROLL
      for (int r = 0; r < kRows; ++r) {
        Float2(&s)[2] = state_[r][c];
        s[0] = lane_.Mul2(s[0], Float2{d.x, d.y});
        s[1] = lane_.Mul2(s[1], Float2{d.z, d.w});
        acc[r][0] = lane_.Fma2(s[0], Float2{k[c].x, k[c].y}, acc[r][0]);
        acc[r][1] = lane_.Fma2(s[1], Float2{k[c].z, k[c].w}, acc[r][1]);
      }
    }
    return RowSum(acc);
  }

  /// S = kn corr + S, then KEYDOT(S, qn) of the own row.
  SAMEBITS_DEVICE float UpdateAndOut(int block, int t, const Float4 (&k)[kChunks],
                                     float correction) {
    float row_correction[kRows];
    SAMEBITS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      row_correction[r] = lane_.ShuffleIndex(correction, (thread_ % 32 & ~7) | (2 * r));
    }
    Float2 acc[kRows][2] = {};
    SAMEBITS_UNROLL
    for (int c = 0; c < kChunks; ++c) {
      const Float4 q = Chunk(shared_.q(block, t), c);
      SAMEBITS_UNROLL
      for (int r = 0; r < kRows; ++r) {
        Float2(&s)[2] = state_[r][c];
        const Float2 corr = {row_correction[r], row_correction[r]};
        s[0] = lane_.Fma2(Float2{k[c].x, k[c].y}, corr, s[0]);
        s[1] = lane_.Fma2(Float2{k[c].z, k[c].w}, corr, s[1]);
        acc[r][0] = lane_.Fma2(s[0], Float2{q.x, q.y}, acc[r][0]);
        acc[r][1] = lane_.Fma2(s[1], Float2{q.z, q.w}, acc[r][1]);
      }
    }
    return RowSum(acc);
  }

  /// Rest of KEYDOT (section 4.3) from the chains C(l, 0..3) of four rows; result: the own row's.
  SAMEBITS_DEVICE float RowSum(const Float2 (&acc)[kRows][2]) {
    float partial[kRows];  // P(l)
    SAMEBITS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const Float2 pair = lane_.Add2(acc[r][0], acc[r][1]);
      partial[r] = lane_.Add(pair.x, pair.y);
    }
    bool upper = (l_ & 4) != 0;
    float two[2];
    SAMEBITS_UNROLL
    for (int i = 0; i < 2; ++i) {
      const float send = upper ? partial[i] : partial[i + 2];
      const float keep = upper ? partial[i + 2] : partial[i];
      two[i] = lane_.Add(keep, lane_.ShuffleXor(send, 4));
    }
    upper = (l_ & 2) != 0;
    const float send = upper ? two[0] : two[1];
    const float keep = upper ? two[1] : two[0];
    const float one = lane_.Add(keep, lane_.ShuffleXor(send, 2));
    return lane_.Add(one, lane_.ShuffleXor(one, 1));
  }

  SAMEBITS_DEVICE void RecordCorrection(int head, int t, float correction) {
    const int64_t row = (int64_t{record_row_} * params_.heads + head) * T + t;
    lane_.StoreGlobal(params_.operands.correction_record + row * kHeadDim + own_row_, correction);
  }

  SAMEBITS_DEVICE void StoreState(float* page) {
    SAMEBITS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      SAMEBITS_UNROLL
      for (int c = 0; c < kChunks; ++c) {
        float* to = page + (base_row_ + 32 * r) * kHeadDim + Key(c);
        const Float2(&s)[2] = state_[r][c];
        lane_.StoreGlobal(reinterpret_cast<Float4*>(to), Float4{s[0].x, s[0].y, s[1].x, s[1].y});
      }
    }
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  ItemRange items_;
  int thread_;
  int l_;               // position in the 8 lanes of a row
  int base_row_;        // rows base_row_ + 32 r
  int own_row_;         // the row that this lane reduces
  int record_row_ = 0;  // slots[r][0] of the current item
  int next_slot_ = 0;   // thread 0: state slot of the item after the current one
  Float2 state_[kRows][kChunks][2];
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_SCAN_CUH_
