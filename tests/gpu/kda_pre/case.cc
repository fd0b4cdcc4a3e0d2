#include "tests/gpu/kda_pre/case.h"

#include <optional>

#include "golden/memory_image.h"
#include "model/kda_pre/axes.h"
#include "model/kda_pre/contract.h"
#include "model/kda_pre/plan.h"
#include "tests/model/kda_pre/case.h"

namespace samebits::gpu::kda_pre {

Case::Case(const samebits::kda_pre::Config& c, const AmdTarget& t) : config(c), target(t) {
  config.validate();
  inputs = samebits::kda_pre::MakeInputs(config);
  const Contract contract =
      samebits::kda_pre::ContractTable().Named("kda_pre." + std::string(target.name));
  expected = samebits::kda_pre::RunModel(config, inputs, samebits::kda_pre::ReadChoices(contract));
}

std::string Case::Run(uint64_t schedule, bool taps, const ThreadBody& body,
                      HostScratch* scratch) const {
  const MemoryPlan plan = samebits::kda_pre::MakePlan(config, taps);
  golden::MemoryImage image(plan);
  for (const Tensor& tensor : inputs.tensors) image.Scatter(tensor);
  const std::vector<void*> addresses = image.addresses();
  if (body) {
    std::optional<HostScratch> own;
    HostScratch& memory = scratch != nullptr ? *scratch : own.emplace(config);
    const HostLaunch launch = PrepareHostLaunch(config, target, plan, taps, memory, addresses);
    for (int step = 0; step < config.steps; ++step) {
      memory.SetEpoch(config.epoch + step);
      RunHostStep(launch, schedule + static_cast<uint64_t>(step), body);
    }
  } else {
    LaunchOptions options;
    options.taps = taps;
    options.schedule = schedule;
    SimtKdaPre(target).Launch(samebits::kda_pre::WriteConfig(config), options, addresses);
  }
  for (const golden::Trespass& trespass : image.CheckUntouched(inputs)) {
    return "written: " + trespass.where;
  }
  return samebits::kda_pre::FirstDifference(image.GatherResults(), expected);
}

}  // namespace samebits::gpu::kda_pre
