#include "golden/inputs.h"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>

#include "golden/xxh3.h"
#include "model/arith/bfloat16.h"
#include "model/arith/float16.h"

namespace samebits::golden {
namespace {

constexpr Texture kTextures[] = {Texture::kActivation, Texture::kWeight, Texture::kState,
                                 Texture::kLogit, Texture::kGain};

Tensor Filled(std::string_view style, Texture texture, DType dtype, std::vector<int64_t> shape,
              uint64_t seed = 3, int threads = 1, const char* name = "t", float scale = 1.0f) {
  std::vector<std::string> dims(shape.size(), "d");
  Tensor tensor({name, Role::kInput, dtype, std::move(dims), std::move(shape)});
  InputGenerator(style, seed, threads).Fill({texture, scale}, &tensor);
  return tensor;
}

float Value(DType dtype, uint32_t bits) {
  if (dtype == DType::kBf16) return arith::Widen(static_cast<uint16_t>(bits));
  return std::bit_cast<float>(bits);
}

uint32_t Bits(const Tensor& tensor, size_t i) {
  return SizeOf(tensor.spec.dtype) == 2 ? tensor.view<uint16_t>()[i] : tensor.view<uint32_t>()[i];
}

}  // namespace

BOOST_AUTO_TEST_SUITE(inputs)

/// The bits are a promise to every machine and every later version: one hash per style.
BOOST_AUTO_TEST_CASE(bits_are_the_promised_ones) {
  const std::map<std::string, std::string, std::less<>> promised = {
      {"realistic", "0dd0517a163c4bd0c81b955cdbec43ba"},
      {"wide", "0acec56d28721b87e0aeff91f248d178"},
      {"tiny", "7e6123285e63f77c258eed1e3e1f2afb"},
      {"cancelling", "369c350511d29a1444e808bbbc87714e"},
      {"specials", "c2952d4766d2d9fb84767283af1756f7"},
      {"onehot", "1c88b16ea02e8cc3bf0bea6cd285a837"},
      {"discriminating", "2cf6c949dcda11ebae1909583a019d05"},
  };
  for (const std::string_view style : StyleNames()) {
    Hasher hasher;
    for (const Texture texture : kTextures) {
      for (const DType dtype : {DType::kBf16, DType::kF16, DType::kF32}) {
        hasher.Update(Filled(style, texture, dtype, {3, 40, 150}, 3, 1, "t", 0.37f).data);
      }
    }
    BOOST_TEST(promised.at(std::string(style)) == hasher.Hex(), style << " " << hasher.Hex());
  }
}

BOOST_AUTO_TEST_CASE(an_element_depends_on_style_seed_name_and_index_alone) {
  for (const std::string_view style : StyleNames()) {
    for (const Texture texture : kTextures) {
      const Tensor tensor = Filled(style, texture, DType::kF32, {700, 300});
      BOOST_TEST((tensor.data == Filled(style, texture, DType::kF32, {700, 300}, 3, 4).data));
      // A tensor with fewer rows is a prefix.
      const Tensor prefix = Filled(style, texture, DType::kF32, {5, 300});
      BOOST_TEST(std::equal(prefix.data.begin(), prefix.data.end(), tensor.data.begin()));
      if (style == "onehot") continue;
      BOOST_TEST((tensor.data != Filled(style, texture, DType::kF32, {700, 300}, 4).data));
      BOOST_TEST((tensor.data != Filled(style, texture, DType::kF32, {700, 300}, 3, 1, "u").data));
    }
  }
  const InputGenerator realistic("realistic", 1), wide("wide", 1);
  BOOST_TEST(realistic.Draw("t", 0) != wide.Draw("t", 0));
  BOOST_TEST(realistic.Draw("t", 0) != realistic.Draw("t", 1));
}

BOOST_AUTO_TEST_CASE(a_transposed_state_or_weight_shows) {
  for (const std::string_view style : StyleNames()) {
    for (const Texture texture : {Texture::kState, Texture::kWeight}) {
      for (const DType dtype : {DType::kBf16, DType::kF32}) {
        const int64_t n = 128;
        const Tensor tensor = Filled(style, texture, dtype, {2, n, n});
        int64_t differing = 0;
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = 0; j < i; ++j) {
            differing += Bits(tensor, i * n + j) != Bits(tensor, j * n + i);
          }
        }
        BOOST_TEST(differing > n * (n - 1) / 2 * 8 / 10, style << " " << differing);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(realistic_values_have_the_size_of_their_scale) {
  const Tensor tensor =
      Filled("realistic", Texture::kActivation, DType::kF32, {1 << 16}, 3, 1, "t", 0.25f);
  double sum = 0, squares = 0, largest = 0;
  for (const float value : tensor.view<float>()) {
    sum += value;
    squares += double{value} * value;
    largest = std::max(largest, std::abs(double{value}));
  }
  BOOST_TEST(std::abs(sum / 65536) < 0.01);
  BOOST_TEST(std::abs(std::sqrt(squares / 65536) - 0.2887) < 0.005);
  BOOST_TEST(largest <= 1.0);
}

BOOST_AUTO_TEST_CASE(styles_hold_what_their_names_say) {
  for (const DType dtype : {DType::kBf16, DType::kF32}) {
    const size_t n = 1 << 16;
    std::map<std::string_view, int> subnormal, zero, infinite, nan;
    std::map<std::string_view, float> largest;
    for (const std::string_view style : StyleNames()) {
      const Tensor tensor = Filled(style, Texture::kActivation, dtype, {256, 256});
      for (size_t i = 0; i < n; ++i) {
        const float value = Value(dtype, Bits(tensor, i));
        const int kind = std::fpclassify(value);
        subnormal[style] += kind == FP_SUBNORMAL;
        zero[style] += kind == FP_ZERO;
        infinite[style] += kind == FP_INFINITE;
        nan[style] += kind == FP_NAN;
        if (std::isfinite(value)) largest[style] = std::max(largest[style], std::abs(value));
      }
      if (style != "specials") BOOST_TEST(nan[style] + infinite[style] == 0);
      if (style != "specials" && style != "tiny") BOOST_TEST(subnormal[style] == 0);
    }
    BOOST_TEST(subnormal["tiny"] > 8000);
    BOOST_TEST(nan["specials"] + infinite["specials"] > 0);
    BOOST_TEST(subnormal["specials"] > 50);
    BOOST_TEST(largest["wide"] > 256.0f);
    BOOST_TEST(largest["cancelling"] > 100.0f);
    BOOST_TEST(zero["onehot"] == static_cast<int>(n - 512));
  }
}

BOOST_AUTO_TEST_CASE(cancelling_pairs_are_nearly_opposite) {
  for (const int64_t columns : {64, 63}) {
    const Tensor tensor = Filled("cancelling", Texture::kState, DType::kF32, {64, columns});
    const auto values = tensor.view<float>();
    for (size_t i = 0; i + 1 < values.size(); i += 2) {
      BOOST_TEST(std::abs(values[i] + values[i + 1]) <= std::abs(values[i]) * 0x1p-14f);
      BOOST_TEST(std::signbit(values[i]) != std::signbit(values[i + 1]));
    }
  }
}

BOOST_AUTO_TEST_CASE(scalars_vectors_and_empty_tensors_are_filled) {
  for (const std::string_view style : StyleNames()) {
    BOOST_TEST(Filled(style, Texture::kGain, DType::kF32, {}).data.size() == 4u);
    BOOST_TEST(Filled(style, Texture::kState, DType::kF16, {0, 3}).data.empty());
    const Tensor vector = Filled(style, Texture::kActivation, DType::kF32, {200});
    const Tensor row = Filled(style, Texture::kActivation, DType::kF32, {1, 200});
    BOOST_TEST((vector.data == row.data));
  }
}

BOOST_AUTO_TEST_CASE(unknown_styles_are_refused_with_the_known_ones) {
  BOOST_CHECK_EXCEPTION(InputGenerator("normal", 1), ConfigError, [](const ConfigError& error) {
    return std::string(error.what())
               .find("realistic, wide, tiny, cancelling, specials, onehot or discriminating") != std::string::npos;
  });
}

#ifdef __FLT16_MAX__
BOOST_AUTO_TEST_CASE(float16_rounding_agrees_with_the_compiler) {
  const auto check = [](uint32_t bits) {
    const float x = std::bit_cast<float>(bits);
    if (std::isnan(x)) return arith::RoundToF16(x) == 0x7FFF;
    return arith::RoundToF16(x) == std::bit_cast<uint16_t>(static_cast<_Float16>(x));
  };
  int wrong = 0;
  for (uint64_t bits = 0; bits <= 0xFFFFFFFFu; bits += 4093) wrong += !check(bits);
  for (uint32_t half = 0; half < 0x7C00; ++half) {  // around every value and every tie
    const float low = static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(half)));
    const float high =
        half == 0x7BFF
            ? 65536.0f
            : static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(half + 1)));
    for (const float x : {low, (low + high) / 2, high}) {
      for (int step = -1; step <= 1; ++step) {
        const uint32_t bits = std::bit_cast<uint32_t>(x) + step;
        wrong += !check(bits) + !check(bits ^ 0x80000000u);
      }
    }
  }
  BOOST_TEST(wrong == 0);
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::golden
