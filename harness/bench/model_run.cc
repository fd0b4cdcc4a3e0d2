#include "harness/bench/model_run.h"

#include "golden/inputs.h"

namespace samebits::harness {

ModelRun::ModelRun(const Kernel& kernel, const Settings& config, int threads)
    : kernel_(kernel),
      config_(kernel.Complete(config)),
      contract_(kernel.NamedContract("")),
      threads_(threads),
      image_(kernel.Plan(config_, false)) {
  golden::CaseSpec spec;
  spec.kernel = &kernel_;
  spec.config = config_;
  for (const Tensor& input : golden::GenerateInputs(spec, threads).tensors) image_.Scatter(input);
}

void ModelRun::Run() { kernel_.Run(config_, contract_, false, image_.addresses(), threads_); }

}  // namespace samebits::harness
