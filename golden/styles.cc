#include "golden/styles.h"

#include <algorithm>
#include <array>
#include <bit>

#include "golden/counter_hash.h"
#include "model/arith/bfloat16.h"
#include "model/arith/float16.h"

namespace samebits::golden {
namespace {

uint32_t Encode(DType dtype, float value) {
  switch (dtype) {
    case DType::kBf16:
      return arith::RoundToBf16(value);
    case DType::kF16:
      return arith::RoundToF16(value);
    case DType::kF32:
    case DType::kI32:
      break;
  }
  return std::bit_cast<uint32_t>(value);
}

/// Fraction and exponent bits of a type.
struct Format {
  int fraction_bits, sign_shift;
};

Format FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kBf16:
      return {7, 15};
    case DType::kF16:
      return {10, 15};
    case DType::kF32:
    case DType::kI32:
      break;
  }
  return {23, 31};
}

/// A state or a weight matrix that is read transposed must not look alike: below the diagonal of
/// the last two dimensions everything is halved.
float Asymmetry(const Element& e) {
  const bool matrix = e.recipe.texture == Texture::kState || e.recipe.texture == Texture::kWeight;
  return matrix && e.row > e.column ? 0.5f : 1.0f;
}

/// Sum of four uniform 16-bit numbers minus its mean: nearly normal, standard deviation 1.15 *
/// 2^15.
float Bell(uint64_t draw) {
  int32_t sum = -131070;
  for (int i = 0; i < 4; ++i) sum += static_cast<int32_t>((draw >> (16 * i)) & 0xFFFFu);
  return static_cast<float>(sum);  // exact: 18 bits
}

uint32_t Noise(const Element& e, uint64_t draw, float factor) {
  const float value = Bell(draw) * factor * e.recipe.scale;  // the first product is exact
  if (e.recipe.texture == Texture::kGain) return Encode(e.dtype, 1.0f + value);
  return Encode(e.dtype, value * Asymmetry(e));
}

uint32_t RealisticFrom(const Element& e, uint64_t draw) { return Noise(e, draw, 0x1p-15f); }

uint32_t Realistic(const Element& e) { return RealisticFrom(e, DrawAt(e.key, e.index())); }

/// Exponents from -24 to 8, whatever the fraction.
uint32_t Wide(const Element& e) {
  const uint64_t draw = DrawAt(e.key, e.index());
  const uint32_t exponent = 127 - 24 + static_cast<uint32_t>((draw >> 32) & 0xFFFFu) % 33;
  const uint32_t sign =
      e.recipe.texture == Texture::kGain ? 0 : static_cast<uint32_t>(draw >> 63) << 31;
  const uint32_t bits = sign | exponent << 23 | static_cast<uint32_t>(draw & 0x7FFFFFu);
  return Encode(e.dtype, std::bit_cast<float>(bits) * e.recipe.scale * Asymmetry(e));
}

/// Three of four elements are subnormal or have one of the three smallest exponents; the fourth is
/// realistic, so that products come down to the subnormals instead of vanishing.
uint32_t Tiny(const Element& e) {
  const uint64_t draw = DrawAt(e.key, e.index());
  if ((draw >> 62) == 0) return RealisticFrom(e, SubDraw(draw, 1));
  const Format format = FormatOf(e.dtype);
  const uint32_t sign =
      e.recipe.texture == Texture::kGain ? 0 : static_cast<uint32_t>((draw >> 61) & 1);
  const uint32_t exponent = static_cast<uint32_t>(draw >> 32) & 3;
  const uint32_t fraction = static_cast<uint32_t>(draw) & ((1u << format.fraction_bits) - 1);
  return sign << format.sign_shift | exponent << format.fraction_bits | fraction;
}

/// Elements 2p and 2p+1 are large and nearly opposite: the odd one is the even one with the sign
/// and some of the last fraction bits changed.
uint32_t Cancelling(const Element& e) {
  if (e.recipe.texture == Texture::kGain) return Realistic(e);
  const uint64_t index = e.index();
  Element even = e;
  if (index % 2 == 1) {
    even.column = e.column > 0 ? e.column - 1 : e.columns - 1;
    if (e.column == 0) even.row = e.row > 0 ? e.row - 1 : e.rows - 1;
  }
  const float factor = e.recipe.texture == Texture::kLogit ? 0x1p-13f : 0x1p-9f;
  const uint32_t bits = Noise(even, DrawAt(e.key, index - index % 2), factor);
  if (index % 2 == 0) return bits;
  const uint32_t changed = e.dtype == DType::kBf16 ? 1 : e.dtype == DType::kF16 ? 3 : 0xFF;
  return bits ^ 1u << FormatOf(e.dtype).sign_shift ^
         (static_cast<uint32_t>(DrawAt(e.key, index)) & changed);
}

/// Zeros, subnormals, smallest normals, ties of bf16, thresholds of exp and of reciprocals.
constexpr std::array<uint32_t, 30> kSpecialF32 = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000,
    0x3F808000, 0x3F818000, 0xBF808000, 0xBF818000, 0x00008000, 0x00018000, 0x42B17218, 0xC2B17218,
    0x42AEAC50, 0xC2AEAC50, 0xC2CFF1B5, 0x00800001, 0x01000000, 0x42FC0000, 0xC2FC0000, 0x42FE0000,
    0xC2FE0000, 0x3F800000, 0xBF800000, 0x3F000000, 0x3F7FFFFF, 0x3F800001};
constexpr std::array<uint32_t, 22> kSpecialBf16 = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x807F, 0x0080, 0x8080, 0x3F80, 0xBF80, 0x3F81,
    0x42B1, 0x42B2, 0xC2B1, 0xC2B2, 0x42AF, 0xC2AF, 0xC2D0, 0x42FC, 0xC2FC, 0x42FE, 0x3F00};
constexpr std::array<uint32_t, 12> kSpecialF16 = {0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF,
                                                  0x0400, 0x8400, 0x3C00, 0xBC00, 0x3C01, 0x3800};
/// Infinities, NaNs with payloads, the largest finite values, 2^126 and its neighbour.
constexpr std::array<uint32_t, 12> kRareF32 = {0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001,
                                               0x7F800001, 0x7FABCDEF, 0x7F7FFFFF, 0xFF7FFFFF,
                                               0x7F7F8000, 0xFF7F8000, 0x7E800000, 0x7E800001};
constexpr std::array<uint32_t, 10> kRareBf16 = {0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x7F81,
                                                0x7FAB, 0x7F7F, 0xFF7F, 0x7E80, 0x7E81};
constexpr std::array<uint32_t, 8> kRareF16 = {0x7C00, 0xFC00, 0x7E00, 0xFE01,
                                              0x7C01, 0x7D55, 0x7BFF, 0xFBFF};

std::span<const uint32_t> SpecialValues(DType dtype) {
  if (dtype == DType::kBf16) return kSpecialBf16;
  if (dtype == DType::kF16) return kSpecialF16;
  return kSpecialF32;
}

std::span<const uint32_t> RareValues(DType dtype) {
  if (dtype == DType::kBf16) return kRareBf16;
  if (dtype == DType::kF16) return kRareF16;
  return kRareF32;
}

/// One element in 64 is special, one in 2^15 is rare: a NaN poisons whole rows, so that many of
/// them would leave nothing to look at.
uint32_t Specials(const Element& e) {
  const uint64_t draw = DrawAt(e.key, e.index());
  const uint64_t choice = SubDraw(draw, 1);
  const uint64_t lot = choice & 0x7FFFu;
  if (lot >= 512) return RealisticFrom(e, draw);
  const std::span<const uint32_t> values = lot == 0 ? RareValues(e.dtype) : SpecialValues(e.dtype);
  return values[(choice >> 32) % values.size()];
}

constexpr int64_t kHotBlock = 128;  // one hot element per so many of a row

float HotActivation(const Element& e) {
  const int64_t blocks = (e.columns + kHotBlock - 1) / kHotBlock;
  const int64_t block = e.column / kHotBlock;
  const int64_t width = std::min(kHotBlock, e.columns - block * kHotBlock);
  const uint64_t draw =
      DrawAt(e.key, static_cast<uint64_t>((e.outer * e.rows + e.row) * blocks + block));
  const bool hot =
      e.column % kHotBlock == static_cast<int64_t>(draw % static_cast<uint64_t>(width));
  return hot ? static_cast<float>(1 + (draw >> 32) % 3) : 0.0f;
}

/// Small integers, so that a result can be traced by hand.
uint32_t OneHot(const Element& e) {
  const int64_t lattice = 3 * e.row + 5 * e.column + e.outer;  // differs when transposed
  float value = 0;
  switch (e.recipe.texture) {
    case Texture::kActivation:
      value = HotActivation(e);
      break;
    case Texture::kWeight:
      value = static_cast<float>(lattice % 7 - 3);
      break;
    case Texture::kState:
      value = static_cast<float>(lattice % 31 - 15);
      break;
    case Texture::kLogit:
      value = static_cast<float>(static_cast<int>(DrawAt(e.key, e.index()) % 5) - 2);
      break;
    case Texture::kGain:
      value = static_cast<float>(1 + (DrawAt(e.key, e.index()) & 1));
      break;
  }
  return Encode(e.dtype, value);
}

constexpr std::array<Style, 7> kStyles = {{{"realistic", Realistic},
                                           {"wide", Wide},
                                           {"tiny", Tiny},
                                           {"cancelling", Cancelling},
                                           {"specials", Specials},
                                           {"onehot", OneHot},
                                           {"discriminating", Realistic}}};

}  // namespace

std::span<const Style> Styles() { return kStyles; }

}  // namespace samebits::golden
