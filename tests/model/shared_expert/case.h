// One case in memory for tests: generated inputs, a run of the model, and its results.
#ifndef SAMEBITS_TESTS_MODEL_SHARED_EXPERT_CASE_H_
#define SAMEBITS_TESTS_MODEL_SHARED_EXPERT_CASE_H_

#include <span>
#include <string>
#include <string_view>

#include "model/kernel.h"
#include "model/shared_expert/config.h"
#include "model/shared_expert/contract.h"
#include "model/shared_expert/math.h"

namespace samebits::shared_expert::testing {

/// `changes` on top of a reduced geometry of tp 2 (ks 4), 8 (ks 5) or 16 (ks 10), whose h columns
/// are 64 per rank; FRONT has ks 4, 4 and 8.
Settings Small(int tp, const Settings& changes = {});

struct Case {
  Config config;
  TensorSet inputs;
};
Case MakeCase(const Settings& settings, const std::string& style = "realistic", uint64_t seed = 1);

/// Taps and outputs. Throws if anything but them was written.
TensorSet Run(const Case& c, const Choices& choices = {}, Path path = Path::kFast, int threads = 1,
              bool taps = true);

std::span<uint16_t> Bf16(TensorSet* set, std::string_view input);
std::span<const uint16_t> Bf16Output(const TensorSet& set, std::string_view name);
std::span<const uint16_t> Bf16Tap(const TensorSet& set, std::string_view name);
std::span<const float> F32Tap(const TensorSet& set, std::string_view name);

/// Name of the first tensor that differs and where, "" if all are equal.
std::string FirstDifference(const TensorSet& a, const TensorSet& b);
/// Name of the first differing tensor alone.
std::string FirstDifferentTensor(const TensorSet& a, const TensorSet& b);

}  // namespace samebits::shared_expert::testing

#endif  // SAMEBITS_TESTS_MODEL_SHARED_EXPERT_CASE_H_
