#include "model/units/matrix_unit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "model/contract.h"
#include "model/units/matrix_unit_block.h"

namespace samebits::units {
namespace {

void CheckRange(const char* field, int value, int min, int max) {
  if (value >= min && value <= max) return;
  throw ConfigError(std::string("matrix unit: ") + field + " is " + std::to_string(value) +
                    ", expected " + std::to_string(min) + " to " + std::to_string(max));
}

void CheckPowerOfTwo(const char* field, int value) {
  CheckRange(field, value, 1, kMaxBlock);
  if (std::has_single_bit(static_cast<unsigned>(value))) return;
  throw ConfigError(std::string("matrix unit: ") + field + " is " + std::to_string(value) +
                    ", expected a power of two");
}

}  // namespace

void MatrixUnit::validate() const {
  CheckPowerOfTwo("instruction_k", instruction_k);
  CheckPowerOfTwo("products_per_block", products_per_block);
  CheckRange("fraction_bits", fraction_bits, 14, 40);
  CheckRange("exponent_floor", exponent_floor, -300, 0);
  CheckRange("zero_c_exponent", zero_c_exponent, -160, 0);
  CheckRange("c_fraction_bits", c_fraction_bits, 23, 40);
  CheckRange("dot_fraction_bits", dot_fraction_bits, 23, 48);
  CheckRange("normalised_fraction_bits", normalised_fraction_bits, 24, 60);
  if (op == BlockSum::kLate) {
    CheckRange("dot_fraction_bits", dot_fraction_bits, std::max(fraction_bits, c_fraction_bits),
               48);
  }
  if (!arith::IsNan(arith::FromBits(nan_bits))) {
    throw ConfigError("matrix unit: nan_bits is no NaN");
  }
}

float Dot(const MatrixUnit& unit, const uint16_t* a, const uint16_t* b, int k, float c) {
  if (unit.flush_inputs) c = FlushInput(c);
  const int block = unit.block_size();
  const int padded_k = (k + unit.instruction_k - 1) / unit.instruction_k * unit.instruction_k;
  for (int k0 = 0; k0 < padded_k; k0 += block) {
    std::array<uint16_t, kMaxBlock> block_a{}, block_b{};
    for (int i = 0; i < block && k0 + i < k; ++i) {
      block_a[i] = unit.flush_inputs ? FlushInput(a[k0 + i]) : a[k0 + i];
      block_b[i] = unit.flush_inputs ? FlushInput(b[k0 + i]) : b[k0 + i];
    }
    c = SumBlock(unit, block_a.data(), block_b.data(), block, c);
  }
  return c;
}

void GemmPlain(const MatrixUnit& unit, GemmShape shape, const uint16_t* a, int64_t lda,
               const uint16_t* b, int64_t ldb, const float* c, int64_t ldc, float* d, int64_t ldd) {
  for (int i = 0; i < shape.m; ++i) {
    for (int j = 0; j < shape.n; ++j) {
      const float start = c == nullptr ? 0.0f : c[i * ldc + j];
      d[i * ldd + j] = Dot(unit, a + i * lda, b + j * ldb, shape.k, start);
    }
  }
}

}  // namespace samebits::units
