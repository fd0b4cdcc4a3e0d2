// The end of a tap's computation in a run by stages (StageRun in model/kernel.h): what was computed
// is stored, and the run goes on with what is given for it.
#ifndef SAMEBITS_MODEL_SETTLE_H_
#define SAMEBITS_MODEL_SETTLE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "model/tensor.h"

namespace samebits {

/// A tap and its given values, float32 or bf16; either may be null.
template <typename T>
struct TapPair {
  T* computed;
  const T* given;
};

/// An element that says nothing.
template <typename T>
bool IsGiven(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(value) != 0xFFA5A5A5u;  // PoisonBits(DType::kF32)
  } else {
    static_assert(std::is_same_v<T, uint16_t>);
    return value != 0xFFA5u;  // PoisonBits(DType::kBf16)
  }
}

/// Every given value replaces the one at its place.
template <typename T>
void Take(const T* given, size_t count, T* values) {
  for (size_t i = 0; i < count; ++i) {
    if (IsGiven(given[i])) values[i] = given[i];
  }
}

/// `count` elements of the tap from `index` on.
template <typename T>
void Settle(const TapPair<T>& tap, int64_t index, size_t count, T* values) {
  if (tap.computed != nullptr) std::memcpy(tap.computed + index, values, count * sizeof(T));
  if (tap.given != nullptr) Take(tap.given + index, count, values);
}

}  // namespace samebits

#endif  // SAMEBITS_MODEL_SETTLE_H_
