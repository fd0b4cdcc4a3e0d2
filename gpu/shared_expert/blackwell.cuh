// The sm_100a kernel of FUSED and of the gate halves (SPEC.md 3, 6): the structure of the source it
// is specified from. Clusters of ks blocks share a tile's K; loader warps 0..3 feed a ring to warp
// 4, which issues the products; partial sums go to the owners of their h columns over distributed
// shared memory; FUSED passes a barrier over the grid and multiplies down rows by the h of all.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_CUH_

#include "gpu/shared_expert/blackwell_block.cuh"
#include "gpu/shared_expert/blackwell_reduce.cuh"
#include "gpu/shared_expert/ring.cuh"
#include "gpu/shared_expert/watchdog.cuh"

namespace samebits::gpu::shared_expert {

template <class Lane, int N, bool kFront, bool kTaps>
class BlackwellShared {
 public:
  SAMEBITS_DEVICE BlackwellShared(const Lane& lane, const Params& params)
      : lane_(lane),
        params_(params),
        base_(lane.shared()),
        at_(Layout(params)),
        tile_(DivideByKs(params, lane.BlockIndex())),
        rank_(lane.BlockIndex() - tile_ * params.ks),
        span_(SpanOf(params, rank_)),
        has_down_(lane.BlockIndex() < params.down_tiles) {}

  SAMEBITS_DEVICE void Run() {
    if (lane_.ThreadIndex() == 0) InitBarriers();
    if (warp() == kProductWarp) {
      lane_.TmemAllocate(slot(), kTmemColumns<N>);
      lane_.TmemRelinquish();
    }
    ClearPadding();
    lane_.Tcgen05FenceBefore();
    lane_.BlockBarrier();
    lane_.Tcgen05FenceAfter();
    lane_.ClusterArriveRelaxed();
    lane_.ClusterWait();  // every owner's receive barrier is armed
    tmem_ = lane_.LoadShared(slot());
    if constexpr (kFront) StartWeights();
    lane_.GridDependencyWait();
    lane_.GridLaunchDependents();
    if (warp() == kProductWarp) {
      Multiply();
    } else {
      Stream();
    }
    lane_.Tcgen05FenceBefore();
    lane_.BlockBarrier();
    if (warp() == kProductWarp) lane_.TmemFree(tmem_, kTmemColumns<N>);
    // Other blocks' parts may still be on their way out of, or into, this block's memory.
    lane_.ClusterArriveRelaxed();
    lane_.ClusterWait();
  }

 private:
  static constexpr int kProductWarp = kLoaders / 32;
  static constexpr int kStage = 8192 + 128 * N;

  static SAMEBITS_DEVICE BlackwellLayout Layout(const Params& params) {
    BlackwellLayout at{};
    at.received = params.stages * kStage;
    at.staged = at.received + params.ks * 2 * params.owner_width * N * 4;
    at.published = at.staged + 2 * N * params.owner_width;
    at.barriers = at.published + (kFront ? 8 * N * (params.owner_width + 1) : 0);
    at.slot = at.barriers + (2 * params.stages + 4) * 8;
    return at;
  }

  SAMEBITS_DEVICE int warp() const { return lane_.ThreadIndex() / 32; }
  SAMEBITS_DEVICE std::byte* stage(int slot) const { return base_ + slot * kStage; }
  SAMEBITS_DEVICE std::byte* rows(int slot) const { return stage(slot) + kWeightTileBytes; }
  SAMEBITS_DEVICE uint64_t* barrier(int i) const {
    return reinterpret_cast<uint64_t*>(base_ + at_.barriers) + i;
  }
  SAMEBITS_DEVICE uint64_t* full(int slot) const { return barrier(slot); }
  SAMEBITS_DEVICE uint64_t* empty(int slot) const { return barrier(params_.stages + slot); }
  SAMEBITS_DEVICE uint64_t* done(int product) const {
    return barrier(2 * params_.stages + product);
  }
  SAMEBITS_DEVICE uint64_t* receive() const { return barrier(2 * params_.stages + 2); }
  SAMEBITS_DEVICE uint64_t* drained() const { return barrier(2 * params_.stages + 3); }
  SAMEBITS_DEVICE uint32_t* slot() const { return reinterpret_cast<uint32_t*>(base_ + at_.slot); }
  SAMEBITS_DEVICE BlackwellReducer<Lane, N, kFront, kTaps> reducer() const {
    return {lane_, params_, base_, at_, receive(), tile_, rank_};
  }

  SAMEBITS_DEVICE void InitBarriers() {
    SAMEBITS_ROLLED
    for (int s = 0; s < params_.stages; ++s) {
      lane_.MbarrierInit(full(s), 1 + kLoaders);  // weights, and each loader's row copies
      lane_.MbarrierInit(empty(s), 1);
    }
    lane_.MbarrierInit(done(0), 1);
    lane_.MbarrierInit(done(1), 1);
    lane_.MbarrierInit(receive(), 1);
    lane_.MbarrierInit(drained(), kLoaders);
    lane_.MbarrierInitFence();
    const int bytes = params_.ks * 2 * params_.owner_width * N * 4;
    lane_.MbarrierArriveExpect(receive(), rank_ < params_.owners ? bytes : 0);
  }
  SAMEBITS_DEVICE void ClearPadding() {
    if (warp() == kProductWarp || params_.batch == N) return;
    SAMEBITS_ROLLED
    for (int s = 0; s < params_.stages; ++s) {
      ClearRowTile(lane_, stage(s) + kWeightTileBytes, params_.batch, N);
    }
    lane_.FenceProxyAsync();
  }

  /// Weights of block b of the span.
  SAMEBITS_DEVICE void LoadWeights(int slot, int b) {
    std::byte* to = stage(slot);
    const int column = kBlockK * (span_.first + b);
    lane_.MbarrierArriveExpect(full(slot), kWeightTileBytes);
    if (!kFront || tile_ < params_.gate_tiles) {
      const int row = kTileRows / 2 * tile_;
      lane_.TensorLoad(to, &params_.gate_up_map, column, row, full(slot));
      lane_.TensorLoad(to + kWeightTileBytes / 2, &params_.gate_up_map, column,
                       params_.hidden + row, full(slot));
    } else {
      lane_.TensorLoad(to, &params_.front_map, column, FrontRow(), full(slot));
    }
  }
  SAMEBITS_DEVICE int FrontRow() const { return kTileRows * (tile_ - params_.gate_tiles); }
  SAMEBITS_DEVICE void LoadDownWeights(int slot, int j) {
    lane_.MbarrierArriveExpect(full(slot), kWeightTileBytes);
    lane_.TensorLoad(stage(slot), &params_.down_map, kBlockK * j, kTileRows * lane_.BlockIndex(),
                     full(slot));
  }
  /// Weights do not depend on the grid before: the first ring's worth, and the rest of the front
  /// tiles' (on the routing path) into the L2 cache.
  SAMEBITS_DEVICE void StartWeights() {
    if (lane_.ThreadIndex() != 0) return;
    SAMEBITS_ROLLED
    for (int b = 0; b < span_.count; ++b) {
      if (b < params_.stages) {
        LoadWeights(b, b);
      } else if (tile_ >= params_.gate_tiles) {
        lane_.TensorPrefetch(&params_.front_map, kBlockK * (span_.first + b), FrontRow());
      }
    }
  }
  SAMEBITS_DEVICE void WaitEmpty(RingPlace at) { lane_.MbarrierWait(empty(at.slot), at.phase ^ 1); }

  // Warp 4.

  SAMEBITS_DEVICE void Multiply() {
    const int total = span_.count + (has_down_ ? params_.down_blocks : 0);
    const bool issues = lane_.ElectOne();
    RingPlace at;
    SAMEBITS_ROLLED
    for (int number = 0; number < total; ++number, at.Advance(params_.stages)) {
      lane_.MbarrierWait(full(at.slot), at.phase);
      // Down reuses the columns that the loaders read the parts from. Their arrivals at the full
      // barrier do not say so: those are of copies alone.
      if (number == span_.count) lane_.MbarrierWait(drained(), 0);
      lane_.FenceProxyAsync();
      lane_.Tcgen05FenceAfter();
      if (issues) {
        const bool first = number == 0 || number == span_.count;
        IssueBlock<N>(lane_, tmem_, stage(at.slot), rows(at.slot), !first);
        if (number + params_.stages < total) lane_.Tcgen05Commit(empty(at.slot));
        if (number == span_.count - 1) lane_.Tcgen05Commit(done(0));
        if (has_down_ && number == total - 1) lane_.Tcgen05Commit(done(1));
      }
      lane_.WarpBarrier();
    }
  }

  // Warps 0..3.

  SAMEBITS_DEVICE void LoadRows(int slot, const uint16_t* source, int64_t pitch, int column) {
    LoadRowTile(lane_, rows(slot), source, pitch, column, params_.batch);
    lane_.CopyAsyncArrive(full(slot));
  }

  SAMEBITS_DEVICE void Stream() {
    RingPlace at;
    SAMEBITS_ROLLED
    for (int b = 0; b < span_.count; ++b, at.Advance(params_.stages)) {
      WaitEmpty(at);
      const bool started = kFront && b < params_.stages;
      if (lane_.ThreadIndex() == 0 && !started) LoadWeights(at.slot, b);
      LoadRows(at.slot, params_.x, params_.width, kBlockK * (span_.first + b));
    }
    const int early = StartDown(at);
    float values[kTmemColumns<N>];
    lane_.MbarrierWait(done(0), 0);
    lane_.Tcgen05FenceAfter();
    ReadAccumulator<N>(lane_, values, tmem_);
    lane_.MbarrierArrive(drained());
    reducer().Push(values);
    lane_.MbarrierWaitCluster(receive(), 0);
    if (rank_ < params_.owners) reducer().Reduce();
    lane_.NamedBarrier(kLoaderBarrier, kLoaders);
    if (params_.down_tiles == 0) return;
    if (lane_.ThreadIndex() == 0) PassGrid();
    lane_.NamedBarrier(kLoaderBarrier, kLoaders);
    if (has_down_) Down(at, early, values);
  }

  /// The weights of the first down blocks, before the exchange; how many.
  SAMEBITS_DEVICE int StartDown(RingPlace at) {
    if (!has_down_) return 0;
    const int early = params_.down_blocks < params_.stages ? params_.down_blocks : params_.stages;
    SAMEBITS_ROLLED
    for (int j = 0; j < early; ++j, at.Advance(params_.stages)) {
      WaitEmpty(at);
      if (lane_.ThreadIndex() == 0) LoadDownWeights(at.slot, j);
    }
    return early;
  }

  /// The h of every block is written once all have arrived. The last one through re-arms (6.6).
  SAMEBITS_DEVICE void PassGrid() {
    const auto blocks = static_cast<uint32_t>(lane_.GridBlocks());
    uint32_t* arrivals = params_.counters;
    uint32_t* passes = params_.counters + 1;
    lane_.FenceAcquireRelease();
    lane_.template AtomicAdd<Order::kRelease>(arrivals, 1);
    Watchdog watchdog;
    while (lane_.template AtomicLoad<Order::kAcquire>(arrivals) != blocks) watchdog.Count(lane_);
    if (lane_.template AtomicAdd<Order::kAcquireRelease>(passes, 1) == blocks - 1) {
      lane_.template AtomicStore<Order::kRelaxed>(arrivals, 0);
      lane_.template AtomicStore<Order::kRelaxed>(passes, 0);
    }
  }

  SAMEBITS_DEVICE void Down(RingPlace at, int early, float (&values)[kTmemColumns<N>]) {
    SAMEBITS_ROLLED
    for (int j = 0; j < params_.down_blocks; ++j, at.Advance(params_.stages)) {
      if (j >= early) {
        WaitEmpty(at);
        if (lane_.ThreadIndex() == 0) LoadDownWeights(at.slot, j);
      }
      LoadRows(at.slot, params_.h, params_.hidden, kBlockK * j);
    }
    lane_.MbarrierWait(done(1), 0);
    lane_.Tcgen05FenceAfter();
    ReadAccumulator<N>(lane_, values, tmem_);
    PushRows<N, kTaps>(lane_, params_, values, reinterpret_cast<float*>(base_), lane_.BlockIndex());
  }

  const Lane& lane_;
  const Params& params_;
  std::byte* base_;
  BlackwellLayout at_;
  int tile_;
  int rank_;
  Span span_;
  bool has_down_;
  uint32_t tmem_ = 0;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_BLACKWELL_CUH_
