// Packing, and products of a packed matrix with one row per vector lane (AVX2 and AVX-512).
#ifndef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_SIMD_H_
#define SAMEBITS_MODEL_UNITS_MATRIX_UNIT_SIMD_H_

#include <cstdint>
#include <span>

#include "model/units/matrix_unit_packed.h"

namespace samebits::units {

/// Whether the vector code computes this unit; if not, the plain code does.
bool HasSimd(const MatrixUnit& unit);

/// The target that runs: "AVX2" or "AVX3" (AVX-512). Requires SimdSupported().
const char* MatrixUnitTarget();

/// LATE in vectors: the lowest alignment exponent, which keeps results clear of the clamp at -126,
/// and the float64 bits below normalised_fraction_bits.
inline constexpr int kLateMinExponent = -90;
inline constexpr int kLateDropped = 52 - 31;

/// The products of columns [first, first + count) with one group of 16 rows: sums [count][16] is
/// both C and D. Lanes of missing rows hold unspecified values. Requires SimdSupported() and
/// HasSimd.
void SumGroupSimd(const MatrixUnit& unit, const PackedMatrix& a, int group,
                  const PackedColumns& columns, int first, int count, float* sums);

/// One group of a PackedMatrix, values and exponents [padded_k][16], from `rows` <= 16 rows of k
/// elements that lie `stride` apart. Element x goes to places[x]: a permutation of 0..padded_k-1.
/// Requires SimdSupported().
void PackGroupSimd(const uint16_t* a, int64_t stride, int rows, int k, std::span<const int> places,
                   float* values, int16_t* exponents);
/// Its plain twin.
void PackGroupPlain(const uint16_t* a, int64_t stride, int rows, int k, std::span<const int> places,
                    float* values, int16_t* exponents);

}  // namespace samebits::units

#endif  // SAMEBITS_MODEL_UNITS_MATRIX_UNIT_SIMD_H_
