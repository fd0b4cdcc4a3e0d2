// The canonical text of a case: what its digest covers, what the journal keeps, and (tensor lines)
// what the dataset `tensors` of a case holds.
#ifndef SAMEBITS_GOLDEN_CASE_TEXT_H_
#define SAMEBITS_GOLDEN_CASE_TEXT_H_

#include <string>
#include <string_view>

#include "golden/dataset.h"

namespace samebits::golden {

/// "outputs/state f32 slots=3,heads=2,v=128,k=128 XXH3"; a scalar has "scalar" instead of the
/// dimensions.
std::string TensorLine(const TensorEntry& entry);
/// Throws std::invalid_argument: not such a line.
TensorEntry ParseTensorLine(std::string_view line);

/// Lines "id=...", "index=...", "style=...", "seed=...", "config.AXIS=..." and "tensor ..." for
/// each tensor.
std::string CaseText(const CaseEntry& entry);
/// Throws std::invalid_argument.
CaseEntry ParseCaseText(std::string_view text);

/// Decimal digits alone. Throws std::invalid_argument.
uint64_t ParseUnsigned(std::string_view text);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_CASE_TEXT_H_
