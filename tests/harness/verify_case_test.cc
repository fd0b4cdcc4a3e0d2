// The verifier must see every way in which a kernel can be wrong.
#include "harness/verify_case.h"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "golden/xxh3.h"
#include "harness/compare/element.h"
#include "harness/model_backend.h"
#include "tests/harness/fake_kernel.h"

using namespace samebits;
using namespace samebits::harness;
using samebits::testing::FakeDeviceKernel;
using samebits::testing::kFakeColumns;
using samebits::testing::kFakeRows;
using samebits::testing::kFakeStride;

namespace {

using Addresses = std::span<void* const>;

float* Floats(Addresses addresses, int allocation) {
  return static_cast<float*>(addresses[static_cast<size_t>(allocation)]);
}

void FlipLowBit(void* element) {
  uint32_t bits;
  std::memcpy(&bits, element, 4);
  bits ^= 1;
  std::memcpy(element, &bits, 4);
}

struct Fixture {
  testing::FakeKernel kernel;
  TensorSet inputs;
  Expectation expected;
  VerifyRequest request;

  Fixture() {
    for (const TensorSpec& spec : Tensors(kernel.Plan({}, false))) {
      if (spec.role != Role::kInput) continue;
      Tensor tensor(spec);
      float value = 0.25f;
      for (float& element : tensor.view<float>()) element = value += 1;
      inputs.tensors.push_back(tensor);
    }
    expected.recompute = [this] {
      const Target model = OpenModel(kernel, kernel.NamedContract(""), 1);
      gpu::LaunchOptions options;
      options.taps = true;
      return RunOnBackend(kernel, model, {}, inputs, options).tensors;
    };
    expected.tensors = expected.recompute();
    request.launch.taps = true;
  }

  VerifiedCase VerifyAll(FakeDeviceKernel::Defect defect) {
    const Target target{"fake", std::make_unique<HostDevice>(),
                        std::make_shared<FakeDeviceKernel>(std::move(defect)),
                        kernel.NamedContract("")};
    return VerifyCase(kernel, target, {}, inputs, expected, request);
  }
  CaseReport Verify(FakeDeviceKernel::Defect defect) { return VerifyAll(std::move(defect)).report; }
};

void Nothing(Addresses, int) {}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(verify_case, Fixture)

BOOST_AUTO_TEST_CASE(model_values_are_what_the_kernel_says) {
  BOOST_TEST(expected.tensors.At(Role::kTap, "doubled").view<float>()[0] == 2.5f);
  BOOST_TEST(ElementBits(expected.tensors.At(Role::kOutput, "y"), kFakeColumns) == 0xFFA5A5A5u);
  const Tensor& before = inputs.At(Role::kInput, "state");
  const Tensor& after = expected.tensors.At(Role::kOutput, "state");
  BOOST_TEST(ElementBits(before, 0) == ElementBits(after, 0));
  BOOST_TEST(ElementBits(before, kFakeColumns) != ElementBits(after, kFakeColumns));
}

BOOST_AUTO_TEST_CASE(right_kernel_is_identical) {
  const VerifiedCase verified = VerifyAll(Nothing);
  BOOST_TEST(verified.report.identical());
  BOOST_TEST(verified.report.compared == 4);
  BOOST_TEST(verified.observed.launch.symbol == "fake_symbol");
}

BOOST_AUTO_TEST_CASE(launches_have_consecutive_schedules) {
  const auto fake = std::make_shared<FakeDeviceKernel>(Nothing);
  const Target target{"fake", std::make_unique<HostDevice>(), fake, kernel.NamedContract("")};
  request.launch.schedule = 5;
  request.repeat = 3;
  VerifyCase(kernel, target, {}, inputs, expected, request);
  BOOST_TEST(fake->schedules() == (std::vector<uint64_t>{5, 6, 7}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_bit_of_a_tap) {
  const CaseReport report = Verify(
      [](Addresses a, int) { FlipLowBit(Floats(a, testing::kFakeSum) + 2 * kFakeStride + 3); });
  BOOST_REQUIRE(report.diffs.size() == 1);
  BOOST_TEST(report.diffs[0].spec.name == "sum");
  BOOST_TEST(CoordinateText(report.diffs[0].spec, report.diffs[0].first.index) == "row=2 column=3");
  BOOST_TEST(report.verdict() == "divergent");
}

BOOST_AUTO_TEST_CASE(taps_come_first_in_dataflow_order) {
  const CaseReport report = Verify([](Addresses a, int) {
    FlipLowBit(Floats(a, testing::kFakeY));
    FlipLowBit(Floats(a, testing::kFakeSum));
    FlipLowBit(Floats(a, testing::kFakeDoubled));
  });
  BOOST_REQUIRE(report.diffs.size() == 3);
  BOOST_TEST(report.diffs[0].spec.name == "doubled");
  BOOST_TEST(report.diffs[1].spec.name == "sum");
}

BOOST_AUTO_TEST_CASE(write_behind_the_end) {
  const CaseReport report =
      Verify([](Addresses a, int) { Floats(a, testing::kFakeY)[kFakeRows * kFakeStride] = 0; });
  BOOST_TEST(report.diffs.empty());
  BOOST_REQUIRE(report.trespasses.size() == 1);
  BOOST_TEST(report.trespasses[0].where == "guard zone after y");
  BOOST_TEST(report.trespasses[0].offset == kFakeRows * kFakeStride * 4);
  BOOST_TEST(report.trespasses[0].bytes == 4);
  BOOST_TEST(report.verdict() == "divergent");
}

BOOST_AUTO_TEST_CASE(write_before_the_start) {
  const CaseReport report =
      Verify([](Addresses a, int) { Floats(a, testing::kFakeState)[-1] = 1; });
  BOOST_REQUIRE(report.trespasses.size() == 1);
  BOOST_TEST(report.trespasses[0].where == "guard zone before state");
  BOOST_TEST(report.trespasses[0].offset == -4);
}

BOOST_AUTO_TEST_CASE(write_into_row_padding_and_page_gap) {
  const CaseReport report = Verify([](Addresses a, int) {
    Floats(a, testing::kFakeY)[kFakeColumns] = 1;
    Floats(a, testing::kFakeState)[kFakeStride + kFakeColumns + 1] = 1;
  });
  BOOST_TEST(report.diffs.empty());
  BOOST_REQUIRE(report.trespasses.size() == 2);
  BOOST_TEST(report.trespasses[0].where == "gaps of state");
  BOOST_TEST(report.trespasses[1].where == "gaps of y");
}

BOOST_AUTO_TEST_CASE(write_into_an_input) {
  const CaseReport report =
      Verify([](Addresses a, int) { FlipLowBit(Floats(a, testing::kFakeX) + kFakeStride); });
  BOOST_REQUIRE(report.trespasses.size() == 1);
  BOOST_TEST(report.trespasses[0].where == "input x");
  BOOST_TEST(report.trespasses[0].offset == kFakeStride * 4);
}

BOOST_AUTO_TEST_CASE(write_into_an_untouched_page) {
  const CaseReport report =
      Verify([](Addresses a, int) { FlipLowBit(Floats(a, testing::kFakeState)); });
  BOOST_REQUIRE(report.diffs.size() == 1);
  BOOST_TEST(report.diffs[0].spec.name == "state");
  BOOST_TEST(report.diffs[0].first.index == 0);
}

BOOST_AUTO_TEST_CASE(write_into_a_padded_slot) {
  const CaseReport report =
      Verify([](Addresses a, int) { Floats(a, testing::kFakeY)[kFakeStride + 2] = 0; });
  BOOST_REQUIRE(report.diffs.size() == 1);
  BOOST_TEST(report.diffs[0].spec.name == "y");
  BOOST_TEST(Name(report.diffs[0].first.change) == "stray");
}

BOOST_AUTO_TEST_CASE(element_left_unwritten) {
  const CaseReport report = Verify([](Addresses a, int) {
    const uint32_t poison = PoisonBits(DType::kF32);
    std::memcpy(Floats(a, testing::kFakeY) + 1, &poison, 4);
  });
  BOOST_REQUIRE(report.diffs.size() == 1);
  BOOST_TEST(Name(report.diffs[0].first.change) == "never_written");
  BOOST_TEST(report.diffs[0].first.index == 1);
}

BOOST_AUTO_TEST_CASE(varies_from_run_to_run) {
  request.repeat = 4;
  const CaseReport report = Verify([](Addresses a, int launch) {
    if (launch % 2 == 1) FlipLowBit(Floats(a, testing::kFakeY) + launch - 1);
  });
  BOOST_TEST(report.verdict() == "unstable");
  BOOST_REQUIRE(report.variations.size() == 1);
  BOOST_TEST(report.variations[0].spec.name == "y");
  BOOST_TEST(report.variations[0].runs == 2);
  BOOST_TEST(report.variations[0].elements == 2);
  BOOST_TEST(report.variations[0].first.index == 0);
  BOOST_TEST(report.diffs.size() == 1);  // the run that differs from the dataset is reported too
  BOOST_TEST(report.runs == 4);
}

BOOST_AUTO_TEST_CASE(stable_but_different) {
  request.repeat = 3;
  const CaseReport report =
      Verify([](Addresses a, int) { FlipLowBit(Floats(a, testing::kFakeY)); });
  BOOST_TEST(report.verdict() == "divergent");
  BOOST_TEST(report.variations.empty());
  BOOST_TEST(report.diffs.size() == 1);
}

BOOST_AUTO_TEST_CASE(trespass_of_a_later_run) {
  request.repeat = 3;
  const CaseReport report = Verify([](Addresses a, int launch) {
    if (launch == 2) Floats(a, testing::kFakeX)[-1] = 1;
  });
  BOOST_TEST(report.trespasses.size() == 1);
}

BOOST_AUTO_TEST_CASE(failed_launch_is_an_error_never_a_pass) {
  BOOST_CHECK_THROW(Verify([](Addresses, int) { throw gpu::EnvironmentError("no luck"); }),
                    gpu::EnvironmentError);
}

BOOST_AUTO_TEST_CASE(configuration_that_the_kernel_cannot_run_is_skipped) {
  const CaseReport report = Verify([](Addresses, int) { throw ConfigError("heads: too many"); });
  BOOST_TEST(report.verdict() == "skipped");
  BOOST_TEST(report.skipped == "heads: too many");
  Summary summary;
  summary.Add(report);
  BOOST_TEST(summary.exit_status() == 77);
}

BOOST_AUTO_TEST_CASE(hashes_suffice_and_the_model_localises) {
  for (const Tensor& t : expected.tensors.tensors) {
    expected.hashes[{t.spec.role, t.spec.name}] = golden::HashHex(t);
  }
  expected.tensors.tensors.clear();
  int recomputed = 0;
  expected.recompute = [&recomputed, again = expected.recompute] {
    ++recomputed;
    return again();
  };
  BOOST_TEST(Verify(Nothing).identical());
  BOOST_TEST(recomputed == 0);
  const CaseReport report =
      Verify([](Addresses a, int) { FlipLowBit(Floats(a, testing::kFakeY) + 2); });
  BOOST_TEST(recomputed == 1);
  BOOST_REQUIRE(report.diffs.size() == 1);
  BOOST_TEST(report.diffs[0].first.index == 2);
  BOOST_TEST(report.hash_diffs.empty());
}

BOOST_AUTO_TEST_CASE(hash_that_the_model_cannot_explain_is_still_a_divergence) {
  expected.tensors.tensors.clear();
  expected.hashes[{Role::kOutput, "y"}] = std::string(32, '0');
  const CaseReport report = Verify(Nothing);
  BOOST_TEST(report.diffs.empty());
  BOOST_REQUIRE(report.hash_diffs.size() == 1);
  BOOST_TEST(report.hash_diffs[0].spec.name == "y");
  BOOST_TEST(!report.identical());
  // Equal NaN of any bits do not excuse a file whose bits the model does not know.
  request.nan = NanPolicy::kClass;
  BOOST_TEST(Verify(Nothing).hash_diffs.size() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
