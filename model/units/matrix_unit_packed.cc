#include "model/units/matrix_unit_packed.h"

#include "model/arith/bfloat16.h"
#include "model/units/matrix_unit_block.h"

namespace samebits::units {

int16_t PackedMatrix::Exponent(uint16_t x) {
  const int field = (x >> 7) & 0xFF;
  if ((x & 0x7FFF) == 0) return kZero;
  if (field == 0xFF) return kSpecial;
  return static_cast<int16_t>((field > 1 ? field : 1) - 127);
}

PackedMatrix::PackedMatrix(const uint16_t* a, int64_t stride, int rows, int k)
    : rows_(rows), k_(k), padded_k_((k + kPaddedK - 1) / kPaddedK * kPaddedK) {
  const int64_t size = Offset((rows + kGroup - 1) / kGroup);
  values_.assign(size, 0.0f);
  exponents_.assign(size, kZero);
  for (int i = 0; i < rows; ++i) {
    const int64_t base = Offset(i / kGroup) + i % kGroup;
    for (int x = 0; x < k; ++x) {
      values_[base + int64_t{x} * kGroup] = arith::Widen(a[i * stride + x]);
      exponents_[base + int64_t{x} * kGroup] = Exponent(a[i * stride + x]);
    }
  }
}

void PackedMatrix::Unpack(int i, uint16_t* row) const {
  const float* value = values(i / kGroup) + i % kGroup;
  for (int x = 0; x < k_; ++x) {
    row[x] = static_cast<uint16_t>(arith::ToBits(value[int64_t{x} * kGroup]) >> 16);
  }
}

void GemmPlain(const MatrixUnit& unit, const PackedMatrix& a, int n, const uint16_t* b, int64_t ldb,
               const float* c, ElementStrides c_strides, float* d, ElementStrides d_strides) {
  std::vector<uint16_t> row(a.k());
  for (int64_t i = 0; i < a.rows(); ++i) {
    a.Unpack(static_cast<int>(i), row.data());
    for (int64_t j = 0; j < n; ++j) {
      const float start = c == nullptr ? 0.0f : c[i * c_strides.row + j * c_strides.column];
      d[i * d_strides.row + j * d_strides.column] =
          Dot(unit, row.data(), b + j * ldb, a.k(), start);
    }
  }
}

void Gemm(const MatrixUnit& unit, const PackedMatrix& a, int n, const uint16_t* b, int64_t ldb,
          const float* c, ElementStrides c_strides, float* d, ElementStrides d_strides) {
  GemmPlain(unit, a, n, b, ldb, c, c_strides, d, d_strides);
}

void Gemm(const MatrixUnit& unit, GemmShape shape, const uint16_t* a, int64_t lda,
          const uint16_t* b, int64_t ldb, const float* c, int64_t ldc, float* d, int64_t ldd) {
  GemmPlain(unit, shape, a, lda, b, ldb, c, ldc, d, ldd);
}

}  // namespace samebits::units
