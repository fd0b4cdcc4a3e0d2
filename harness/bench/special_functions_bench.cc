#include "harness/bench/special_functions_bench.h"

#include <cstddef>
#include <random>
#include <vector>

#include "model/profiles/special_functions_sm_90.h"
#include "model/units/special_functions.h"

namespace samebits::harness {
namespace {

constexpr size_t kCount = 4096;  // fits the first-level cache

std::vector<float> Arguments() {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(0.01f, 20.0f);
  std::vector<float> values(kCount);
  for (float& value : values) value = uniform(generator);
  return values;
}

void BenchPair(const std::string& name, const std::function<void()>& vector,
               const std::function<void()>& plain, int repetitions, BenchResult* result) {
  const std::function<void()> bodies[] = {vector, plain};
  const std::vector<double> seconds = MedianSeconds(bodies, repetitions);
  const std::string unit = "ns/evaluation";
  result->measurements.push_back({name, seconds[0] / kCount * 1e9, unit});
  result->measurements.push_back({name + ", plain", seconds[1] / kCount * 1e9, unit});
  result->ratios.push_back({name + ", plain", name, seconds[1] / seconds[0], {}, 0});
}

}  // namespace

BenchResult BenchSpecialFunctions(int repetitions) {
  using units::Instruction;
  const units::SpecialFunctionTables& tables = profiles::Sm90SpecialFunctions();
  const std::vector<float> x = Arguments();
  std::vector<float> y(kCount);
  BenchResult result;
  for (Instruction instruction : {Instruction::kEx2ApproxF32, Instruction::kRcpApproxF32,
                                  Instruction::kSqrtApproxF32, Instruction::kRsqrtApproxF32}) {
    BenchPair(
        std::string(units::Name(instruction)),
        [&] {
          units::EvaluateArray(tables, instruction, x.data(), y.data(), kCount);
          Keep(y[0]);
        },
        [&] {
          for (size_t i = 0; i < kCount; ++i) y[i] = units::Evaluate(tables, instruction, x[i]);
          Keep(y[0]);
        },
        repetitions, &result);
  }
  BenchPair(
      "div.full.f32",
      [&] {
        units::DivFullArray(tables, x.data(), x.data(), y.data(), kCount);
        Keep(y[0]);
      },
      [&] {
        for (size_t i = 0; i < kCount; ++i) y[i] = units::DivFull(tables, x[i], x[i]);
        Keep(y[0]);
      },
      repetitions, &result);
  return result;
}

}  // namespace samebits::harness
