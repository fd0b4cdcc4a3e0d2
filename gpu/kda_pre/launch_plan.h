// What a launch of the kda_pre kernel needs beyond its operands: scratch memory, LDS, and a
// configuration that the target can hold.
#ifndef SAMEBITS_GPU_KDA_PRE_LAUNCH_PLAN_H_
#define SAMEBITS_GPU_KDA_PRE_LAUNCH_PLAN_H_

#include <cstdint>

#include "gpu/kda_pre/params.h"
#include "gpu/lane/amd_target.h"
#include "model/kda_pre/config.h"
#include "model/kda_pre/operands.h"

namespace samebits::gpu::kda_pre {

/// Byte offsets in the scratch memory (SPEC.md 6.2), which is 16-byte aligned and zero before its
/// first use; behind the rows of x the step counter and the alarm.
struct ScratchLayout {
  int64_t part, weight, msq, x_ready, proj, qk, onrm, x, epoch, alarm, bytes;
};
ScratchLayout MakeScratchLayout(const samebits::kda_pre::Config& config);

/// Everything of Params; poll_rounds as given.
Params MakeParams(const samebits::kda_pre::Config& config,
                  const samebits::kda_pre::Operands& operands, const samebits::kda_pre::Taps& taps,
                  const AmdTarget& target, void* scratch, int poll_rounds);

/// Dynamic LDS of a launch on the target.
int LaunchLdsBytes(const samebits::kda_pre::Config& config, const AmdTarget& target);

/// Throws ConfigError that names the field: tokens that no kernel was built for, rows and sources
/// that do not fit the target's LDS, operands or strides that the loads cannot take.
void CheckLaunch(const samebits::kda_pre::Config& config,
                 const samebits::kda_pre::Operands& operands, const AmdTarget& target);

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_GPU_KDA_PRE_LAUNCH_PLAN_H_
