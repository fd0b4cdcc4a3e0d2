// The matrix unit of a chip: bf16 products summed onto a float32 accumulator, bit for bit
// (matrix_units.md). Every output element is computed alone; layouts have no numeric effect.
#ifndef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_H_
#define SAMEBITS_MODEL_UNITS_MATRIX_UNIT_H_

#include <cstdint>

#include "model/arith/float32.h"

namespace samebits::units {

/// How a block of products meets the accumulator (matrix_units.md, section 2).
enum class BlockSum : uint8_t {
  kJoin,   // products and accumulator aligned together, truncated, summed exactly (NVIDIA; 2.2)
  kLate,   // products aligned among themselves, the accumulator in a second alignment (CDNA3; 2.3)
  kPair,   // float32 additions in a pairwise tree (CDNA2; 2.4)
  kExact,  // exact sum of block and accumulator, one rounding (CDNA1, and a reference)
  kSequential,  // fma chain in order of k (a reference; blocks do not matter)
};

enum class Rounding : uint8_t { kTowardZero, kNearestEven };

/// Fraction bits count from the exponent of the alignment they belong to. A field that names a
/// BlockSum is read by that one only. NaN results of every kind are `nan_bits`.
struct MatrixUnit {
  BlockSum op = BlockSum::kJoin;
  int instruction_k = 16;       // products of one instruction; longer k is a chain of instructions
  int products_per_block = 16;  // L: an instruction is a chain of blocks of min(L, instruction_k)
  int fraction_bits = 25;       // kJoin, kLate: F, kept of each product (kJoin: of c too)
  int exponent_floor = -133;    // kJoin: the alignment exponent is never below this
  int zero_c_exponent = -126;   // kLate: the exponent that a zero accumulator contributes
  int c_fraction_bits = 24;     // kLate: kept of c in the second alignment
  int dot_fraction_bits = 32;   // kLate: kept of the product sum in the second alignment
  int normalised_fraction_bits = 31;  // kLate: kept below the leading bit before rounding
  bool product_overflow = false;      // kLate, kJoin, kExact: |a*b| >= 2^128 is an infinity
  bool flush_inputs = false;          // subnormal a, b and initial c become +0
  bool flush_results = false;         // kPair: subnormal products and sums become signed zeros
  bool keep_underflow_sign = false;   // kJoin: a negative sum truncated to zero is -0, not +0
  Rounding rounding = Rounding::kTowardZero;  // kJoin, of each block
  uint32_t nan_bits = arith::kNanBits;

  int block_size() const {
    return products_per_block < instruction_k ? products_per_block : instruction_k;
  }
  /// Throws ConfigError (model/contract.h) that names the field.
  void validate() const;
  bool operator==(const MatrixUnit&) const = default;
};

/// One output element: c + a[0..k) . b[0..k), a and b as bf16 bits. The last instruction is filled
/// with zero products. Plain integer arithmetic, the twin of every faster version. k = 0 gives c.
float Dot(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, int k, float c);

struct GemmShape {
  int m = 0, n = 0, k = 0;
};

/// D[i][j] = chain over k of A[i][:] . B[j][:] from C[i][j]. a: bf16 bits [m][k], b: bf16 bits
/// [n][k], c and d: [m][n]; leading dimensions count elements. c may be null (+0) or equal to d.
void Gemm(const MatrixUnit& unit, GemmShape shape, const uint16_t* a, int64_t lda,
          const uint16_t* b, int64_t ldb, const float* c, int64_t ldc, float* d, int64_t ldd);
/// Its plain twin: Dot for every element.
void GemmPlain(const MatrixUnit& unit, GemmShape shape, const uint16_t* a, int64_t lda,
               const uint16_t* b, int64_t ldb, const float* c, int64_t ldc, float* d, int64_t ldd);

}  // namespace samebits::units

#endif  // SAMEBITS_MODEL_UNITS_MATRIX_UNIT_H_
