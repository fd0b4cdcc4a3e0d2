// The correctly rounded functions against MPFR.
#include <mpfr.h>

#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <vector>

#include "model/profiles/special_functions_sm_90.h"

namespace samebits::units {
namespace {

using arith::FromBits;
using arith::ToBits;

constexpr mpfr_prec_t kPrecision = 300;

/// One MPFR number.
class Real {
 public:
  Real() { mpfr_init2(value_, kPrecision); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

struct Function {
  std::string name;
  float (*model)(const SpecialFunctionTables&, float);
  void (*reference)(mpfr_ptr result, mpfr_srcptr x);
  bool positive_only;
};

void TimesTwoPi(mpfr_ptr result, mpfr_srcptr turns) {
  mpfr_const_pi(result, MPFR_RNDN);
  mpfr_mul_2ui(result, result, 1, MPFR_RNDN);
  mpfr_mul(result, result, turns, MPFR_RNDN);
}

const std::vector<Function>& Functions() {
  static const std::vector<Function> functions = {
      {"ex2", Ex2, [](mpfr_ptr r, mpfr_srcptr x) { mpfr_exp2(r, x, MPFR_RNDN); }, false},
      {"rcp", Rcp, [](mpfr_ptr r, mpfr_srcptr x) { mpfr_ui_div(r, 1, x, MPFR_RNDN); }, false},
      {"rsq", Rsq, [](mpfr_ptr r, mpfr_srcptr x) { mpfr_rec_sqrt(r, x, MPFR_RNDN); }, true},
      {"sqrt", Sqrt, [](mpfr_ptr r, mpfr_srcptr x) { mpfr_sqrt(r, x, MPFR_RNDN); }, true},
      {"lg2", Lg2, [](mpfr_ptr r, mpfr_srcptr x) { mpfr_log2(r, x, MPFR_RNDN); }, true},
      {"tanh", Tanh, [](mpfr_ptr r, mpfr_srcptr x) { mpfr_tanh(r, x, MPFR_RNDN); }, false},
      {"sin", Sin,
       [](mpfr_ptr r, mpfr_srcptr x) {
         TimesTwoPi(r, x);
         mpfr_sin(r, r, MPFR_RNDN);
       },
       false},
      {"cos", Cos,
       [](mpfr_ptr r, mpfr_srcptr x) {
         TimesTwoPi(r, x);
         mpfr_cos(r, r, MPFR_RNDN);
       },
       false},
  };
  return functions;
}

/// The value rounded once to 24 bits to nearest even, then flushed below 2^-126.
float RoundOnce(mpfr_ptr value) {
  mpfr_prec_round(value, 24, MPFR_RNDN);
  const float rounded = arith::FlushSubnormal(mpfr_get_flt(value, MPFR_RNDN));
  mpfr_set_prec(value, kPrecision);
  return rounded;
}

std::vector<float> Inputs(const Function& f) {
  std::vector<float> inputs;
  std::mt19937 random(99);
  for (int i = 0; i < 30000; ++i) inputs.push_back(FromBits(random()));
  for (int i = 0; i < 30000; ++i) {
    const uint32_t exponent = 127 - 30 + random() % 38;
    inputs.push_back(FromBits((random() & 0x807FFFFFu) | exponent << 23));
  }
  for (int e = -126; e <= 127; ++e) {  // powers of two and their neighbours
    const uint32_t bits = static_cast<uint32_t>(e + 127) << 23;
    for (int step = -2; step <= 2; ++step) {
      const uint32_t magnitude = bits + static_cast<uint32_t>(step);
      inputs.push_back(FromBits(magnitude));
      inputs.push_back(FromBits(magnitude | 0x80000000u));
    }
  }
  // Ordinary values only; special cases are the hardware's and are tested as such. The period of
  // sin and cos makes large arguments exact.
  std::erase_if(inputs, [&](float x) {
    const float magnitude = std::fabs(x);
    if (!(magnitude >= 0x1p-126f) || std::isinf(x)) return true;
    if (f.positive_only && x < 0) return true;
    if (f.name == "ex2") return magnitude >= 128.0f;
    if (f.name == "lg2") return x == 1.0f;
    if (f.name == "sin" || f.name == "cos") return magnitude * 4 == std::floor(magnitude * 4);
    return false;
  });
  return inputs;
}

BOOST_AUTO_TEST_CASE(EqualToMpfr) {
  const SpecialFunctionTables& exact = profiles::CorrectlyRoundedSpecialFunctions();
  Real x, y;
  for (const Function& f : Functions()) {
    int bad = 0;
    const std::vector<float> inputs = Inputs(f);
    BOOST_TEST(inputs.size() > 20000u);
    for (const float input : inputs) {
      mpfr_set_flt(x.get(), input, MPFR_RNDN);
      f.reference(y.get(), x.get());
      const uint32_t expected = ToBits(RoundOnce(y.get()));
      const uint32_t result = ToBits(f.model(exact, input));
      if (result == expected || ++bad > 4) continue;
      BOOST_ERROR(f.name << " of " << std::hex << ToBits(input) << ": " << result << ", expected "
                         << expected);
    }
    BOOST_TEST(bad == 0, f.name << ": " << bad << " of " << inputs.size() << " differ");
  }
}

// All mantissas of both exponent parities.
BOOST_AUTO_TEST_CASE(InverseRootOfAllMantissas) {
  const SpecialFunctionTables& exact = profiles::CorrectlyRoundedSpecialFunctions();
  for (uint32_t bits = 0x3F800000u; bits < 0x40800000u; ++bits) {
    const float x = FromBits(bits);
    const float y = Rsq(exact, x);
    // The reciprocal root lies within half a gap of y: compare x * (y -+ half gap)^2 with 1.
    const double below = (static_cast<double>(FromBits(ToBits(y) - 1)) + y) / 2;
    const double above = (static_cast<double>(FromBits(ToBits(y) + 1)) + y) / 2;
    const auto exceeds = [&](double h) {  // x * h * h > 1, exactly
      const double square = h * h;        // 50 bits
      const double product = square * x;
      const double error = std::fma(square, static_cast<double>(x), -product);
      return product > 1.0 || (product == 1.0 && error > 0);
    };
    BOOST_REQUIRE_MESSAGE(!exceeds(below) && exceeds(above), "rsq of " << std::hex << bits);
  }
}

// Differs from the hardware, by one ulp at most where the hardware's error is that small.
BOOST_AUTO_TEST_CASE(DiffersFromTheHardware) {
  const SpecialFunctionTables& exact = profiles::CorrectlyRoundedSpecialFunctions();
  const SpecialFunctionTables& sm_90 = profiles::Sm90SpecialFunctions();
  int different = 0;
  for (uint32_t i = 0; i < 65536; ++i) {
    const float x = FromBits(0x3F800000u + i * 127);
    const int64_t distance = int64_t{ToBits(Rcp(exact, x))} - int64_t{ToBits(Rcp(sm_90, x))};
    BOOST_REQUIRE_LE(std::abs(distance), 1);
    different += distance != 0;
  }
  BOOST_TEST(different > 0);
}

// Special cases stay the hardware's.
BOOST_AUTO_TEST_CASE(SpecialCasesOfTheHardware) {
  const SpecialFunctionTables& exact = profiles::CorrectlyRoundedSpecialFunctions();
  const SpecialFunctionTables& sm_90 = profiles::Sm90SpecialFunctions();
  for (const Function& f : Functions()) {
    for (const uint32_t magnitude : {0u, 1u, 0x007FFFFFu, 0x7F800000u, 0x7F800001u, 0x7FC00000u,
                                     0x7FFFFFFFu, 0x4B000000u, 0x7F7FFFFFu}) {
      for (const uint32_t sign : {0u, 0x80000000u}) {
        const float x = FromBits(magnitude | sign);
        if (magnitude == 0x4B000000u && (f.name == "lg2" || f.name == "rcp")) continue;
        if (magnitude == 0x4B000000u && f.name.ends_with("sq")) continue;
        if (magnitude == 0x7F7FFFFFu && f.name != "sin" && f.name != "cos" && f.name != "tanh" &&
            f.name != "ex2") {
          continue;  // an ordinary value there
        }
        if (magnitude == 0x4B000000u && f.name == "sqrt") continue;
        BOOST_TEST(ToBits(f.model(exact, x)) == ToBits(f.model(sm_90, x)),
                   f.name << " of " << std::hex << ToBits(x));
      }
    }
  }
}

}  // namespace
}  // namespace samebits::units
