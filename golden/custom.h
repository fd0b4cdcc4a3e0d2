// Cases whose inputs are no function of a style and a seed: minimised or captured ones. Such a case
// has the style "custom", its inputs stand in the file, and its seed is taken from them, so that
// the id of the case names them.
#ifndef SAMEBITS_GOLDEN_CUSTOM_H_
#define SAMEBITS_GOLDEN_CUSTOM_H_

#include <cstdint>
#include <string_view>

#include "golden/dataset.h"

namespace samebits::golden {

inline constexpr std::string_view kCustomStyle = "custom";

/// The first 64 bits of XXH3-128 of the lines of the inputs (TensorLine, each ended by a newline).
uint64_t CustomSeed(const TensorSet& tensors);
uint64_t CustomSeed(const CaseEntry& entry);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_CUSTOM_H_
