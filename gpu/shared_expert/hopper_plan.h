// How the sm_90a kernels use a multiprocessor's shared memory and registers.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_HOPPER_PLAN_H_
#define SAMEBITS_GPU_SHARED_EXPERT_HOPPER_PLAN_H_

#include "model/shared_expert/config.h"

namespace samebits::gpu::shared_expert {

/// Sizes of a kernel's stream (hopper_stream.cuh).
struct StreamPlan {
  int stages = 0;  // of weights in shared memory; less than 2: none fit
  int flight = 0;  // loads of weights under way at once, at most
  int runs = 0;    // of rows
  int held = 0;    // K blocks of weights in registers, at most
};

/// FUSED, whose blocks share a multiprocessor with those of the next launch where they can.
StreamPlan PlanFused(const samebits::shared_expert::Config& config);

/// Shared memory for a block of the gate half: what a block of SharedDown leaves on a
/// multiprocessor, or half of it where two gate blocks share one.
/// SharedDown on fewer blocks than it has tiles takes all of a multiprocessor: nothing is beside
/// it.
int GateSharedMemory(const samebits::shared_expert::Config& config, bool apart);
/// The gate half in `bytes` of shared memory.
StreamPlan PlanGate(const samebits::shared_expert::Config& config, int bytes);
/// Thread blocks of SharedDown for `wanted` of them: no more than it has tiles. One without a tile
/// would end while its rows are under way.
int DownThreadBlocks(const samebits::shared_expert::Config& config, int wanted);
/// SharedDown on `blocks` thread blocks. Where each has one tile it takes as little as it can have
/// all weights in, so that a gate half fits beside it; else all that `bytes` give.
StreamPlan PlanDown(const samebits::shared_expert::Config& config, int blocks, int bytes);

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_HOPPER_PLAN_H_
