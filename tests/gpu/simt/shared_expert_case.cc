#include "tests/gpu/simt/shared_expert_case.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "golden/inputs.h"
#include "golden/memory_image.h"
#include "model/shared_expert/axes.h"
#include "model/shared_expert/kernel.h"

namespace samebits::gpu::shared_expert {
namespace {

using golden::MemoryImage;

/// Name of the first tensor that differs, "" if all bytes of all allocations are equal.
std::string FirstDifference(const MemoryPlan& plan, const MemoryImage& a, const MemoryImage& b) {
  for (size_t i = 0; i < plan.allocations.size(); ++i) {
    const auto x = a.block(i), y = b.block(i);
    for (size_t at = 0; at < x.size(); ++at) {
      if (x[at] != y[at]) {
        return plan.allocations[i].name + " byte " +
               std::to_string(static_cast<int64_t>(at) - MemoryImage::kGuardBytes);
      }
    }
  }
  return "";
}

class Case {
 public:
  Case(const Settings& partial, bool taps, const char* style) : taps_(taps) {
    const Kernel& kernel = samebits::shared_expert::GetKernel();
    settings_ = kernel.Complete(partial);
    plan_ = kernel.Plan(settings_, taps);
    const golden::CaseSpec spec{
        .kernel = &kernel, .config = settings_, .style = style, .seed = partial.size()};
    inputs_ = golden::GenerateInputs(spec, 2);
  }

  MemoryImage RunModel(Target target) const {
    const Kernel& kernel = samebits::shared_expert::GetKernel();
    const char* contract =
        target == Target::kHopper ? "shared_expert.sm_90" : "shared_expert.sm_100";
    MemoryImage image = NewImage();
    kernel.Run(settings_, kernel.NamedContract(contract), taps_, image.addresses(), 2);
    return image;
  }
  MemoryImage RunKernels(Target target, uint64_t schedule) const {
    MemoryImage image = NewImage();
    const std::vector<void*> addresses = image.addresses();
    RunCaseOnHost(target, samebits::shared_expert::ReadConfig(settings_), plan_,
                  {.taps = taps_, .schedule = schedule}, {&addresses, 1});
    return image;
  }
  const MemoryPlan& plan() const { return plan_; }

 private:
  MemoryImage NewImage() const {
    MemoryImage image(plan_);
    for (const Tensor& input : inputs_.tensors) image.Scatter(input);
    return image;
  }

  bool taps_;
  Settings settings_;
  MemoryPlan plan_;
  TensorSet inputs_;
};

}  // namespace

void ExpectEqual(Target target, const Settings& partial, const char* style, uint64_t schedules) {
  const Case c(partial, true, style);
  const MemoryImage model = c.RunModel(target);
  for (uint64_t schedule = 0; schedule < schedules; ++schedule) {
    BOOST_TEST_CONTEXT((target == Target::kHopper ? "sm_90a" : "sm_100a")
                       << ", schedule " << schedule) {
      BOOST_TEST(FirstDifference(c.plan(), c.RunKernels(target, schedule), model) == "");
    }
  }
}

}  // namespace samebits::gpu::shared_expert
