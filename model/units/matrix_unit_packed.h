// An operand of matrix products prepared once and used many times, such as a weight.
#ifndef SAMEBITS_MODEL_UNITS_MATRIX_UNIT_PACKED_H_
#define SAMEBITS_MODEL_UNITS_MATRIX_UNIT_PACKED_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/units/matrix_unit.h"

namespace samebits::units {

/// Rows of bf16 values, packed for vectors across rows. Independent of the matrix unit. Moves only.
class PackedMatrix {
 public:
  static constexpr int kGroup = 16;      // rows side by side in memory
  static constexpr int kPaddedK = 64;    // k is padded with zeros to a multiple of this
  static constexpr int kZero = -1000;    // "exponent" of a zero, below every real sum of two
  static constexpr int kSpecial = 4000;  // "exponent" of Inf and NaN, above every real sum

  PackedMatrix() = default;
  /// a: bf16 bits [rows][k], `stride` elements apart.
  PackedMatrix(const uint16_t* a, int64_t stride, int rows, int k);
  /// Columns in another order: column x is a's column order[x], for a permutation of 0..k-1.
  PackedMatrix(const uint16_t* a, int64_t stride, int rows, std::span<const int> order);

  int rows() const { return rows_; }
  int k() const { return k_; }
  int padded_k() const { return padded_k_; }
  /// Group g holds rows [16*g, 16*g + 16), missing rows as zeros: values [padded_k][16] in float32,
  /// and their exponents (matrix_units.md, section 1), kZero or kSpecial.
  const float* values(int group) const { return values_.get() + Offset(group); }
  const int16_t* exponents(int group) const { return exponents_.get() + Offset(group); }

  /// Row i as bf16 bits into row[0..k).
  void Unpack(int i, uint16_t* row) const;

  /// kZero, kSpecial, or the exponent of a bf16 value; -126 for subnormals.
  static int16_t Exponent(uint16_t x) {
    const int field = (x >> 7) & 0xFF;
    const int finite = (field > 1 ? field : 1) - 127;
    const int special = field == 0xFF ? kSpecial : finite;
    return static_cast<int16_t>((x & 0x7FFF) == 0 ? kZero : special);
  }

 private:
  void Pack(const uint16_t* a, int64_t stride, std::span<const int> places);
  int64_t Offset(int group) const { return int64_t{group} * padded_k_ * kGroup; }

  int rows_ = 0, k_ = 0, padded_k_ = 0;
  std::unique_ptr<float[]> values_;
  std::unique_ptr<int16_t[]> exponents_;
};

/// The other operand of products of packed matrices, prepared once for all of them: columns of k
/// values padded with zeros to padded_k, with their exponents as in PackedMatrix.
struct PackedColumns {
  int count = 0, k = 0;
  int64_t padded_k = 0;
  std::vector<float> values;       // [count][padded_k]
  std::vector<int16_t> exponents;  // [count][padded_k]
};

/// b: bf16 bits [count][k], ldb elements apart. For products of this matrix unit (which may flush
/// subnormals) alone.
PackedColumns PackColumns(const MatrixUnit& unit, const uint16_t* b, int64_t ldb, int count, int k);

/// Where element (packed row i, column j) of a result lives: data[i*row + j*column].
struct ElementStrides {
  int64_t row = 1, column = 1;
};

/// D(i, j) = chain over k of A[i][:] . B[j][:] from C(i, j), i over the packed rows, j in [0, n).
/// b: bf16 bits [n][a.k()], ldb elements apart. c may be null (+0) or equal to d. Fastest with
/// strides.row == 1, i.e. results [n][rows].
void Gemm(const MatrixUnit& unit, const PackedMatrix& a, int n, const uint16_t* b, int64_t ldb,
          const float* c, ElementStrides c_strides, float* d, ElementStrides d_strides);
/// The same with prepared columns; b.k must be a.k().
void Gemm(const MatrixUnit& unit, const PackedMatrix& a, const PackedColumns& b, const float* c,
          ElementStrides c_strides, float* d, ElementStrides d_strides);
/// Their plain twin: Dot for every element.
void GemmPlain(const MatrixUnit& unit, const PackedMatrix& a, int n, const uint16_t* b, int64_t ldb,
               const float* c, ElementStrides c_strides, float* d, ElementStrides d_strides);

}  // namespace samebits::units

#endif  // SAMEBITS_MODEL_UNITS_MATRIX_UNIT_PACKED_H_
