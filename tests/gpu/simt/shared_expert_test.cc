// The kernels' sources on the executor equal the model, with the bytes that belong to no operand,
// for every schedule: sm_90a in all variants, sm_100a (with its own matrix unit) in SPLIT.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "golden/inputs.h"
#include "golden/memory_image.h"
#include "gpu/shared_expert/simt.h"
#include "model/shared_expert/kernel.h"

namespace samebits::gpu::shared_expert {
namespace {

using golden::MemoryImage;

constexpr uint64_t kSchedules = 8;

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

  MemoryImage RunModel(const char* contract) const {
    const Kernel& kernel = samebits::shared_expert::GetKernel();
    MemoryImage image = NewImage();
    kernel.Run(settings_, kernel.NamedContract(contract), taps_, image.addresses(), 2);
    return image;
  }
  MemoryImage RunKernels(Target target, uint64_t schedule) const {
    MemoryImage image = NewImage();
    RunCaseOnHost(target, samebits::shared_expert::ParseConfig(settings_), plan_,
                  {.taps = taps_, .schedule = schedule}, image.addresses());
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

void ExpectEqual(const Settings& settings, const char* style, uint64_t schedules = kSchedules,
                 const std::vector<Target>& targets = {Target::kHopper}) {
  const Case c(settings, true, style);
  for (const Target target : targets) {
    const bool hopper = target == Target::kHopper;
    const MemoryImage model = c.RunModel(hopper ? "shared_expert.sm_90" : "shared_expert.sm_100");
    for (uint64_t schedule = 0; schedule < schedules; ++schedule) {
      BOOST_TEST_CONTEXT((hopper ? "sm_90a" : "sm_100a") << ", schedule " << schedule) {
        BOOST_TEST(FirstDifference(c.plan(), c.RunKernels(target, schedule), model) == "");
      }
    }
  }
}

/// Eight ranks, ks 5, two M-tiles of a rank, one K block of down; `more` wins.
Settings Reduced(Settings more) {
  more.merge(Settings{{"tp", "8"},
                      {"width", "512"},
                      {"intermediate", "512"},
                      {"grid", "10"},
                      {"latent", "256"},
                      {"experts", "64"},
                      {"capacity", "+1"},
                      {"rank", "3"}});
  return more;
}

BOOST_AUTO_TEST_SUITE(shared_expert_on_simt)

BOOST_AUTO_TEST_CASE(fused) {
  ExpectEqual(Reduced({{"batch", "9"}}), "realistic");
  ExpectEqual(Reduced({{"batch", "33"}, {"parity", "1"}}), "specials", 2);
}

BOOST_AUTO_TEST_CASE(counters_and_exchange_serve_again) {
  ExpectEqual(Reduced({{"batch", "5"}, {"steps", "3"}, {"rank", "-1"}, {"consumer", "1"}}),
              "cancelling", 2);
}

BOOST_AUTO_TEST_CASE(split) {
  ExpectEqual(Reduced({{"variant", "split"}, {"batch", "17"}, {"sms", "3"}}), "realistic",
              kSchedules, {Target::kHopper, Target::kBlackwell});
}

BOOST_AUTO_TEST_CASE(front) {
  ExpectEqual(Reduced({{"variant", "front"},
                       {"batch", "9"},
                       {"sms", "5"},
                       {"front_split", "+8"},
                       {"front_rows", "+20"},
                       {"front_pitch", "+8"}}),
              "realistic");
}

// Owners of four columns, more K blocks than stages, several down blocks.
BOOST_AUTO_TEST_CASE(clusters_of_ten) {
  ExpectEqual({{"tp", "16"},
               {"batch", "10"},
               {"width", "1024"},
               {"intermediate", "2048"},
               {"grid", "40"},
               {"latent", "512"},
               {"experts", "128"},
               {"capacity", "+0"},
               {"rank", "15"}},
              "realistic", 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::shared_expert
