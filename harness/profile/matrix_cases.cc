#include "harness/profile/matrix_cases.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <random>
#include <utility>

#include "model/arith/float32.h"

namespace samebits::harness::profile {
namespace {

using Product = std::pair<double, double>;

double P2(int e) { return std::ldexp(1.0, e); }
uint16_t ToBf16(double x) {
  return static_cast<uint16_t>(arith::ToBits(static_cast<float>(x)) >> 16);
}

/// Two bf16 factors of that product; its significand has at most 8 bits.
Product Of(double value) {
  int e = 0;
  const double m = std::frexp(value, &e);
  return {std::ldexp(m, e / 2), P2(e - e / 2)};
}

class Builder {
 public:
  explicit Builder(int k) { cases_.k = k; }
  int k() const { return cases_.k; }

  void AddBits(std::string tag, const std::vector<uint16_t>& a, const std::vector<uint16_t>& b,
               uint32_t c) {
    cases_.tags.push_back(std::move(tag));
    for (int i = 0; i < k(); ++i) {
      const size_t index = static_cast<size_t>(i);
      cases_.a.push_back(index < a.size() ? a[index] : 0);
      cases_.b.push_back(index < b.size() ? b[index] : 0);
    }
    cases_.c.push_back(c);
  }

  /// Probes with more products than the instruction has are left out.
  void Add(const std::string& tag, const std::vector<Product>& products, double c) {
    if (products.size() > static_cast<size_t>(k())) return;
    std::vector<uint16_t> a, b;
    for (const auto& [x, y] : products) {
      a.push_back(ToBf16(x));
      b.push_back(ToBf16(y));
    }
    AddBits(tag, a, b, arith::ToBits(static_cast<float>(c)));
  }
  void AddValues(const std::string& tag, const std::vector<double>& values, double c) {
    std::vector<Product> products;
    for (const double value : values) products.push_back(Of(value));
    Add(tag, products, c);
  }

  MatrixCases Take() { return std::move(cases_); }

 private:
  MatrixCases cases_;
};

/// Fraction widths of products and accumulator, and which way they are cut.
void AddWidths(Builder* cases) {
  for (int j = 16; j <= 40; ++j) {
    for (const double s : {1.0, -1.0, 1.5, -1.5}) {
      const double big = P2(14), small = s * P2(14 - j);
      cases->AddValues(fmt::format("Fprod_{}", j), {big, -big, small}, 0);
      cases->AddValues(fmt::format("Fc_{}", j), {big, -big}, small);
      cases->AddValues(fmt::format("FcN_{}", j), {P2(20), -P2(20)}, s * P2(20 - j - 8));
    }
    cases->AddValues(fmt::format("pnorm_{}", j), {2.25, -2.25, P2(-j)}, 0);
    cases->Add(fmt::format("subn_{}", j),
               {{P2(-133), P2(100)}, {-P2(-66), P2(33)}, Of(P2(-26 - j))}, 0);
    for (const double c : {1.0, -1.0, 1.5, 0.5}) {
      cases->AddValues(fmt::format("f2_{}", j), {P2(-24), P2(-j)}, c);
      cases->AddValues(fmt::format("f2n_{}", j), {P2(-24), -P2(-j)}, c);
      cases->AddValues(fmt::format("guard_{}", j), {-1.5 * P2(-24), P2(-j)}, c);
      cases->AddValues(fmt::format("guardn_{}", j), {-1.5 * P2(-24), -P2(-j)}, c);
      cases->AddValues(fmt::format("late_{}", j), {P2(-24), -P2(-24), P2(-j)}, c);
    }
  }
  cases->AddValues("f2_40_n", {-P2(-24), -P2(-40)}, 1 + P2(-22));
}

/// Rounding of the result, and how the accumulator joins.
void AddRounding(Builder* cases) {
  for (int j = 22; j <= 30; ++j) {
    for (const double c : {1.0, 1 + P2(-23), 1 + 3 * P2(-23), 2 - P2(-23), 1.5}) {
      for (const double m : {1.0, 1.5, 1.25}) {
        for (const double s : {1.0, -1.0}) {
          cases->AddValues(fmt::format("outr_{}", j), {s * m * P2(-j)}, c);
        }
      }
    }
  }
  const auto k = static_cast<size_t>(cases->k());
  for (int j = 20; j <= 36; ++j) {
    for (const double s : {1.0, -1.0}) {
      for (size_t n = 1; n <= k; n *= 2) {
        cases->AddValues(fmt::format("join_{}_{}", j, n), std::vector(n, s * 1.5 * P2(-j)), 1);
      }
    }
  }
  for (size_t i = 0; i < k; ++i) {
    std::vector<double> values(k, P2(-11));
    values[i] = P2(14);
    values[(i + 1) % k] = -P2(14);
    cases->AddValues(fmt::format("lsb_{}", i), values, P2(-11));
  }
  cases->AddValues("eq10", {-P2(23), -0.5, -0.25, -0.125}, P2(23));
}

/// Which summands are added before and after each other: block length and order.
void AddMasks(Builder* cases) {
  const auto k = static_cast<size_t>(cases->k());
  for (size_t j = 0; j < k; ++j) {
    std::vector<double> values(k, P2(-24));
    values[j] = -P2(120);
    cases->AddValues(fmt::format("maskc_{}", j), values, P2(120));
    for (size_t i = 0; i < k; ++i) {
      if (i == j || (i != (j + 1) % k && i != (j + k / 2) % k && i != 0)) continue;
      values.assign(k, P2(-24));
      values[i] = P2(120);
      values[j] = -P2(120);
      cases->AddValues(fmt::format("mask_{}_{}", i, j), values, P2(-24));
    }
  }
}

/// Exponent floor, subnormals, signs of zeros.
void AddSmall(Builder* cases) {
  const auto power = [](int e) { return Product{P2(e / 2), P2(e - e / 2)}; };
  const auto minus = [](Product p) { return Product{-p.first, p.second}; };
  for (int j = 146; j <= 185; ++j) {
    const Product one = power(-149), small = power(-j);
    cases->Add(fmt::format("ez_{}", j), {one, minus(small)}, 0);
    cases->Add(fmt::format("ezn_{}", j), {minus(one), small}, 0);
    cases->Add(fmt::format("ezc_{}", j), {minus(small)}, P2(-149));
    cases->Add(fmt::format("ezall_{}", j), std::vector(static_cast<size_t>(cases->k()), small),
               P2(-149));
    cases->Add(fmt::format("tz_{}", j), {power(-150), small}, 0);
    cases->Add(fmt::format("tzn_{}", j), {minus(power(-150)), minus(small)}, 0);
    cases->Add(fmt::format("z_neguf_{}", j), {minus(small)}, 0);
    cases->Add(fmt::format("z_posuf_{}", j), {small}, 0);
  }
  const size_t k = static_cast<size_t>(cases->k());
  for (const uint32_t c : {0u, 0x80000000u}) {
    for (const uint16_t a : {0x0000, 0x8000}) {
      for (const uint16_t b : {0x0000, 0x3F80, 0xBF80}) {
        cases->AddBits("z_all", std::vector(k, a), std::vector(k, b), c);
      }
    }
    cases->AddBits("z_cancel", {0x3F80, 0xBF80}, {0x3F80, 0x3F80}, c);
    cases->AddBits("z_cancel", {0xBF80, 0x3F80}, {0x3F80, 0x3F80}, c);
  }
  cases->AddBits("z_cancel_c", {0x3F80}, {0x3F80}, 0xBF800000u);
  for (const uint16_t tiny : {0x0001, 0x8001, 0x007F, 0x0040, 0x0080}) {
    for (const uint16_t other : {0x3F80, 0xBF80, 0x4280, 0x7F00}) {
      cases->AddBits("sub_pass", {tiny}, {other}, 0);
      cases->AddBits("sub_pass", {other}, {tiny}, 0x80000000u);
    }
  }
  for (const uint32_t c : {1u, 0x80000001u, 0x7FFFFFu, 0x400000u, 0x807FFFFFu}) {
    cases->AddBits("sub_c", {}, {}, c);
    cases->AddBits("sub_c", {0x0080}, {0x3F80}, c);
  }
}

/// Overflow, infinities and NaN.
void AddLarge(Builder* cases) {
  const double fmax = std::ldexp(16777215.0, 104);
  for (const double s : {1.0, -1.0}) {
    cases->AddValues("ov_cancel", {s * P2(128), -s * P2(128), 1}, 0);
    cases->AddValues("ov_one", {s * P2(128)}, 0);
    cases->AddValues("ov_one_c", {s * P2(128)}, -s * P2(127));
    cases->AddValues("ov_pair", {s * P2(127), s * P2(127)}, 0);
    for (int j = 96; j <= 106; ++j) {
      cases->AddValues(fmt::format("ov_max_{}", j), {s * P2(j)}, s * fmax);
    }
  }
  constexpr uint16_t kSpecials[] = {0x7F80, 0xFF80, 0x7F81, 0xFFC1, 0x7FC0,
                                    0x0000, 0x8000, 0x0001, 0x3F80, 0xFF7F};
  constexpr uint32_t kAccumulators[] = {0u,          0x7F800000u, 0xFF800000u, 0x7F800001u,
                                        0xFFFFFFFFu, 0x3F800000u, 0x7F7FFFFFu};
  for (const uint16_t a : kSpecials) {
    for (const uint16_t b : kSpecials) {
      for (const uint32_t c : kAccumulators) cases->AddBits("nan_inf", {a}, {b}, c);
    }
  }
  cases->AddBits("inf_minus_inf", {0x7F80, 0xFF80}, {0x3F80, 0x3F80}, 0);
}

/// Random operands of one kind.
class RandomOperands {
 public:
  RandomOperands(int kind, uint64_t seed) : kind_(kind), random_(seed) {}

  uint16_t Operand(int index, bool second) {
    switch (kind_) {
      case 0:
        return Bf16(125, 4);
      case 1:
        return Bf16(110, 17);
      case 2:
        return Bf16(97, 60);
      case 3:
        return static_cast<uint16_t>(Draw(65536));
      case 4:
        return second ? Bf16(40, 40) : Bf16(0, 30);
      case 5:
        return static_cast<uint16_t>(Draw(2) << 15 | (Draw(2) != 0 ? 0x3F80 : 0));
      case 6:
        return Bf16(186, 8);
      case 7:
        return Cancelling(index, second);
      default:
        return Draw(60) == 0 ? static_cast<uint16_t>(Draw(65536)) : Bf16(118, 12);
    }
  }

  uint32_t Accumulator() {
    const uint32_t low = static_cast<uint32_t>(Draw(65536));
    switch (kind_) {
      case 2:
        return Bf16(67, 120) * 65536u + low;
      case 3:
        return static_cast<uint32_t>(Draw(65536)) * 65536u + low;
      case 4:
        return Draw(4) == 0 ? 0u : Bf16(0, 12) * 65536u + low;
      case 5:
        return static_cast<uint32_t>(Draw(2)) << 31;
      case 6:
        return Bf16(240, 14) * 65536u + low;
      case 7:
        return Draw(3) == 0 ? 0u : Bf16(100, 30) * 65536u + low;
      default:
        return Bf16(112, 24) * 65536u + low;
    }
  }

  static constexpr int kKinds = 9;

 private:
  uint64_t Draw(uint64_t count) { return random_() % count; }
  uint16_t Bf16(int first, int count) {
    const uint64_t field = static_cast<uint64_t>(first) + Draw(static_cast<uint64_t>(count));
    return static_cast<uint16_t>(Draw(2) << 15 | field << 7 | Draw(128));
  }
  /// Element 2i + 1 repeats element 2i with the other sign, mostly.
  uint16_t Cancelling(int index, bool second) {
    uint16_t& last = last_[second ? 1 : 0];
    if (index % 2 == 1 && Draw(20) != 0) {
      return static_cast<uint16_t>(last ^ (second ? 0x8000 : 0));
    }
    return last = Bf16(100, 30);
  }

  int kind_;
  std::mt19937_64 random_;
  uint16_t last_[2] = {};
};

void AddRandom(Builder* cases) {
  constexpr int kPerKind = 128;
  for (int kind = 0; kind < RandomOperands::kKinds; ++kind) {
    RandomOperands source(kind, static_cast<uint64_t>(1000 + kind));
    for (int n = 0; n < kPerKind; ++n) {
      std::vector<uint16_t> a, b;
      for (int i = 0; i < cases->k(); ++i) {
        a.push_back(source.Operand(i, false));
        b.push_back(source.Operand(i, true));
      }
      const uint32_t c = source.Accumulator();
      cases->AddBits(fmt::format("random_{}", kind), a, b, c);
      if (n >= 16) continue;
      // The same products in another order: a rotation, and halves exchanged element by element.
      const auto rotate = [](std::vector<uint16_t> v) {
        v.push_back(v.front());
        v.erase(v.begin());
        return v;
      };
      cases->AddBits("rotated", rotate(a), rotate(b), c);
      cases->AddBits("reversed", {a.rbegin(), a.rend()}, {b.rbegin(), b.rend()}, c);
    }
  }
}

}  // namespace

MatrixCases MakeMatrixCases(int k) {
  Builder cases(k);
  AddWidths(&cases);
  AddRounding(&cases);
  AddMasks(&cases);
  AddSmall(&cases);
  AddLarge(&cases);
  AddRandom(&cases);
  return cases.Take();
}

}  // namespace samebits::harness::profile
