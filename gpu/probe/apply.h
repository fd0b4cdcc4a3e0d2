// The operations of operations.h as the model computes them.
#ifndef SAMEBITS_GPU_PROBE_APPLY_H_
#define SAMEBITS_GPU_PROBE_APPLY_H_

#include <cstdint>

#include "gpu/probe/operations.h"
#include "model/units/special_functions.h"

namespace samebits::gpu::probe {

uint32_t Apply(const units::SpecialFunctionTables& tables, Unary operation, uint32_t x);
uint32_t Apply(const units::SpecialFunctionTables& tables, Scalar operation, float a, float b,
               float c);

/// y[i] = operation(x[i]) with the fastest code that there is.
void ApplyArray(const units::SpecialFunctionTables& tables, Unary operation, const uint32_t* x,
                uint32_t* y, size_t n);

/// The fingerprint of a block.
uint64_t Fingerprint(const units::SpecialFunctionTables& tables, Unary operation, uint16_t block);

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_APPLY_H_
