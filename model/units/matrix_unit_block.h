// One block of products in integers: what Dot and the fallback of the vector code share.
#ifndef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_BLOCK_H_
#define SAMEBITS_MODEL_UNITS_MATRIX_UNIT_BLOCK_H_

#include <cstdint>

#include "model/units/matrix_unit.h"

namespace samebits::units {

inline constexpr int kMaxBlock = 64;

/// c + a . b over n products, n = unit.block_size(). Inputs are flushed already if the unit does
/// so.
float SumBlock(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, int n, float c);

/// SumBlock of a packed row: element i of a is a[i * a_stride], both operands bf16 in float32.
float SumBlockStrided(const MatrixUnit& unit, const float* a, int64_t a_stride, const float* b,
                      int n, float c);

/// A subnormal bf16 becomes +0 (MatrixUnit::flush_inputs).
constexpr uint16_t FlushInput(uint16_t x) { return (x & 0x7F80) == 0 && (x & 0x7F) != 0 ? 0 : x; }
/// A subnormal float32 becomes +0.
constexpr float FlushInput(float x) {
  const uint32_t bits = arith::ToBits(x);
  return (bits & 0x7F800000u) == 0 && (bits & 0x7FFFFFu) != 0 ? 0.0f : x;
}

}  // namespace samebits::units

#endif  // SAMEBITS_MODEL_UNITS_MATRIX_UNIT_BLOCK_H_
