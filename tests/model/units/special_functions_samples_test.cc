// The model against results recorded on an H200.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>
#include <vector>

#include "model/profiles/special_functions_sm_90.h"
#include "tests/silicon.h"

namespace samebits::units {
namespace {

constexpr char kFile[] = "data/silicon/sm_90/special_functions.h5";

std::vector<uint32_t> Read32(const std::string& name) {
  return testing::ReadSilicon<uint32_t>(kFile, "samples/" + name);
}

// Every sample, plain. sin.approx.f32, cos.approx.f32 and the bare SIN and COS have no samples of
// their own: their fingerprints cover them.
BOOST_AUTO_TEST_CASE(SamplesOfEveryInstruction) {
  const SpecialFunctionTables& tables = profiles::Sm90SpecialFunctions();
  const std::vector<uint32_t> input = Read32("input");
  int compared = 0;
  for (int k = 0; k < kInstructionCount; ++k) {
    const Instruction instruction = static_cast<Instruction>(k);
    if (instruction == Instruction::kSinApproxF32 || instruction == Instruction::kCosApproxF32 ||
        instruction == Instruction::kMufuSin || instruction == Instruction::kMufuCos) {
      continue;
    }
    const std::vector<uint32_t> expected = Read32(std::string(Name(instruction)));
    BOOST_REQUIRE_EQUAL(expected.size(), input.size());
    int bad = 0;
    for (size_t i = 0; i < input.size(); ++i) {
      const float y = Evaluate(tables, instruction, arith::FromBits(input[i]));
      if (arith::ToBits(y) == expected[i]) continue;
      if (++bad > 4) continue;
      BOOST_ERROR(Name(instruction) << " of " << std::hex << input[i] << ": " << arith::ToBits(y)
                                    << ", hardware " << expected[i]);
    }
    BOOST_TEST(bad == 0, Name(instruction) << ": " << bad << " of " << input.size() << " differ");
    ++compared;
  }
  BOOST_TEST(compared == 13);
}

struct HalfForm {
  const char* name;
  std::function<uint16_t(uint16_t)> function;
};

// All 65536 inputs of each half-precision form.
BOOST_AUTO_TEST_CASE(HalfFormsOfAllInputs) {
  const SpecialFunctionTables& tables = profiles::Sm90SpecialFunctions();
  const HalfForm forms[] = {
      {"tanh.approx.f16", [&](uint16_t x) { return TanhF16(tables, x); }},
      {"tanh.approx.bf16", [&](uint16_t x) { return TanhBf16(tables, x); }},
      {"ex2.approx.f16", [&](uint16_t x) { return Ex2F16(tables, x); }},
      {"ex2.approx.ftz.bf16", [&](uint16_t x) { return Ex2FtzBf16(tables, x); }},
  };
  for (const HalfForm& form : forms) {
    const auto expected = testing::ReadSilicon<uint16_t>(kFile, std::string("half16/") + form.name);
    BOOST_REQUIRE_EQUAL(expected.size(), 65536u);
    int bad = 0;
    for (uint32_t x = 0; x < 65536; ++x) {
      if (form.function(static_cast<uint16_t>(x)) != expected[x]) ++bad;
    }
    BOOST_TEST(bad == 0, form.name << ": " << bad << " of 65536 differ");
  }
}

BOOST_AUTO_TEST_CASE(NamesAreReadBack) {
  for (int k = 0; k < kInstructionCount; ++k) {
    const Instruction instruction = static_cast<Instruction>(k);
    BOOST_TEST((ParseInstruction(Name(instruction)) == instruction));
  }
  BOOST_TEST(!ParseInstruction("ex2.approx").has_value());
}

}  // namespace
}  // namespace samebits::units
