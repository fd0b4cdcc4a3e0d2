// Defects that show between launches: `verify --repeat` tells what varies from what is wrong.
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <functional>
#include <memory>

#include "golden/inputs.h"
#include "golden/run_case.h"
#include "harness/model_backend.h"
#include "harness/verify_case.h"
#include "model/kernel.h"

namespace samebits::defects {
namespace {

using harness::VerifiedCase;

/// A kernel whose contract depends on the order in which its threads happen to run.
class OrderedKernel : public gpu::DeviceKernel {
 public:
  using Choices = std::function<Settings(uint64_t schedule)>;
  OrderedKernel(const Kernel& kernel, Choices choices)
      : kernel_(kernel), choices_(std::move(choices)) {}
  std::string_view kernel() const override { return kernel_.name(); }
  std::string_view contract() const override { return "ordered"; }
  gpu::LaunchInfo Launch(const Settings& config, const gpu::LaunchOptions& options,
                         std::span<void* const> addresses) const override {
    Contract contract = kernel_.NamedContract("");
    for (const auto& [name, value] : choices_(options.schedule)) contract.choices.at(name) = value;
    kernel_.Run(config, contract, options.taps, addresses, 2);
    return {"ordered", ""};
  }

 protected:
  const Kernel& kernel_;

 private:
  Choices choices_;
};

/// One that also writes behind the end of an allocation.
class TrespassingKernel final : public OrderedKernel {
 public:
  TrespassingKernel(const Kernel& kernel, std::string allocation)
      : OrderedKernel(kernel, [](uint64_t) { return Settings(); }),
        allocation_(std::move(allocation)) {}
  gpu::LaunchInfo Launch(const Settings& config, const gpu::LaunchOptions& options,
                         std::span<void* const> addresses) const override {
    const MemoryPlan plan = kernel_.Plan(config, options.taps);
    for (size_t i = 0; i < plan.allocations.size(); ++i) {
      if (plan.allocations[i].name != allocation_) continue;
      std::memset(static_cast<std::byte*>(addresses[i]) + plan.allocations[i].bytes, 0, 2);
    }
    return OrderedKernel::Launch(config, options, addresses);
  }

 private:
  std::string allocation_;
};

VerifiedCase Verify(const Kernel& kernel, const Settings& settings, const std::string& style,
                    std::shared_ptr<const gpu::DeviceKernel> device_kernel) {
  const Settings config = kernel.Complete(settings);
  const Contract contract = kernel.NamedContract("");
  const TensorSet inputs = golden::GenerateInputs({&kernel, config, style, 0}, 2);
  harness::Expectation expected;
  expected.tensors = golden::RunModel(kernel, config, contract, true, inputs, 2).results;
  const harness::Target target = {"test", std::make_unique<harness::HostDevice>(),
                                  std::move(device_kernel), contract};
  harness::VerifyRequest request;
  request.launch.taps = true;
  request.launch.schedule = 7;
  request.repeat = 6;
  return harness::VerifyCase(kernel, target, config, inputs, expected, request);
}

const Settings kConsumer = {{"tp", "8"},        {"width", "512"},  {"intermediate", "512"},
                            {"grid", "10"},     {"latent", "256"}, {"experts", "128"},
                            {"capacity", "+1"}, {"batch", "4"},    {"consumer", "1"}};
const Settings kDecode = {{"tokens", "2"}, {"heads", "2"}, {"requests", "2"}};

}  // namespace

BOOST_AUTO_TEST_SUITE(repeat)

/// flashinfer-ai/flashinfer#5221: slices are added in the order in which they arrive.
BOOST_AUTO_TEST_CASE(sums_in_order_of_arrival_are_unstable) {
  const Kernel& kernel = *FindKernel("shared_expert");
  const char* orders[] = {"ascending", "descending", "pairwise"};
  const VerifiedCase verified =
      Verify(kernel, kConsumer, "discriminating",
             std::make_shared<OrderedKernel>(kernel, [&](uint64_t schedule) {
               return Settings{{"consumer_sum", orders[schedule % 3]}};
             }));
  BOOST_TEST(verified.report.verdict() == "unstable");
  BOOST_REQUIRE(!verified.report.variations.empty());
  BOOST_TEST(verified.report.variations.front().spec.name == "reduced");
  BOOST_TEST(verified.report.variations.front().runs >= 3);
}

/// vllm-project/vllm#50649: a racy tuning configuration; some launches are right.
BOOST_AUTO_TEST_CASE(a_race_is_unstable_although_most_launches_are_right) {
  const Kernel& kernel = *FindKernel("kda_decode");
  const VerifiedCase verified = Verify(
      kernel, kDecode, "realistic", std::make_shared<OrderedKernel>(kernel, [](uint64_t schedule) {
        return schedule == 10 ? Settings{{"decay_position", "after_dot"}} : Settings();
      }));
  BOOST_TEST(verified.report.verdict() == "unstable");
  BOOST_REQUIRE(!verified.report.variations.empty());
  BOOST_TEST(verified.report.variations.front().runs == 1);
  BOOST_TEST(verified.report.variations.front().spec.name == "dot");
}

/// lablup/mlxcel#911: taken for a race, but every launch is wrong alike.
BOOST_AUTO_TEST_CASE(a_rounding_that_looks_like_a_race_is_stable) {
  const Kernel& kernel = *FindKernel("kda_decode");
  const VerifiedCase verified =
      Verify(kernel, kDecode, "realistic", std::make_shared<OrderedKernel>(kernel, [](uint64_t) {
               return Settings{{"out_rounding", "bf16_rz"}};
             }));
  BOOST_TEST(verified.report.verdict() == "divergent");
  BOOST_TEST(verified.report.variations.empty());
  BOOST_TEST(verified.report.diffs.front().spec.name == "out.raw");
}

/// fla-org/flash-linear-attention#913: accesses out of bounds.
BOOST_AUTO_TEST_CASE(a_write_out_of_bounds_is_found_where_it_is) {
  const Kernel& kernel = *FindKernel("kda_decode");
  const VerifiedCase verified =
      Verify(kernel, kDecode, "realistic", std::make_shared<TrespassingKernel>(kernel, "state"));
  BOOST_TEST(verified.report.verdict() == "divergent");
  BOOST_REQUIRE(!verified.report.trespasses.empty());
  BOOST_TEST(verified.report.trespasses.front().where == "guard zone after state");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::defects
