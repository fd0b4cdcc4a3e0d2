#include "gpu/shared_expert/hopper_plan.h"

#include <algorithm>

#include "gpu/shared_expert/hopper_layout.h"
#include "model/shared_expert/derived.h"

namespace samebits::gpu::shared_expert {

using samebits::shared_expert::Config;
using samebits::shared_expert::Derive;
using samebits::shared_expert::Derived;
using samebits::shared_expert::kSharedMemoryLimit;

namespace {

/// Runs of rows under way that hide their way from the L2 cache.
constexpr int kRunsAhead = 3;
/// Stages that keep weights coming to registers.
constexpr int kStagesAhead = 4;
/// What rows of SharedDown may take beside a gate half's block.
constexpr int kDownRows = 48 << 10;
/// Rows of x, then of h, in FUSED.
constexpr int kFusedRowBytes = 24 << 10;
/// Loads of weights under way at once. Fewer leave the memory idle, more delay what others wait
/// for: rows, where there are many, and SharedDown has the whole gate half's time for its own.
constexpr int kFusedFlight = 6, kDownFlight = 2;
int GateFlight(int n) { return n < 32 ? 5 : 4; }

int RunsOf(int blocks) { return (blocks + kTogether - 1) / kTogether; }
/// `runs`, but not more than there are, nor fewer than hide the latency or than the blocks in
/// registers are multiplied by.
int ClampRuns(int runs, int all, int held) {
  return std::min({kMaxRuns, all, std::max({runs, kRunsAhead, held / kTogether})});
}
/// Up to `blocks` stages, two at least, in what `bytes` leave beside `fixed`; 0: none fit.
int StagesIn(int bytes, int fixed, int blocks) {
  const int fit = bytes < fixed ? 0 : (bytes - fixed) / kWeightTileBytes;
  return std::min({kMaxStages, std::max(blocks, kTogether), fit});
}

}  // namespace

StreamPlan PlanFused(const Config& c) {
  const Derived d = Derive(c);
  const int bytes = HopperFusedBlocks(d.n) == 1 ? kSharedMemoryLimit : kHalfSharedMemory;
  StreamPlan plan{.runs = ClampRuns(kFusedRowBytes / HopperRunBytes(d.n), RunsOf(d.blocks),
                                    HopperFusedHeld(d.n)),
                  .held = HopperFusedHeld(d.n)};
  plan.stages =
      StagesIn(bytes, HopperFusedSharedBytes(d.n, 0, plan.runs), d.blocks + d.down_blocks);
  plan.flight = std::min(plan.stages, kFusedFlight);
  return plan;
}

int GateSharedMemory(const Config& c, bool apart) {
  const Derived d = Derive(c);
  const StreamPlan down = PlanDown(c, d.down_tiles, kSharedMemoryLimit);
  const int left = kTwoBlocks - HopperDownSharedBytes(d.n, down.stages, down.runs);
  return apart ? std::max(left, kHalfSharedMemory) : kHalfSharedMemory;
}

StreamPlan PlanGate(const Config& c, int bytes) {
  const Derived d = Derive(c);
  const int held = HopperGateHeld(d.n), all = RunsOf(d.blocks);
  // All rows, if they are few; else what weights leave that have no place in registers.
  const int left = bytes - HopperGateSharedBytes(d.n, std::max(d.blocks - held, kStagesAhead), 0);
  const int room = 3 * all * HopperRunBytes(d.n) <= bytes ? all : left / HopperRunBytes(d.n);
  StreamPlan plan{.runs = ClampRuns(room, all, held), .held = held};
  plan.stages = StagesIn(bytes, HopperGateSharedBytes(d.n, 0, plan.runs), d.blocks);
  plan.flight = std::min(plan.stages, GateFlight(d.n));
  return plan;
}

int DownThreadBlocks(const Config& c, int wanted) { return std::min(wanted, Derive(c).down_tiles); }

StreamPlan PlanDown(const Config& c, int blocks, int bytes) {
  const Derived d = Derive(c);
  const int held = HopperDownHeld(d.n), tiles = (d.down_tiles + blocks - 1) / blocks;
  const int rows = tiles == 1 ? kDownRows : bytes / 2;
  StreamPlan plan{.runs = ClampRuns(rows / HopperRunBytes(d.n), RunsOf(d.down_blocks), held),
                  .held = held};
  const int wanted =
      tiles == 1 ? std::max(d.down_blocks - held, kStagesAhead) : tiles * d.down_blocks;
  plan.stages = StagesIn(bytes, HopperDownSharedBytes(d.n, 0, plan.runs),
                         std::min(wanted, tiles * d.down_blocks));
  plan.flight = tiles == 1 ? std::min(plan.stages, kDownFlight) : plan.stages;
  return plan;
}

}  // namespace samebits::gpu::shared_expert
