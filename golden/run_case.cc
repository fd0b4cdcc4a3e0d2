#include "golden/run_case.h"

#include <stdexcept>
#include <utility>

#include "golden/inputs.h"

namespace samebits::golden {

ModelRun RunModel(const Kernel& kernel, const Settings& config, const Contract& contract, bool taps,
                  const TensorSet& inputs, int threads) {
  MemoryImage image(kernel.Plan(config, taps));
  for (const Tensor& tensor : inputs.tensors) image.Scatter(tensor);
  const std::vector<void*> addresses = image.addresses();
  kernel.Run(config, contract, taps, addresses, threads);
  return {image.GatherResults(), image.CheckUntouched(inputs)};
}

TensorSet ComputeCase(const CaseSpec& spec, const Contract& contract, bool taps, int threads) {
  TensorSet set = GenerateInputs(spec, threads);
  ModelRun run = RunModel(*spec.kernel, spec.config, contract, taps, set, threads);
  if (!run.trespasses.empty()) {
    throw std::logic_error("model of " + std::string(spec.kernel->name()) + " wrote to " +
                           run.trespasses.front().where + ", byte " +
                           std::to_string(run.trespasses.front().offset));
  }
  for (Tensor& tensor : run.results.tensors) set.tensors.push_back(std::move(tensor));
  return set;
}

}  // namespace samebits::golden
