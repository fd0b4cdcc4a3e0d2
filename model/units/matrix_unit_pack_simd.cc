// Packing in vectors: tiles of eight elements of sixteen rows are turned in registers.
#include <algorithm>
#include <array>
#include <cstring>

#include "model/units/matrix_unit_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/units/matrix_unit_pack_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace samebits::units::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kRows = PackedMatrix::kGroup;
constexpr int kSide = 8;  // of the squares that are transposed
using U16 = hn::FixedTag<uint16_t, kSide>;
using V16 = hn::Vec<U16>;
using Square = std::array<V16, kSide>;

/// Row i of the result holds element i of every row. Three rounds, each interleaving row i with
/// row i + 4.
HWY_INLINE void Transpose(Square* square) {
  const U16 d;
  for (int round = 0; round < 3; ++round) {
    const Square s = *square;
    for (int i = 0; i < kSide / 2; ++i) {
      (*square)[2 * i] = hn::InterleaveLower(d, s[i], s[i + kSide / 2]);
      (*square)[2 * i + 1] = hn::InterleaveUpper(d, s[i], s[i + kSide / 2]);
    }
  }
}

HWY_INLINE void StoreWidened(V16 bits, float* values) {
  const hn::FixedTag<uint32_t, kSide> d;
  const hn::FixedTag<float, kSide> df;
  hn::StoreU(hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(d, bits))), df, values);
}

/// PackedMatrix::Exponent.
HWY_INLINE void StoreExponents(V16 low, V16 high, int16_t* exponents) {
  const hn::FixedTag<int16_t, kRows> d;
  const hn::FixedTag<uint16_t, kRows> du;
  const auto magnitude = hn::And(hn::BitCast(d, hn::Combine(du, high, low)), hn::Set(d, 0x7FFF));
  const auto field = hn::ShiftRight<7>(magnitude);
  const auto finite = hn::Sub(hn::Max(field, hn::Set(d, 1)), hn::Set(d, 127));
  const auto known =
      hn::IfThenElse(hn::Eq(field, hn::Set(d, 0xFF)), hn::Set(d, PackedMatrix::kSpecial), finite);
  hn::StoreU(hn::IfThenElse(hn::Eq(magnitude, hn::Zero(d)), hn::Set(d, PackedMatrix::kZero), known),
             d, exponents);
}

/// a: 16 rows of 8 elements, for these places.
HWY_INLINE void PackTile(const uint16_t* a, int64_t stride, const int* places, float* values,
                         int16_t* exponents) {
  Square low, high;  // rows 0..7 and 8..15
  for (int i = 0; i < kSide; ++i) {
    low[i] = hn::LoadU(U16(), a + i * stride);
    high[i] = hn::LoadU(U16(), a + (i + kSide) * stride);
  }
  Transpose(&low);
  Transpose(&high);
  for (int x = 0; x < kSide; ++x) {
    const int64_t to = int64_t{places[x]} * kRows;
    StoreWidened(low[x], values + to);
    StoreWidened(high[x], values + to + kSide);
    StoreExponents(low[x], high[x], exponents + to);
  }
}

void PackGroup(const uint16_t* a, int64_t stride, int rows, int k, std::span<const int> places,
               float* values, int16_t* exponents) {
  for (int x = 0; x < std::ssize(places); x += kSide) {
    if (rows == kRows && x + kSide <= k) {
      PackTile(a + x, stride, &places[x], values, exponents);
      continue;
    }
    uint16_t tile[kRows][kSide] = {};  // zeros where nothing exists
    const int count = std::clamp(k - x, 0, kSide);
    for (int i = 0; count > 0 && i < rows; ++i) {
      std::memcpy(tile[i], a + i * stride + x, count * sizeof(uint16_t));
    }
    PackTile(tile[0], kSide, &places[x], values, exponents);
  }
}

}  // namespace
}  // namespace samebits::units::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace samebits::units {

HWY_EXPORT(PackGroup);

void PackGroupSimd(const uint16_t* a, int64_t stride, int rows, int k, std::span<const int> places,
                   float* values, int16_t* exponents) {
  HWY_DYNAMIC_DISPATCH(PackGroup)(a, stride, rows, k, places, values, exponents);
}

}  // namespace samebits::units
#endif  // HWY_ONCE
