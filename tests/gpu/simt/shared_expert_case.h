// The kernels' sources on the executor against the model, all bytes of all allocations.
#ifndef SAMEBITS_TESTS_GPU_SIMT_SHARED_EXPERT_CASE_H_
#define SAMEBITS_TESTS_GPU_SIMT_SHARED_EXPERT_CASE_H_

#include <cstdint>

#include "gpu/shared_expert/simt.h"
#include "model/kernel.h"

namespace samebits::gpu::shared_expert {

/// Expects that the target's kernels equal the model with the target's contract, intermediates and
/// the bytes that belong to no operand included, under schedules 0 .. schedules - 1. `partial` is
/// completed as a configuration; `style` of golden::GenerateInputs.
void ExpectEqual(Target target, const Settings& partial, const char* style, uint64_t schedules);

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_TESTS_GPU_SIMT_SHARED_EXPERT_CASE_H_
