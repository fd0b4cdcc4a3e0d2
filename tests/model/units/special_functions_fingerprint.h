// Fingerprints of an instruction's results over blocks of 65536 inputs, as recorded on the chip.
#ifndef SAMEBITS_TESTS_MODEL_UNITS_SPECIAL_FUNCTIONS_FINGERPRINT_H_
#define SAMEBITS_TESTS_MODEL_UNITS_SPECIAL_FUNCTIONS_FINGERPRINT_H_

#include <cstdint>
#include <vector>

#include "model/units/special_functions.h"

namespace samebits::testing {

inline constexpr uint32_t kBlockSize = 65536;
inline constexpr uint32_t kBlocks = 65536;

/// splitmix64's finaliser.
constexpr uint64_t Mix(uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Sum modulo 2^64 of Mix(input bits << 32 | result bits) over the inputs whose upper half is
/// `block`.
inline uint64_t Fingerprint(const units::SpecialFunctionTables& tables,
                            units::Instruction instruction, uint32_t block) {
  constexpr uint32_t kPart = 2048;  // stays in the first-level cache
  float x[kPart], y[kPart];
  uint64_t sum = 0;
  for (uint32_t start = 0; start < kBlockSize; start += kPart) {
    const uint32_t first = block << 16 | start;
    for (uint32_t i = 0; i < kPart; ++i) x[i] = arith::FromBits(first + i);
    units::EvaluateArray(tables, instruction, x, y, kPart);
    for (uint32_t i = 0; i < kPart; ++i) {
      sum += Mix(uint64_t{first + i} << 32 | arith::ToBits(y[i]));
    }
  }
  return sum;
}

/// Every sixteenth block, from another start in each instruction, and the blocks around zeros,
/// subnormals, infinities, NaNs, powers of two from 2^-27 to 2^27, and the ends of the ranges.
inline std::vector<uint32_t> ChosenBlocks(units::Instruction instruction) {
  std::vector<bool> chosen(kBlocks);
  for (uint32_t b = static_cast<uint32_t>(instruction) % 16; b < kBlocks; b += 16) chosen[b] = true;
  const auto around = [&](float value) {
    for (const uint32_t sign : {0u, 0x8000u}) {
      const uint32_t block = (arith::ToBits(value) >> 16) | sign;
      for (uint32_t b = block == 0 ? 0 : block - 1; b <= block + 1 && b < kBlocks; ++b) {
        chosen[b] = true;
      }
    }
  };
  for (const uint32_t bits : {0u, 0x00800000u, 0x01000000u, 0x7F800000u, 0x7FC00000u, 0x7FFFFFFFu,
                              0x00400000u, 0x7F7FFFFFu}) {
    around(arith::FromBits(bits));
  }
  for (int e = -27; e <= 27; ++e) around(std::ldexp(1.0f, e));
  for (const float value :
       {0x1p126f, 0x1p-126f, 0x1p127f, 126.0f, 127.0f, 128.0f, 149.0f, 150.0f, 252.0f, 255.0f,
        0x1.921fb6p0f, 0x1.921fb6p1f, 0x1.921fb6p2f, 9.0f, 10.0f, 1.5f, 0x1.6a09e6p0f}) {
    around(value);
  }
  std::vector<uint32_t> blocks;
  for (uint32_t b = 0; b < kBlocks; ++b) {
    if (chosen[b]) blocks.push_back(b);
  }
  return blocks;
}

}  // namespace samebits::testing

#endif  // SAMEBITS_TESTS_MODEL_UNITS_SPECIAL_FUNCTIONS_FINGERPRINT_H_
