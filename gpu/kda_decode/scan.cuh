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
        base_row_(thread / 32 * kWarpRows + thread % 32 / 8),
        own_row_(Row(0)) {}

  SAMEBITS_DEVICE void Run() {
    Start();
    SAMEBITS_ROLLED
    for (int j = 0; j < items_.count; ++j) {
      const int block = OperandBlock(j);
      lane_.MbarrierWait(full(), j % 2);
      ReadRows();
      lane_.WarpBarrier();
      if (j + 1 < items_.count && lane_.ElectOne()) LoadRows(next_slot_, next_.head);
      lane_.MbarrierWait(shared_.ops_full(block), j / kBlocks % 2);
      const int32_t* meta = shared_.meta(block);
      next_slot_ = lane_.LoadShared(meta + kMetaNext);
      next_.Advance(1, params_.requests);
      if (lane_.LoadShared(meta) != 0) {
        const int request = lane_.LoadShared(meta + 1), head = lane_.LoadShared(meta + 2);
        Tokens(block, request, head, lane_.LoadShared(meta + 3));
      }
      lane_.MbarrierArrive(shared_.done(block));
    }
    if (params_.store_page != 0 && lane_.ElectOne()) lane_.BulkWaitAll();
  }

 private:
  static constexpr int kRows = 4;  // value rows of a thread: base_row + 4 i
  static constexpr int kRowStep = 4;
  static constexpr int kWarpRows = 16;
  static constexpr int kChunks = 4;  // of 4 keys: 4 (l + 8 c) + [0, 4)
  static constexpr int kWarpBytes = kWarpRows * kHeadDim * 4;

  SAMEBITS_DEVICE int Key(int chunk) const { return 4 * (l_ + 8 * chunk); }

  /// Row r of this lane. The 8 lanes of a row have its rows in different orders: each exchange of
  /// RowSums keeps the first half and sends the second, in every lane.
  SAMEBITS_DEVICE int Row(int r) const { return base_row_ + kRowStep * (r ^ l_ / 2); }

  SAMEBITS_DEVICE uint64_t* full() const { return shared_.state_full(thread_ / 32); }

  /// The rows of the first item; the prep role finds the slots from the third item on.
  SAMEBITS_DEVICE void Start() {
    const Position at = PositionOf(params_, items_.first);
    const int slot = LocateItem<T>(lane_, params_, at).slot;
    if (slot > 0) PrefetchRows(State(slot, at.head));
    lane_.GridDependencyWait();
    lane_.GridLaunchDependents();
    if (lane_.ElectOne()) {
      // With several tokens the prep role takes longer than the state: its rows come first.
      if (T > 1) lane_.MbarrierWait(shared_.first_rows(), 0);
      LoadRows(slot, at.head);
    }
    next_ = at;
    next_.Advance(1, params_.requests);
    if (items_.count > 1) next_slot_ = LocateItem<T>(lane_, params_, next_).slot;
  }

  /// Brings the warp's rows into the L2 cache, two lines per lane.
  SAMEBITS_DEVICE void PrefetchRows(const float* page) {
    constexpr int kLineFloats = kLineBytes / 4;
    const float* own = page + FirstElement() + thread_ % 32 * kLineFloats;
    lane_.PrefetchGlobal(own);
    lane_.PrefetchGlobal(own + 32 * kLineFloats);
  }

  /// One lane: starts the copies of the warp's rows of a state, or completes the phase of a padded
  /// row.
  SAMEBITS_DEVICE void LoadRows(int slot, int head) {
    if (slot <= 0) {
      lane_.MbarrierArriveExpect(full(), 0);
      return;
    }
    lane_.MbarrierArriveExpect(full(), kWarpBytes);
    const float* from = State(slot, head) + FirstElement();
    float* to = shared_.page() + FirstElement();
    // Several copies are faster than one where many blocks load; of stores, one is.
    SAMEBITS_ROLLED
    for (int i = 0; i < kRows; ++i) {
      lane_.BulkLoad(to, from, kWarpBytes / kRows, full());
      to += kRowStep * kHeadDim;
      from += kRowStep * kHeadDim;
    }
  }

  /// Of the rows of the warp, which lie side by side.
  SAMEBITS_DEVICE int FirstElement() const { return thread_ / 32 * kWarpRows * kHeadDim; }

  SAMEBITS_DEVICE float* State(int slot, int head) const {
    return params_.operands.state + int64_t{slot} * params_.operands.state_slot_stride +
           int64_t{head} * kPageElements;
  }

  SAMEBITS_DEVICE void ReadRows() {
    SAMEBITS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const float* row = shared_.page() + Row(r) * kHeadDim;
      SAMEBITS_UNROLL
      for (int c = 0; c < kChunks; ++c) {
        const float* from = row + Key(c);
        // A padded row has no page; what is here then is dropped.
        const Float4 s = lane_.LoadSharedOrUndefined(reinterpret_cast<const Float4*>(from));
        state_[r][c][0] = {s.x, s.y};
        state_[r][c][1] = {s.z, s.w};
      }
    }
  }

  SAMEBITS_DEVICE Float4 Chunk(const float* row, int c) const {
    return lane_.LoadShared(reinterpret_cast<const Float4*>(row + 32 * c));
  }

  /// Where a token's operands are for this lane; those of the next are kHeadDim, of beta 1 further.
  struct Operands {
    const float *q, *k, *decay;  // from this lane's first key on
    float* v;                    // of the own row; o replaces it
    const float* beta;

    SAMEBITS_DEVICE void Advance() {
      q += kHeadDim;
      k += kHeadDim;
      decay += kHeadDim;
      v += kHeadDim;
      ++beta;
    }
  };

  /// The recurrence, (a) to (f) of section 3.8. The last sums of o of a token are taken together
  /// with those of the next token's dot: half as many exchanges that everything waits for.
  SAMEBITS_DEVICE void Tokens(int block, int request, int head, int record_row) {
    Operands at = {shared_.q(block, 0) + Key(0), shared_.k(block, 0) + Key(0),
                   shared_.decay(block, 0) + Key(0), shared_.v(block, 0) + own_row_,
                   shared_.beta(block)};
    float* record = params_.operands.correction_record +
                    (int64_t{record_row} * params_.heads + head) * T * kHeadDim + own_row_;
    float out[kRows] = {};  // P(l) of the token before
    SAMEBITS_ROLLED
    for (int t = 0; t < T; ++t) {
      Float4 k[kChunks];
      const float v = lane_.LoadShared(at.v);
      const float beta = lane_.LoadShared(at.beta);
      float dot[kRows];
      DecayAndDot(at, k, dot);
      lane_.WarpBarrier();  // both lanes of the own row have v of the token before
      const Float2 sums = RowSums(dot, out);
      if (T > 1 && t > 0) WriteOut(at.v - kHeadDim, request, head, t - 1, sums.y);
      const float correction = lane_.Mul(lane_.Sub(v, sums.x), beta);
      UpdateAndOut(at, k, correction, out);
      if (l_ % 2 == 0) {  // both lanes of a pair own the row
        if (params_.record) lane_.StoreGlobal(record, correction);
        if constexpr (kTaps) {
          const int64_t tap = TapRow<T>(lane_, params_, request, head, t) + own_row_;
          lane_.StoreGlobal(params_.taps.dot + tap, sums.x);
          lane_.StoreGlobal(params_.taps.correction + tap, correction);
        }
      }
      StoreStates(block, request, head, t);
      at.Advance();
      record += kHeadDim;
    }
    lane_.WarpBarrier();
    WriteOut(at.v - kHeadDim, request, head, T - 1, RowSums(out, out).x);
  }

  SAMEBITS_DEVICE void WriteOut(float* to, int request, int head, int t, float out) {
    if (l_ % 2 != 0) return;
    const float rounded = RoundToBf16(lane_, out);
    lane_.StoreShared(to, rounded);
    if constexpr (kTaps) {
      const int64_t at = TapRow<T>(lane_, params_, request, head, t) + own_row_;
      lane_.StoreGlobal(params_.taps.out_acc + at, out);
      lane_.StoreGlobal(params_.taps.out_raw + at, rounded);
    }
  }

  SAMEBITS_DEVICE void StoreStates(int block, int request, int head, int t) {
    if constexpr (kTaps) {
      const int64_t row = TapRow<T>(lane_, params_, request, head, t);
      StoreState(params_.taps.state_after + row * kHeadDim);
    }
    if (!params_.record) {
      const int target = Target(block, t);
      if (target > 0) {
        float* page = State(target, head);
        if (params_.store_page != 0) {
          SendState(page);
        } else {
          StoreState(page);
        }
      }
    }
  }

  /// w_t, 0 if a later token has the same: the last one wins (section 2.4), and bulk stores that
  /// are under way together have no order.
  SAMEBITS_DEVICE int Target(int block, int t) const {
    const int32_t* targets = shared_.meta(block) + 4;
    const int target = lane_.LoadShared(targets + t);
    for (int later = t + 1; later < T; ++later) {
      if (lane_.LoadShared(targets + later) == target) return 0;
    }
    return target;
  }

  /// S = S d, then P(l) of KEYDOT(S, kn) of each row; leaves kn in `k` for the update.
  SAMEBITS_DEVICE void DecayAndDot(const Operands& at, Float4 (&k)[kChunks], float (&dot)[kRows]) {
    Float2 acc[kRows][2] = {};
    SAMEBITS_UNROLL
    for (int c = 0; c < kChunks; ++c) {
      k[c] = Chunk(at.k, c);
      const Float4 d = Chunk(at.decay, c);
      SAMEBITS_UNROLL
      for (int r = 0; r < kRows; ++r) {
        Float2(&s)[2] = state_[r][c];
        s[0] = lane_.Mul2(s[0], Float2{d.x, d.y});
        s[1] = lane_.Mul2(s[1], Float2{d.z, d.w});
        acc[r][0] = lane_.Fma2(s[0], Float2{k[c].x, k[c].y}, acc[r][0]);
        acc[r][1] = lane_.Fma2(s[1], Float2{k[c].z, k[c].w}, acc[r][1]);
      }
    }
    Partials(acc, dot);
  }

  /// S = kn corr + S, then P(l) of KEYDOT(S, qn) of each row.
  SAMEBITS_DEVICE void UpdateAndOut(const Operands& at, const Float4 (&k)[kChunks],
                                    float correction, float (&out)[kRows]) {
    float row_correction[kRows] = {correction};
    SAMEBITS_UNROLL
    for (int r = 1; r < kRows; ++r) row_correction[r] = lane_.ShuffleXor(correction, 2 * r);
    Float2 acc[kRows][2] = {};
    SAMEBITS_UNROLL
    for (int c = 0; c < kChunks; ++c) {
      const Float4 q = Chunk(at.q, c);
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
    Partials(acc, out);
  }

  /// P(l) of section 4.3 from the chains C(l, 0..3).
  SAMEBITS_DEVICE void Partials(const Float2 (&acc)[kRows][2], float (&partial)[kRows]) {
    SAMEBITS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const Float2 pair = lane_.Add2(acc[r][0], acc[r][1]);
      partial[r] = lane_.Add(pair.x, pair.y);
    }
  }

  /// Rest of KEYDOT (section 4.3) of two values at once, from P(l) of four rows; result: the own
  /// row's.
  SAMEBITS_DEVICE Float2 RowSums(const float (&x)[kRows], const float (&y)[kRows]) {
    Float2 two[2];
    SAMEBITS_UNROLL
    for (int i = 0; i < 2; ++i) {
      two[i] = {Exchange(x[i], x[i + 2], 4), Exchange(y[i], y[i + 2], 4)};
    }
    const Float2 one = {Exchange(two[0].x, two[1].x, 2), Exchange(two[0].y, two[1].y, 2)};
    return {Exchange(one.x, one.x, 1), Exchange(one.y, one.y, 1)};
  }

  /// The sum with what the partner sends, which is of the same row.
  SAMEBITS_DEVICE float Exchange(float keep, float send, int distance) {
    return lane_.Add(keep, lane_.ShuffleXor(send, distance));
  }

  /// Writes the state by bulk stores: each warp its own rows, through its own part of the store
  /// page. The stores of registers would hold up every access of the prep role to shared memory.
  SAMEBITS_DEVICE void SendState(float* page) {
    float* staged = shared_.store_page(params_);
    if (lane_.ElectOne()) lane_.BulkWaitRead();
    lane_.WarpBarrier();
    SAMEBITS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      SAMEBITS_UNROLL
      for (int c = 0; c < kChunks; ++c) {
        float* to = staged + Row(r) * kHeadDim + Key(c);
        const Float2(&s)[2] = state_[r][c];
        lane_.StoreShared(reinterpret_cast<Float4*>(to), Float4{s[0].x, s[0].y, s[1].x, s[1].y});
      }
    }
    lane_.FenceProxyAsync();
    lane_.WarpBarrier();
    if (lane_.ElectOne()) {
      lane_.BulkStore(page + FirstElement(), staged + FirstElement(), kWarpBytes);
      lane_.BulkCommit();
    }
  }

  /// Writes the state from the registers, whole rows together: each lane puts its rows into the
  /// order of the page first.
  SAMEBITS_DEVICE void StoreState(float* page) {
    const bool high = (l_ & 4) != 0, low = (l_ & 2) != 0;
    Float2 rows[kRows][kChunks][2];
    SAMEBITS_UNROLL
    for (int c = 0; c < kChunks; ++c) {
      Float2 half[kRows][2];
      SAMEBITS_UNROLL
      for (int r = 0; r < kRows; ++r) Select(high, state_[r ^ 2][c], state_[r][c], half[r]);
      SAMEBITS_UNROLL
      for (int r = 0; r < kRows; ++r) Select(low, half[r ^ 1], half[r], rows[r][c]);
    }
    SAMEBITS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      SAMEBITS_UNROLL
      for (int c = 0; c < kChunks; ++c) {
        float* to = page + (base_row_ + kRowStep * r) * kHeadDim + Key(c);
        const Float2(&s)[2] = rows[r][c];
        lane_.StoreGlobal(reinterpret_cast<Float4*>(to), Float4{s[0].x, s[0].y, s[1].x, s[1].y});
      }
    }
  }
  SAMEBITS_DEVICE void Select(bool which, const Float2 (&yes)[2], const Float2 (&no)[2],
                              Float2 (&to)[2]) {
    SAMEBITS_UNROLL
    for (int i = 0; i < 2; ++i) {
      to[i] = {which ? yes[i].x : no[i].x, which ? yes[i].y : no[i].y};
    }
  }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  ItemRange items_;
  int thread_;
  int l_;              // position in the 8 lanes of a row
  int base_row_;       // the first of rows base_row_ + 4 i
  int own_row_;        // the row that this lane reduces
  Position next_{};    // the next item
  int next_slot_ = 0;  // its state slot
  Float2 state_[kRows][kChunks][2];
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_SCAN_CUH_
