// One case on the CPU model.
#ifndef SAMEBITS_GOLDEN_RUN_CASE_H_
#define SAMEBITS_GOLDEN_RUN_CASE_H_

#include <vector>

#include "golden/case.h"
#include "golden/memory_image.h"
#include "model/kernel.h"

namespace samebits::golden {

struct ModelRun {
  TensorSet results;                 // taps in dataflow order (with taps), outputs
  std::vector<Trespass> trespasses;  // empty, unless the model has a defect
};

/// Runs the model in poisoned memory. `config` is complete, `inputs` as Kernel::GenerateInputs made
/// them. The bits do not depend on `threads`.
ModelRun RunModel(const Kernel& kernel, const Settings& config, const Contract& contract, bool taps,
                  const TensorSet& inputs, int threads);

/// Inputs, taps (with taps) and outputs of a case. Throws std::logic_error if the model trespasses.
TensorSet ComputeCase(const CaseSpec& spec, const Contract& contract, bool taps, int threads);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_RUN_CASE_H_
