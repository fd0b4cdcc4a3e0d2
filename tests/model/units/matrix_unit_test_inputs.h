// Operands that reach the corners of a matrix unit.
#ifndef SAMEBITS_TESTS_MODEL_UNITS_MATRIX_UNIT_TEST_INPUTS_H_
#define SAMEBITS_TESTS_MODEL_UNITS_MATRIX_UNIT_TEST_INPUTS_H_

#include <array>
#include <cstdint>
#include <random>
#include <string_view>

namespace samebits::testing {

enum class Kind {
  kSimilar,      // exponents within 4
  kSpread34,     // exponents spread over 34
  kSpread120,    // over 120
  kAnything,     // any bit pattern, with many NaN and Inf
  kTiny,         // products and accumulators around the smallest float32 values
  kZeros,        // zeros of both signs among ones
  kHuge,         // products and sums around 2^128
  kCancelling,   // pairs of products that cancel, and what is left
  kFullBlocks,   // largest significands, one exponent and sign: the widest sums
  kRareSpecial,  // ordinary, with an occasional Inf, NaN or subnormal
};
inline constexpr std::array kKinds = {
    Kind::kSimilar, Kind::kSpread34, Kind::kSpread120,  Kind::kAnything,   Kind::kTiny,
    Kind::kZeros,   Kind::kHuge,     Kind::kCancelling, Kind::kFullBlocks, Kind::kRareSpecial};
inline constexpr std::array<std::string_view, kKinds.size()> kKindNames = {
    "similar", "spread 34", "spread 120", "anything",    "tiny",
    "zeros",   "huge",      "cancelling", "full blocks", "rare special"};

class OperandSource {
 public:
  explicit OperandSource(uint64_t seed) : random_(seed) {}

  /// bf16 bits for position `index` along k of operand a or b.
  uint16_t Value(Kind kind, int index, bool second) {
    switch (kind) {
      case Kind::kSimilar:
        return Bf16(125, 4);
      case Kind::kSpread34:
        return Bf16(110, 17);
      case Kind::kSpread120:
        return Bf16(97, 60);
      case Kind::kAnything:
        return Draw(4) == 0 ? Edge() : static_cast<uint16_t>(Draw(65536));
      case Kind::kTiny:
        return second ? Bf16(40, 40) : Bf16(0, 30);
      case Kind::kZeros:
        return Draw(2) == 0 ? Sign() : static_cast<uint16_t>(Sign() | 0x3F80);
      case Kind::kHuge:
        return Bf16(186, 8);
      case Kind::kCancelling:
        return Cancelling(index, second);
      case Kind::kFullBlocks:
        return static_cast<uint16_t>((second && negative_ ? 0x8000 : 0) | 0x3FFF);
      case Kind::kRareSpecial:
        return Draw(100) == 0 ? Edge() : Bf16(120, 10);
    }
    return 0;
  }

  /// float32 bits of an accumulator that suits the kind.
  uint32_t Accumulator(Kind kind) {
    const uint32_t low = static_cast<uint32_t>(Draw(65536));
    switch (kind) {
      case Kind::kTiny:
        return Draw(4) == 0 ? Sign() * 65536u : Bf16(0, 12) * 65536u + low;
      case Kind::kHuge:
        return Bf16(240, 15) * 65536u + low;
      case Kind::kZeros:
        return Draw(2) == 0 ? Sign() * 65536u : Bf16(100, 30) * 65536u;
      case Kind::kFullBlocks:
        negative_ = Draw(2) == 0;
        return (negative_ ? 0xBFFFFFFFu : 0x3FFFFFFFu) - static_cast<uint32_t>(Draw(3));
      case Kind::kCancelling:
        return Draw(3) == 0 ? 0u : Bf16(100, 30) * 65536u + low;
      default:
        return Value(kind, 0, false) * 65536u + low;
    }
  }

  uint64_t Draw(uint64_t count) { return random_() % count; }

 private:
  uint16_t Sign() { return static_cast<uint16_t>(Draw(2) << 15); }
  /// Exponent field in [first, first + count).
  uint16_t Bf16(int first, int count) {
    const uint64_t field = first + Draw(count);
    return static_cast<uint16_t>(Sign() | field << 7 | Draw(128));
  }
  uint16_t Edge() {
    constexpr std::array<uint16_t, 12> kEdges = {0x0000, 0x8000, 0x0001, 0x807F, 0x0080, 0x7F7F,
                                                 0xFF7F, 0x7F80, 0xFF80, 0x7FFF, 0xFF81, 0x3F80};
    return kEdges[Draw(kEdges.size())];
  }
  /// Element 2i+1 repeats element 2i with the other sign, mostly.
  uint16_t Cancelling(int index, bool second) {
    uint16_t& last = last_[second ? 1 : 0];
    if (index % 2 == 1 && Draw(20) != 0) return static_cast<uint16_t>(last ^ (second ? 0x8000 : 0));
    return last = Bf16(100, 30);
  }

  std::mt19937_64 random_;
  std::array<uint16_t, 2> last_{};
  bool negative_ = false;
};

}  // namespace samebits::testing

#endif  // SAMEBITS_TESTS_MODEL_UNITS_MATRIX_UNIT_TEST_INPUTS_H_
