// The gate half of SPLIT and FRONT on sm_90a (SPEC.md 6.10), rung F3 of the fallback ladder: no
// clusters. Block (m, c) multiplies K span c of M-tile m, the blocks of a tile exchange their
// partial sums through global memory (hopper_reduce.cuh). Its weights are on the multiprocessor
// before x may be read (hopper_stream.cuh).
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_GATE_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_GATE_CUH_

#include "gpu/shared_expert/hopper_block.cuh"
#include "gpu/shared_expert/hopper_reduce.cuh"
#include "gpu/shared_expert/hopper_stream.cuh"

namespace samebits::gpu::shared_expert {

template <class Lane, int N, bool kTaps>
class HopperGate {
 public:
  SAMEBITS_DEVICE HopperGate(const Lane& lane, const Params& params)
      : lane_(lane),
        params_(params),
        tile_(DivideByKs(params, lane.BlockIndex())),
        rank_(lane.BlockIndex() - tile_ * params.ks),
        span_(SpanOf(params, rank_)) {}

  SAMEBITS_DEVICE void Run() {
    const StreamShape shape = Shape();
    const StreamMemory memory = Memory();
    const Loads loads{lane_, params_, tile_, span_};
    WeightLoader<Lane, Loads> weights(lane_, shape, memory, loads);
    const int loader = lane_.ThreadIndex() / 32 - kStreamWarps;  // warp that loads; 0: weights
    StartStream(lane_, shape, memory, &weights, loader);
    if (loader < 0) {
      lane_.template RegistersIncrease<kStreamRegisters>();
      OrderRegisters();
      Multiply(shape, memory);
      if constexpr (kAllReduce) lane_.template RegistersDecrease<kReduceRegisters>();
    } else {
      lane_.template RegistersDecrease<kLoaderRegisters>();
      OrderRegisters();
      if (lane_.ElectOne()) Load(shape, memory, loads, &weights, loader);
      if constexpr (!kAllReduce) return;
      lane_.WarpBarrier();
      lane_.template RegistersIncrease<kReduceRegisters>();
      lane_.GridDependencyWait();
    }
    Reducer<Lane, N, kAllReduce ? kHalfThreads : kStreamThreads, kTaps>{lane_, params_, tile_,
                                                                        rank_, 0}
        .Run();
  }

 private:
  using Products = StreamConsumer<Lane, N, HopperGateHeld(N)>;

  /// Whether the warps that load add up, too.
  static constexpr bool kAllReduce = N >= 32;

  struct Loads {
    const Lane& lane;
    const Params& params;
    int tile;
    Span span;

    SAMEBITS_DEVICE void Weights(int, int b, std::byte* to, uint64_t* barrier) const {
      const int block = span.first + b;
      if (tile < params.gate_tiles) {
        LoadGateUp(lane, params, tile, block, to, barrier);
      } else {
        lane.TensorLoadOnce(to, &params.front_map, kBlockK * block,
                            kTileRows * (tile - params.gate_tiles), barrier);
      }
    }
    SAMEBITS_DEVICE const TensorMap* rows_map() const { return &params.x_map; }
    SAMEBITS_DEVICE void Rows(int b, std::byte* to, uint64_t* barrier) const {
      lane.TensorLoad(to, &params.x_map, kBlockK * (span.first + b), 0, barrier);
    }
  };

  /// A warp that loads could be done, and take registers for the sums, before a warp that
  /// multiplies has taken its own, which would then wait for ever.
  SAMEBITS_DEVICE void OrderRegisters() const {
    if constexpr (kAllReduce) lane_.NamedBarrier(kRegistersBarrier, kHalfThreads);
  }
  /// One thread of a warp that loads.
  SAMEBITS_DEVICE void Load(const StreamShape& shape, const StreamMemory& memory,
                            const Loads& loads, WeightLoader<Lane, Loads>* weights,
                            int loader) const {
    if (loader == 0) {
      weights->Run();
    } else {
      LoadRuns<N>(lane_, shape, memory, loads, loader - 1);
    }
  }

  SAMEBITS_DEVICE void Multiply(const StreamShape& shape, const StreamMemory& memory) {
    Products products(lane_, shape, memory);
    products.Hold();
    lane_.GridDependencyWait();
    typename Products::Accumulators parts;
    products.MultiplyTile(parts);
    StoreParts<N, kTaps>(lane_, params_, 0, tile_ * params_.ks + rank_, parts);
  }

  SAMEBITS_DEVICE StreamShape Shape() const {
    return {.tiles = 1,
            .row_tiles = 1,
            .first = span_.count,
            .blocks = 0,
            .held = HeldOf(span_.count, params_.held),
            .stages = params_.stages,
            .flight = params_.flight,
            .runs = params_.runs};
  }
  SAMEBITS_DEVICE StreamMemory Memory() const {
    return PlaceStream<N>(lane_.shared(), params_.runs, 0, params_.stages);
  }

  const Lane& lane_;
  const Params& params_;
  int tile_;
  int rank_;
  Span span_;
};

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_GATE_CUH_
