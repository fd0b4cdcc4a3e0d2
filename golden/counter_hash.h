// The counter-based generator behind every input value (schema.md, "Input values"): the SplitMix64
// sequence of a key, entered at any index.
#ifndef SAMEBITS_GOLDEN_COUNTER_HASH_H_
#define SAMEBITS_GOLDEN_COUNTER_HASH_H_

#include <cstdint>
#include <string_view>

namespace samebits::golden {

inline constexpr uint64_t kGoldenGamma = 0x9E3779B97F4A7C15u;

/// The finaliser of SplitMix64: a bijection in which every input bit reaches every output bit.
constexpr uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// FNV-1a, 64 bits.
constexpr uint64_t HashText(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

/// 64 bits for element `index` of the sequence of `key`.
constexpr uint64_t DrawAt(uint64_t key, uint64_t index) {
  return Mix(key + (index + 1) * kGoldenGamma);
}

/// Further independent bits for the same element, k = 1, 2, ...
constexpr uint64_t SubDraw(uint64_t draw, uint64_t k) { return Mix(draw + k * kGoldenGamma); }

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_COUNTER_HASH_H_
