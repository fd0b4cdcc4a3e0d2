#include "model/units/matrix_unit_packed.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "model/arith/bfloat16.h"
#include "model/simd_support.h"
#include "model/units/matrix_unit_block.h"
#include "model/units/matrix_unit_simd.h"

namespace samebits::units {

namespace {

int PaddedK(int k) {
  constexpr int kUnit = PackedMatrix::kPaddedK;
  return (k + kUnit - 1) / kUnit * kUnit;
}

}  // namespace

void PackGroupPlain(const uint16_t* a, int64_t stride, int rows, int k, std::span<const int> places,
                    float* values, int16_t* exponents) {
  constexpr int kRows = PackedMatrix::kGroup;
  for (int x = 0; x < std::ssize(places); ++x) {
    const int64_t to = int64_t{places[x]} * kRows;
    for (int i = 0; i < kRows; ++i) {
      const uint16_t bits = i < rows && x < k ? a[i * stride + x] : 0;
      values[to + i] = arith::Widen(bits);
      exponents[to + i] = PackedMatrix::Exponent(bits);
    }
  }
}

PackedMatrix::PackedMatrix(const uint16_t* a, int64_t stride, int rows, int k)
    : rows_(rows), k_(k), padded_k_(PaddedK(k)) {
  std::vector<int> places(padded_k_);
  std::iota(places.begin(), places.end(), 0);
  Pack(a, stride, places);
}

PackedMatrix::PackedMatrix(const uint16_t* a, int64_t stride, int rows, std::span<const int> order)
    : rows_(rows), k_(static_cast<int>(order.size())), padded_k_(PaddedK(k_)) {
  std::vector<int> places(padded_k_);
  std::iota(places.begin(), places.end(), 0);
  for (int x = 0; x < k_; ++x) places[order[x]] = x;
  Pack(a, stride, places);
}

void PackedMatrix::Pack(const uint16_t* a, int64_t stride, std::span<const int> places) {
  const int groups = (rows_ + kGroup - 1) / kGroup;
  values_ = std::make_unique_for_overwrite<float[]>(Offset(groups));
  exponents_ = std::make_unique_for_overwrite<int16_t[]>(Offset(groups));
  const auto pack = SimdSupported() ? PackGroupSimd : PackGroupPlain;
  for (int g = 0; g < groups; ++g) {
    const int first = g * kGroup;
    pack(a + first * stride, stride, std::min(kGroup, rows_ - first), k_, places,
         values_.get() + Offset(g), exponents_.get() + Offset(g));
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

PackedColumns PackColumns(const MatrixUnit& unit, const uint16_t* b, int64_t ldb, int count,
                          int k) {
  const int64_t padded_k = PaddedK(k);
  PackedColumns columns{
      .count = count, .k = k, .padded_k = padded_k, .values = {}, .exponents = {}};
  columns.values.assign(count * padded_k, 0.0f);
  columns.exponents.assign(count * padded_k, PackedMatrix::kZero);
  for (int64_t j = 0; j < count; ++j) {
    for (int x = 0; x < k; ++x) {
      const uint16_t bits = b[j * ldb + x];
      const uint16_t value = unit.flush_inputs ? FlushInput(bits) : bits;
      columns.values[j * padded_k + x] = arith::Widen(value);
      columns.exponents[j * padded_k + x] = PackedMatrix::Exponent(value);
    }
  }
  return columns;
}

namespace {

/// The values of prepared columns as bf16 bits [count][k].
std::vector<uint16_t> Unpack(const PackedColumns& columns) {
  std::vector<uint16_t> bits;
  bits.reserve(static_cast<size_t>(columns.count) * columns.k);
  for (int64_t j = 0; j < columns.count; ++j) {
    for (int x = 0; x < columns.k; ++x) {
      bits.push_back(
          static_cast<uint16_t>(arith::ToBits(columns.values[j * columns.padded_k + x]) >> 16));
    }
  }
  return bits;
}

bool UsesSimd(const MatrixUnit& unit, const PackedMatrix& a) {
  return SimdSupported() && HasSimd(unit) && a.k() > 0;
}

}  // namespace

void Gemm(const MatrixUnit& unit, const PackedMatrix& a, const PackedColumns& columns,
          const float* c, ElementStrides c_strides, float* d, ElementStrides d_strides) {
  const int n = columns.count;
  if (!UsesSimd(unit, a)) {
    return GemmPlain(unit, a, n, Unpack(columns).data(), a.k(), c, c_strides, d, d_strides);
  }
  constexpr int kTile = 8, kRows = PackedMatrix::kGroup;
  alignas(64) std::array<float, kTile * kRows> sums;
  for (int first_row = 0; first_row < a.rows(); first_row += kRows) {
    const int rows = std::min(kRows, a.rows() - first_row);
    for (int first = 0; first < n; first += kTile) {
      const int count = std::min(kTile, n - first);
      sums.fill(0.0f);
      for (int j = 0; c != nullptr && j < count; ++j) {
        for (int i = 0; i < rows; ++i) {
          const float start = c[(first_row + i) * c_strides.row + (first + j) * c_strides.column];
          sums[j * kRows + i] = unit.flush_inputs ? FlushInput(start) : start;
        }
      }
      SumGroupSimd(unit, a, first_row / kRows, columns, first, count, sums.data());
      for (int j = 0; j < count; ++j) {
        for (int i = 0; i < rows; ++i) {
          d[(first_row + i) * d_strides.row + (first + j) * d_strides.column] = sums[j * kRows + i];
        }
      }
    }
  }
}

void Gemm(const MatrixUnit& unit, const PackedMatrix& a, int n, const uint16_t* b, int64_t ldb,
          const float* c, ElementStrides c_strides, float* d, ElementStrides d_strides) {
  if (!UsesSimd(unit, a)) {
    return GemmPlain(unit, a, n, b, ldb, c, c_strides, d, d_strides);
  }
  Gemm(unit, a, PackColumns(unit, b, ldb, n, a.k()), c, c_strides, d, d_strides);
}

void Gemm(const MatrixUnit& unit, GemmShape shape, const uint16_t* a, int64_t lda,
          const uint16_t* b, int64_t ldb, const float* c, int64_t ldc, float* d, int64_t ldd) {
  // A product is the same with its factors exchanged: lanes go to the operand with more rows.
  if (shape.n >= shape.m) {
    Gemm(unit, PackedMatrix(b, ldb, shape.n, shape.k), shape.m, a, lda, c, {1, ldc}, d, {1, ldd});
  } else {
    Gemm(unit, PackedMatrix(a, lda, shape.m, shape.k), shape.n, b, ldb, c, {ldc, 1}, d, {ldd, 1});
  }
}

// An int32 must hold the products' sum, at most n * (255/128)^2 * 2^F, and a float32 the scales.
bool HasSimd(const MatrixUnit& unit) {
  const int64_t largest_sum = (int64_t{unit.block_size()} * 255 * 255 << unit.fraction_bits) >> 14;
  switch (unit.op) {
    case BlockSum::kJoin:
      return unit.fraction_bits <= 25 && largest_sum < INT32_MAX && !unit.flush_inputs &&
             unit.rounding == Rounding::kTowardZero &&
             unit.exponent_floor <= unit.fraction_bits - 126;
    case BlockSum::kLate:
      return unit.fraction_bits <= 25 && largest_sum < INT32_MAX && !unit.flush_inputs &&
             unit.dot_fraction_bits <= 40 && unit.dot_fraction_bits - unit.fraction_bits <= 20 &&
             unit.normalised_fraction_bits == 52 - kLateDropped;
    case BlockSum::kPair:
      return true;
    case BlockSum::kSequential:
      return !unit.flush_inputs;
    case BlockSum::kExact:
      return !unit.flush_inputs && !unit.product_overflow;
  }
  return false;
}

}  // namespace samebits::units
