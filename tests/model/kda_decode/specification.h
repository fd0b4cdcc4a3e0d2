// SPEC.md sections 2 to 5 a second time, as plain loops over dense tensors: shares only the
// operations on single values and the hardware units with the model.
#ifndef SAMEBITS_TESTS_MODEL_KDA_DECODE_SPECIFICATION_H_
#define SAMEBITS_TESTS_MODEL_KDA_DECODE_SPECIFICATION_H_

#include "tests/model/kda_decode/case.h"

namespace samebits::kda_decode::testing {

/// Outputs of the default contract: output, conv_state, and state or the records. What the
/// specification leaves unwritten has its input bits, or the poison of tensor.h.
TensorSet SpecifiedOutputs(const Case& c);

}  // namespace samebits::kda_decode::testing

#endif  // SAMEBITS_TESTS_MODEL_KDA_DECODE_SPECIFICATION_H_
