// How the sm_90a kernels of shared_expert share a multiprocessor (gpu/shared_expert/hopper_plan.h),
// at the sizes of the real model.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "gpu/shared_expert/hopper_layout.h"
#include "gpu/shared_expert/hopper_plan.h"
#include "model/shared_expert/derived.h"

namespace samebits::gpu::shared_expert {
namespace {

using samebits::shared_expert::Config;
using samebits::shared_expert::Derive;
using samebits::shared_expert::Derived;
using samebits::shared_expert::kSharedMemoryLimit;

Config Layer(int tp, int batch) {
  Config config;
  config.variant = samebits::shared_expert::Variant::kSplit;
  config.tp = tp;
  config.batch = batch;
  return config;
}

/// The real layer, and others with few and many K blocks.
template <typename Visit>
void ForEachShape(const Visit& visit) {
  for (const int tp : {8, 16}) {
    for (int batch = 8; batch <= 128; batch += 8) {
      for (const int width : {512, 7168, 32768}) {
        Config config = Layer(tp, batch);
        config.geometry.width = width;
        BOOST_TEST_CONTEXT("tp " << tp << " batch " << batch << " width " << width) {
          visit(config, Derive(config));
        }
      }
    }
  }
}

/// What the kernels rely on (hopper_stream.cuh).
void CheckPlan(const StreamPlan& plan, int blocks) {
  const int runs = (blocks + kTogether - 1) / kTogether;
  BOOST_TEST(plan.stages >= kTogether);
  BOOST_TEST(plan.stages <= kMaxStages);
  BOOST_TEST(plan.flight >= 1);
  BOOST_TEST(plan.flight <= plan.stages);
  BOOST_TEST(plan.runs >= std::min(runs, kRowLoaders));
  BOOST_TEST(plan.runs <= std::min(runs, kMaxRuns));
  BOOST_TEST(plan.held % kTogether == 0);
  BOOST_TEST(plan.runs >= std::min(runs, plan.held / kTogether));
}

BOOST_AUTO_TEST_SUITE(shared_expert_plan)

BOOST_AUTO_TEST_CASE(fits_its_shared_memory) {
  ForEachShape([](const Config& config, const Derived& d) {
    for (const bool apart : {false, true}) {
      const int bytes = GateSharedMemory(config, apart);
      const StreamPlan gate = PlanGate(config, bytes);
      CheckPlan(gate, d.blocks);
      BOOST_TEST(HopperGateSharedBytes(d.n, gate.stages, gate.runs) <= bytes);
      BOOST_TEST(bytes <= kSharedMemoryLimit);
    }
    const StreamPlan fused = PlanFused(config);
    CheckPlan(fused, d.blocks);
    BOOST_TEST(HopperFusedSharedBytes(d.n, fused.stages, fused.runs) <=
               (HopperFusedBlocks(d.n) == 2 ? kHalfSharedMemory : kSharedMemoryLimit));
    // The staged output tile lies where rows were.
    BOOST_TEST(HopperDownStagingBytes(d.n) <= fused.runs * HopperRunBytes(d.n));
    for (const int wanted : {1, 28, d.down_tiles, d.down_tiles + 1}) {
      const int blocks = DownThreadBlocks(config, wanted);
      BOOST_TEST(blocks <= d.down_tiles);
      const StreamPlan down = PlanDown(config, blocks, kSharedMemoryLimit);
      CheckPlan(down, d.down_blocks);
      BOOST_TEST(HopperDownSharedBytes(d.n, down.stages, down.runs) <= kSharedMemoryLimit);
    }
  });
}

// SharedDown's weights come while the gate half runs only if both have room.
BOOST_AUTO_TEST_CASE(both_halves_share_a_multiprocessor) {
  ForEachShape([](const Config& config, const Derived& d) {
    if (d.n > 64) return;
    const StreamPlan gate = PlanGate(config, GateSharedMemory(config, true));
    const StreamPlan down = PlanDown(config, d.down_tiles, kSharedMemoryLimit);
    BOOST_TEST(HopperGateSharedBytes(d.n, gate.stages, gate.runs) +
                   HopperDownSharedBytes(d.n, down.stages, down.runs) <=
               kTwoBlocks);
  });
}

// With 16 tokens all weights of a launch are on the multiprocessors before its rows are.
BOOST_AUTO_TEST_CASE(few_tokens_leave_room_for_all_weights) {
  for (const int tp : {8, 16}) {
    const Config config = Layer(tp, 16);
    const Derived d = Derive(config);
    const StreamPlan gate = PlanGate(config, GateSharedMemory(config, true));
    const StreamPlan down = PlanDown(config, d.down_tiles, kSharedMemoryLimit);
    BOOST_TEST(gate.held + gate.stages >= d.blocks);
    BOOST_TEST(down.held + down.stages >= d.down_blocks);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::shared_expert
