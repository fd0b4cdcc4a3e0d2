// A launch of kda_pre on the host through model/kernel.h's plan, for tests.
#ifndef SAMEBITS_TESTS_MODEL_KDA_PRE_CASE_H_
#define SAMEBITS_TESTS_MODEL_KDA_PRE_CASE_H_

#include <span>
#include <string_view>

#include "golden/memory_image.h"
#include "model/kda_pre/config.h"
#include "model/kda_pre/contract.h"
#include "model/kda_pre/run.h"
#include "model/tensor.h"

namespace samebits::kda_pre {

/// Inputs of a configuration in a style, from the generator of golden files.
TensorSet MakeInputs(const Config& config, std::string_view style = "realistic", uint64_t seed = 1);

/// Taps and outputs; fails the test if anything else was written.
TensorSet RunModel(const Config& config, const TensorSet& inputs, const Choices& choices = {},
                   int threads = 2, Path path = Path::kFast);

/// The name of the first tensor that differs, empty if none does.
std::string FirstDifference(const TensorSet& a, const TensorSet& b);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_TESTS_MODEL_KDA_PRE_CASE_H_
