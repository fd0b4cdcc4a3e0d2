// K blocks on their way through a thread block of sm_90a: weights and the rows that they multiply.
//
// Weights are known before the rows are. So all that a thread block can hold of them is on the
// multiprocessor by the time that it may read the rows: in a ring of shared memory, and what was in
// the ring before it in the registers of the warpgroup that multiplies, from where the matrix unit
// takes them (SPEC.md 6.10). Rows come in runs of kTogether blocks that one barrier counts.
//
// The first `held` blocks of the first tile go through the ring into registers; the others are
// multiplied from the ring. Rows stay in shared memory where all runs have room, or come again with
// every tile.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_STREAM_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_STREAM_CUH_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/shared_expert/hopper_block.cuh"
#include "gpu/shared_expert/hopper_layout.h"
#include "gpu/shared_expert/ring.cuh"

namespace samebits::gpu::shared_expert {

/// What a thread block multiplies: `tiles` >= 1 of 64 rows of weights, the first of `first` K
/// blocks, the others of `blocks`. A run is waited for as a whole, the next one before it is
/// released: stages >= kTogether, and runs >= 2 unless a tile is one run
/// (gpu/shared_expert/hopper_plan.h).
struct StreamShape {
  int tiles;
  int row_tiles;  // whose rows come in runs: all of as many blocks as the first, or the first alone
  int first;
  int blocks;
  int held;    // blocks of the first tile that go to registers, a multiple of kTogether
  int stages;  // of the ring of weights
  int flight;  // loads of weights under way at once, 1 .. stages: more than the memory needs delays
               // what others wait for
  int runs;    // of the ring of rows

  SAMEBITS_DEVICE int all() const { return first + (tiles - 1) * blocks; }
  SAMEBITS_DEVICE int blocks_of(int tile) const { return tile == 0 ? first : blocks; }
  SAMEBITS_DEVICE int tile_runs() const { return (first + kTogether - 1) / kTogether; }
  /// Runs that are loaded: those of all tiles, unless those of one can stay.
  SAMEBITS_DEVICE int row_loads() const {
    return runs < tile_runs() ? row_tiles * tile_runs() : tile_runs();
  }
};

/// Shared memory of a stream.
struct StreamMemory {
  std::byte* rows;     // [runs][kTogether][N][64] bf16, 128-byte swizzle
  std::byte* weights;  // [stages][64][64] bf16, 128-byte swizzle
  uint64_t* barriers;  // [kStreamBarriers]

  SAMEBITS_DEVICE uint64_t* full(int slot) const { return barriers + slot; }
  SAMEBITS_DEVICE uint64_t* empty(int slot) const { return full(slot) + kMaxStages; }
  SAMEBITS_DEVICE uint64_t* rows_full(int slot) const { return barriers + 2 * kMaxStages + slot; }
  SAMEBITS_DEVICE uint64_t* rows_empty(int slot) const { return rows_full(slot) + kMaxRuns; }
};

/// Rows of `runs` runs, `gap` bytes, weights of `stages` stages, barriers.
template <int N>
SAMEBITS_DEVICE StreamMemory PlaceStream(std::byte* shared, int runs, int gap, int stages) {
  std::byte* weights = shared + runs * kTogether * 128 * N + gap;
  return {shared, weights, reinterpret_cast<uint64_t*>(weights + stages * kWeightTileBytes)};
}
/// Of the `blocks` of a first tile, those that go to registers, `most` at most.
SAMEBITS_DEVICE int HeldOf(int blocks, int most) {
  const int whole = blocks / kTogether * kTogether;
  return whole < most ? whole : most;
}

/// Starts the copies of weights: one thread. `Loads` has Weights(i, b, to, barrier), block b of
/// tile i.
template <class Lane, class Loads>
class WeightLoader {
 public:
  SAMEBITS_DEVICE WeightLoader(const Lane& lane, const StreamShape& shape,
                               const StreamMemory& memory, const Loads& loads)
      : lane_(lane), shape_(shape), memory_(memory), loads_(loads) {}

  /// The first loads, which nobody has to be waited for.
  SAMEBITS_DEVICE void Start() {
    while (next_ < shape_.flight && next_ < shape_.all()) LoadNext();
  }
  /// All others.
  SAMEBITS_DEVICE void Run() {
    RingPlace landed;
    SAMEBITS_ROLLED
    while (next_ < shape_.all()) {
      lane_.MbarrierWait(memory_.full(landed.slot), landed.phase);
      landed.Advance(shape_.stages);
      if (next_ >= shape_.stages) lane_.MbarrierWait(memory_.empty(at_.slot), at_.phase ^ 1);
      LoadNext();
    }
  }

 private:
  SAMEBITS_DEVICE void LoadNext() {
    uint64_t* barrier = memory_.full(at_.slot);
    lane_.MbarrierArriveExpect(barrier, kWeightTileBytes);
    loads_.Weights(tile_, block_, memory_.weights + at_.slot * kWeightTileBytes, barrier);
    at_.Advance(shape_.stages);
    ++next_;
    if (++block_ == shape_.blocks_of(tile_)) {
      block_ = 0;
      ++tile_;
    }
  }

  const Lane& lane_;
  StreamShape shape_;
  StreamMemory memory_;
  Loads loads_;
  int next_ = 0, tile_ = 0, block_ = 0;
  RingPlace at_;
};

/// Starts the copies of rows, once the grid before has ended: one thread each of kRowLoaders warps,
/// which take turns, run by run. No more of them than there are runs in the ring: else one could be
/// a phase of a barrier ahead of another. `Loads` has Rows(b, to, barrier) and rows_map().
template <int N, class Lane, class Loads>
SAMEBITS_DEVICE void LoadRuns(const Lane& lane, const StreamShape& shape,
                              const StreamMemory& memory, const Loads& loads, int loader) {
  constexpr int kBlockBytes = 128 * N;
  const int loaders = shape.runs < kRowLoaders ? shape.runs : kRowLoaders;
  lane.TensorMapPrefetch(loads.rows_map());
  lane.GridDependencyWait();
  if (loader >= loaders) return;
  const int all = shape.row_loads(), of_tile = shape.tile_runs();
  int slot = loader, phase = 0, run = loader;  // of the ring, of the tile
  SAMEBITS_ROLLED
  for (int i = loader; i < all; i += loaders) {
    while (slot >= shape.runs) {
      slot -= shape.runs;
      phase ^= 1;
    }
    while (run >= of_tile) run -= of_tile;
    const int b = run * kTogether, left = shape.first - b;
    if (i >= shape.runs) lane.MbarrierWait(memory.rows_empty(slot), phase ^ 1);
    uint64_t* barrier = memory.rows_full(slot);
    std::byte* to = memory.rows + slot * kTogether * kBlockBytes;
    lane.MbarrierArriveExpect(barrier, (left < kTogether ? left : kTogether) * kBlockBytes);
    SAMEBITS_UNROLL
    for (int e = 0; e < kTogether; ++e) {
      if (e < left) loads.Rows(b + e, to + e * kBlockBytes, barrier);
    }
    slot += loaders;
    run += loaders;
  }
}

/// Barriers of stages [first, end).
template <class Lane>
SAMEBITS_DEVICE void InitStages(const Lane& lane, const StreamMemory& memory, int first, int end) {
  SAMEBITS_ROLLED
  for (int s = first; s < end; ++s) {
    lane.MbarrierInit(memory.full(s), 1);
    lane.MbarrierInit(memory.empty(s), kStreamWarps);
  }
}
template <class Lane>
SAMEBITS_DEVICE void InitRuns(const Lane& lane, const StreamMemory& memory, int runs) {
  SAMEBITS_ROLLED
  for (int s = 0; s < runs; ++s) {
    lane.MbarrierInit(memory.rows_full(s), 1);
    lane.MbarrierInit(memory.rows_empty(s), kStreamWarps);
  }
}

/// The beginning of a thread block, whose warp `loader` = 0 loads weights. By all threads.
template <class Lane, class Loads>
SAMEBITS_DEVICE void StartStream(const Lane& lane, const StreamShape& shape,
                                 const StreamMemory& memory, WeightLoader<Lane, Loads>* weights,
                                 int loader) {
  // One thread issues all copies. The compiler must see that, or it puts a loop around each.
  if (loader == 0 && lane.ElectOne()) {
    // Until this grid has ended the next one only loads weights.
    lane.GridLaunchDependents();
    // Only what the first loads need is made before them.
    InitStages(lane, memory, 0, shape.flight);
    lane.MbarrierInitFence();
    weights->Start();
    InitStages(lane, memory, shape.flight, shape.stages);
    InitRuns(lane, memory, shape.runs);
    lane.MbarrierInitFence();
  }
  lane.BlockBarrier();
}

/// The warpgroup that multiplies, weights of up to kMaxHeld blocks in its registers. All of its
/// threads call everything. Their first rows never wrap around the ring: runs >= kMaxHeld /
/// kTogether or all of them. What products wait for is worked out before: between two runs the
/// matrix unit is idle for as long as the warps need for the next one's addresses.
template <class Lane, int N, int kMaxHeld>
class StreamConsumer {
 public:
  using Accumulators = FragmentOf<N>;

  SAMEBITS_DEVICE StreamConsumer(const Lane& lane, const StreamShape& shape,
                                 const StreamMemory& memory)
      : lane_(lane),
        shape_(shape),
        memory_{memory.rows, memory.weights, lane.Opaque(memory.barriers)},
        rows_(lane.WgmmaDescriptor(lane.Opaque(memory.rows))),
        tiles_(lane.WgmmaDescriptor(lane.Opaque(memory.weights))),
        elected_(lane.ThreadIndex() % 32 == 0),
        rows_again_(shape.row_loads() > shape.runs) {}

  /// Takes the held blocks to registers.
  SAMEBITS_DEVICE void Hold() {
    SAMEBITS_UNROLL
    for (int b = 0; b < kMaxHeld; ++b) {
      if (b < shape_.held) {
        lane_.MbarrierWait(memory_.full(at_.slot), at_.phase);
        LoadTile(memory_.weights + at_.slot * kWeightTileBytes, weights_[b]);
        lane_.WarpBarrier();
        ReleaseWeights(b);
      }
    }
  }

  /// The products of the next tile.
  SAMEBITS_DEVICE void MultiplyTile(Accumulators& d) {
    int b = 0;
    if (tile_ == 0) {
      MultiplyHeld(d);
      b = shape_.held;
    }
    SAMEBITS_ROLLED
    for (; b + kTogether <= shape_.first; b += kTogether) MultiplyRun<kTogether>(d, b);
    SAMEBITS_ROLLED
    for (; b < shape_.first; ++b) MultiplyRun<1>(d, b);
    ++tile_;
    if (shape_.runs >= shape_.tile_runs()) run_at_ = {};  // the rows stay
  }

  /// The products of blocks [b, b + count) of a tile after the first, whose rows are where the
  /// first tile's were.
  SAMEBITS_DEVICE void MultiplyRows(Accumulators& d, int b, int count) {
    const int end = b + count;
    uint64_t rows = rows_;
    SAMEBITS_ROLLED
    for (; b + kTogether <= end; b += kTogether, rows += kTogether * kBlockStep) {
      MultiplyBlocks<kTogether>(d, b, rows);
    }
    SAMEBITS_ROLLED
    for (; b < end; ++b, rows += kBlockStep) MultiplyBlocks<1>(d, b, rows);
  }

 private:
  // Descriptors count in 16 bytes.
  static constexpr int kBlockStep = 128 * N / 16;
  static constexpr int kTileStep = kWeightTileBytes / 16;

  /// The operand of four products, from a tile of weights.
  SAMEBITS_DEVICE void LoadTile(const std::byte* tile, uint32_t (&a)[4][4]) const {
    const int thread = lane_.ThreadIndex(), g = thread % 32 / 4;
    const std::byte* row = tile + thread / 32 * 2048 + g * 128 + thread % 4 * 4;
    SAMEBITS_UNROLL
    for (int s = 0; s < 4; ++s) {
      SAMEBITS_UNROLL
      for (int e = 0; e < 4; ++e) {
        const int chunk = (2 * s + e / 2) ^ g;
        a[s][e] =
            lane_.LoadShared(reinterpret_cast<const uint32_t*>(row + e % 2 * 1024 + chunk * 16));
      }
    }
  }

  /// All runs in flight, those before being released meanwhile.
  SAMEBITS_DEVICE void MultiplyHeld(Accumulators& d) {
    SAMEBITS_UNROLL
    for (int b = 0; b < kMaxHeld; b += kTogether) {
      if (b < shape_.held) {
        lane_.MbarrierWait(memory_.rows_full(b / kTogether), 0);
        lane_.WgmmaFence();
        SAMEBITS_UNROLL
        for (int s = 0; s < 4 * kTogether; ++s) {
          lane_.template Wgmma<N>(d, weights_[b + s / 4][s % 4],
                                  rows_ + (b + s / 4) * kBlockStep + s % 4 * 2, b + s != 0);
        }
        lane_.WgmmaCommit();
        if (b > 0 && rows_again_) {
          lane_.template WgmmaWait<1>();
          ReleaseRows();
        }
      }
    }
    lane_.template WgmmaWait<0>();
    lane_.WgmmaKeep(d);
    if (shape_.held == 0) return;
    if (rows_again_) ReleaseRows();
    run_at_.slot = shape_.held / kTogether;
    if (run_at_.slot == shape_.runs) run_at_ = {0, 1};
  }

  /// kCount blocks of a run, from the ring.
  template <int kCount>
  SAMEBITS_DEVICE void MultiplyRun(Accumulators& d, int b) {
    lane_.MbarrierWait(memory_.rows_full(run_at_.slot), run_at_.phase);
    MultiplyBlocks<kCount>(d, b, rows_ + run_at_.slot * kTogether * kBlockStep);
    if (rows_again_) ReleaseRows();
    run_at_.Advance(shape_.runs);
  }
  /// Blocks [b, b + kCount) of the tile, weights from the ring. Without branches between the
  /// products: else the compiler waits for each (nvcc's notes C7514 and C7520).
  template <int kCount>
  SAMEBITS_DEVICE void MultiplyBlocks(Accumulators& d, int b, uint64_t rows) {
    uint64_t weights[kCount];
    RingPlace at = at_;
    SAMEBITS_UNROLL
    for (int e = 0; e < kCount; ++e) {
      lane_.MbarrierWait(memory_.full(at.slot), at.phase);
      weights[e] = tiles_ + at.slot * kTileStep;
      at.Advance(shape_.stages);
    }
    lane_.WgmmaFence();
    SAMEBITS_UNROLL
    for (int s = 0; s < 4 * kCount; ++s) {
      lane_.template Wgmma<N>(d, weights[s / 4] + s % 4 * 2, rows + s / 4 * kBlockStep + s % 4 * 2,
                              b + s != 0);
    }
    lane_.WgmmaCommit();
    lane_.template WgmmaWait<0>();
    lane_.WgmmaKeep(d);
    const int before = tile_ == 0 ? 0 : shape_.first + (tile_ - 1) * shape_.blocks;
    SAMEBITS_UNROLL
    for (int e = 0; e < kCount; ++e) ReleaseWeights(before + b + e);
  }

  /// The rows of the next run that has been multiplied.
  SAMEBITS_DEVICE void ReleaseRows() {
    if (released_runs_ + shape_.runs < shape_.row_loads() && elected_) {
      lane_.MbarrierArrive(memory_.rows_empty(released_slot_));
    }
    ++released_runs_;
    if (++released_slot_ == shape_.runs) released_slot_ = 0;
  }
  /// Block `number` of the stream.
  SAMEBITS_DEVICE void ReleaseWeights(int number) {
    if (number + shape_.stages < shape_.all() && elected_) {
      lane_.MbarrierArrive(memory_.empty(at_.slot));
    }
    at_.Advance(shape_.stages);
  }

  const Lane& lane_;
  StreamShape shape_;
  StreamMemory memory_;
  uint64_t rows_, tiles_;  // descriptors of the first rows and of the first stage
  bool elected_;           // the thread that speaks for its warp
  bool rows_again_;        // whether places of rows are loaded a second time
  uint32_t weights_[kMaxHeld][4][4];
  int tile_ = 0;
  RingPlace at_;  // of weights
  RingPlace run_at_;
  int released_runs_ = 0, released_slot_ = 0;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_STREAM_CUH_
