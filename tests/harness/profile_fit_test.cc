// Fits of made-up units, from captures alone.
#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <vector>

#include "gpu/probe/apply.h"
#include "harness/profile/chip.h"
#include "harness/profile/profile.h"
#include "model/arith/float32.h"
#include "model/profiles/matrix_units.h"
#include "model/profiles/special_functions_sm_90.h"
#include "tests/harness/synthetic_chip.h"

namespace samebits::harness::profile {
namespace {

using gpu::probe::Of;
using testing::Synthetic;
using testing::SyntheticRows;
using testing::SyntheticTable;
using units::Instruction;

Capture CaptureOf(const units::SpecialFunctionTables& tables, Instruction instruction, int blocks) {
  gpu::probe::Chip chip;
  chip.special = tables;
  const auto prober = gpu::probe::OpenModelProber(chip, 2);
  return TakeCapture(*prober, "model",
                     {.blocks = blocks, .only = {Of(instruction)}, .progress = {}});
}

FunctionFit Fit(const Capture& capture) {
  FitOptions options;
  options.threads = 2;
  const SpecialFit fit = FitSpecial(capture, options);
  BOOST_REQUIRE(!fit.functions.empty());
  return fit.functions.front();
}

/// Inputs whose blocks were not recorded, too.
int Differences(const units::SpecialFunctionTables& a, const units::SpecialFunctionTables& b,
                Instruction instruction) {
  std::mt19937 random(9);
  int differ = 0;
  for (int i = 0; i < 200000; ++i) {
    const uint32_t x = i % 2 == 0 ? random() : 0x3F800000u + (random() & 0xFFFFFFu);
    differ += gpu::probe::Apply(a, Of(instruction), x) != gpu::probe::Apply(b, Of(instruction), x);
  }
  return differ;
}

struct MadeUp {
  const char* name;
  const char* function;
  Instruction instruction;
  SyntheticTable table;
  std::vector<double> binades;
  std::function<double(double)> f;
};

/// Other segment counts, columns, widths and biases than any chip that we know.
std::vector<MadeUp> MadeUps() {
  const std::vector<double> one = {1.0}, two = {1.0, 2.0};
  const auto exp2 = [](double m) { return std::exp2(m - 1); };
  const auto inverse = [](double m) { return 1 / m; };
  return {
      {"2^x, 32 segments",
       "ex2",
       Instruction::kEx2ApproxFtzF32,
       {5, 20, 40, 14, 2, 1, 5000},
       one,
       exp2},
      {"2^x, 128 segments, narrow",
       "ex2",
       Instruction::kEx2ApproxFtzF32,
       {7, 18, 38, 13, 1, 0, -901},
       one,
       exp2},
      {"1/x, 256 segments",
       "rcp",
       Instruction::kRcpApproxFtzF32,
       {8, 14, 40, 14, 2, 1, 777},
       one,
       inverse},
      {"1/x, every column of 64 segments",
       "rcp",
       Instruction::kRcpApproxFtzF32,
       {6, 19, 42, 15, 3, 0, 8000},
       one,
       inverse},
      {"1/sqrt(x), 32 segments",
       "rsq",
       Instruction::kRsqrtApproxFtzF32,
       {5, 21, 41, 15, 1, 2, 100},
       two,
       [](double m) { return 1 / std::sqrt(m); }},
      {"sqrt(x), 16 segments",
       "sqrt",
       Instruction::kSqrtApproxFtzF32,
       {4, 17, 40, 14, 0, 1, -3},
       two,
       [](double m) { return std::sqrt(m); }},
      {"log2(x), 128 segments",
       "lg2",
       Instruction::kLg2ApproxFtzF32,
       {7, 17, 38, 11, 0, 1, 900},
       one,
       [](double m) { return std::log2(m); }},
  };
}

BOOST_AUTO_TEST_CASE(MadeUpTablesAreRecovered) {
  for (const MadeUp& made : MadeUps()) {
    const auto rows = SyntheticRows(made.table, made.binades, made.f);
    units::SpecialFunctionTables tables;
    TableNamed(made.function, &tables) = Synthetic(made.table, rows);
    const FunctionFit fit = Fit(CaptureOf(tables, made.instruction, 24));
    BOOST_TEST((fit.form == FunctionFit::Form::kInterpolated), made.name << ": " << fit.failure);
    if (fit.form != FunctionFit::Form::kInterpolated) continue;
    BOOST_TEST(fit.exact(), made.name);
    BOOST_TEST(fit.table.low_bits == 23 - made.table.index_bits, made.name);
    BOOST_TEST(fit.table.square_first_column == made.table.square_first_column, made.name);
    BOOST_TEST(Differences(tables, TablesOf(fit), made.instruction) == 0, made.name);
  }
}

// tanh has another number of segments in each binade.
BOOST_AUTO_TEST_CASE(TanhOfTheModelIsRecovered) {
  const FunctionFit fit =
      Fit(CaptureOf(profiles::Sm90SpecialFunctions(), Instruction::kTanhApproxF32, 512));
  BOOST_TEST(fit.exact(), fit.failure);
  const auto& binades = profiles::Sm90SpecialFunctions().tanh_binades;
  BOOST_REQUIRE_EQUAL(fit.binades.size(), binades.size());
  for (size_t i = 0; i < binades.size(); ++i) {
    BOOST_TEST(fit.binades[i].index_bits == binades[i].index_bits);
  }
}

BOOST_AUTO_TEST_CASE(CorrectRoundingIsRecognised) {
  const FunctionFit fit = Fit(
      CaptureOf(profiles::CorrectlyRoundedSpecialFunctions(), Instruction::kRsqrtApproxFtzF32, 4));
  BOOST_TEST((fit.form == FunctionFit::Form::kCorrectlyRounded));
  BOOST_TEST(fit.exact());
}

// One unit of the last place added to results at random: no table gives that.
BOOST_AUTO_TEST_CASE(AUnitOutsideTheFamilyIsReported) {
  Capture capture = CaptureOf(profiles::Sm90SpecialFunctions(), Instruction::kRcpApproxFtzF32, 16);
  for (size_t i = 0; i < capture.unary[0].results.size(); i += 3) ++capture.unary[0].results[i];
  const FunctionFit fit = Fit(capture);
  BOOST_TEST((fit.form == FunctionFit::Form::kNotFitted));
  BOOST_TEST(!fit.failure.empty());
  BOOST_TEST(!fit.exact());
}

// Fingerprints, not samples, prove: one that differs is named.
BOOST_AUTO_TEST_CASE(ABlockThatDiffersIsNamed) {
  Capture capture = CaptureOf(profiles::Sm90SpecialFunctions(), Instruction::kRcpApproxFtzF32, 16);
  capture.unary[0].fingerprints[5] ^= 1;
  const FunctionFit fit = Fit(capture);
  BOOST_REQUIRE(fit.proofs.size() == 1);
  BOOST_TEST(fit.proofs[0].bad_blocks == std::vector<uint16_t>{capture.blocks[5]});
  BOOST_TEST(!fit.exact());
}

MatrixCapture MatrixOf(const units::MatrixUnit& unit, const MatrixCases& cases) {
  MatrixCapture matrix;
  matrix.name = "made up";
  matrix.m = matrix.n = 8;
  matrix.k = cases.k;
  matrix.placements = 1;
  const auto k = static_cast<size_t>(cases.k);
  for (size_t i = 0; i < cases.size(); ++i) {
    matrix.results.push_back(arith::ToBits(
        units::Dot(unit, &cases.a[i * k], &cases.b[i * k], cases.k, arith::FromBits(cases.c[i]))));
  }
  return matrix;
}

struct MadeUpUnit {
  const char* name;
  units::MatrixUnit unit;
};

std::vector<MadeUpUnit> MadeUpUnits() {
  using units::BlockSum;
  const auto named = [](const char* name, int k) {
    units::MatrixUnit unit = profiles::FindMatrixUnit(name)->unit;
    unit.instruction_k = k;
    return unit;
  };
  std::vector<MadeUpUnit> units = {
      {"join", named("sm_90.mma_sync", 16)},       {"late", named("gfx942.mfma_16x16x16", 16)},
      {"late of 32", named("gfx950.late_16", 32)}, {"pair", named("gfx90a.mfma_bf16_1k", 16)},
      {"exact", named("gfx908.mfma_bf16", 8)},
  };
  units::MatrixUnit join = named("sm_90.mma_sync", 16);
  join.products_per_block = 4;
  join.fraction_bits = 27;
  join.exponent_floor = -130;
  join.rounding = units::Rounding::kNearestEven;
  join.nan_bits = 0x7FC00000u;
  units.push_back({"join with other widths", join});
  units::MatrixUnit late = named("gfx942.mfma_16x16x16", 16);
  late.products_per_block = 16;
  late.fraction_bits = 26;
  late.dot_fraction_bits = 30;
  late.c_fraction_bits = 26;
  late.normalised_fraction_bits = 28;
  late.product_overflow = false;
  units.push_back({"late with other widths", late});
  units::MatrixUnit pair = named("gfx90a.mfma_bf16_1k", 16);
  pair.products_per_block = 8;
  pair.flush_results = false;
  units.push_back({"pair of eight without flushing", pair});
  return units;
}

BOOST_AUTO_TEST_CASE(MadeUpMatrixUnitsAreRecovered) {
  for (const MadeUpUnit& made : MadeUpUnits()) {
    Capture capture;
    capture.cases.push_back(MakeMatrixCases(made.unit.instruction_k));
    const MatrixCapture matrix = MatrixOf(made.unit, capture.cases[0]);
    const MatrixFit fit = FitMatrix(capture, matrix, 2);
    BOOST_TEST(fit.exact(), made.name << ": misses " << fit.misses);
    BOOST_TEST((fit.unit.op == made.unit.op), made.name);
    BOOST_TEST(fit.unit.nan_bits == made.unit.nan_bits, made.name);
    for (const Sensitivity& s : fit.parameters) {
      BOOST_TEST_MESSAGE(made.name << ": " << s.parameter << " " << s.value << " same "
                                   << s.same.size());
    }
    // Whatever the cases do not decide does not show in other operands either.
    MatrixCases others = MakeMatrixCases(made.unit.instruction_k);
    std::shuffle(others.c.begin(), others.c.end(), std::mt19937(5));
    BOOST_TEST(MatrixMisses(others, MatrixOf(made.unit, others).results, fit.unit) == 0, made.name);
  }
}

// Results that no sum of the family gives.
BOOST_AUTO_TEST_CASE(AMatrixUnitOutsideTheFamilyIsReported) {
  Capture capture;
  capture.cases.push_back(MakeMatrixCases(4));
  MatrixCapture matrix = MatrixOf(units::MatrixUnit{.instruction_k = 4}, capture.cases[0]);
  for (size_t i = 0; i < matrix.results.size(); i += 7) matrix.results[i] ^= 1;
  const MatrixFit fit = FitMatrix(capture, matrix, 2);
  BOOST_TEST(!fit.exact());
  BOOST_TEST(fit.misses > 0);
  BOOST_TEST(!fit.missed.empty());
}

}  // namespace
}  // namespace samebits::harness::profile
