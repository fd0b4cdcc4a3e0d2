#include "golden/memory_image.h"

#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>

#include "golden/inputs.h"
#include "golden/run_case.h"
#include "tests/golden/fake_kernel.h"

namespace samebits::golden {
namespace {

using testing::Fake;
using testing::FakeKernel;

CaseSpec Spec(Settings config) { return {&Fake(), Fake().Complete(config), "realistic", 7}; }

/// A plan of one operand with arbitrary strides in an allocation of `bytes`.
MemoryPlan PlanOf(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides,
                  int64_t offset, int64_t bytes) {
  MemoryPlan plan;
  plan.allocations = {{"memory", bytes}};
  std::vector<std::string> dims(shape.size(), "d");
  plan.operands = {
      {{"t", Role::kInput, dtype, std::move(dims), std::move(shape)}, true, 0, offset, strides}};
  return plan;
}

/// Element by element, by the definition in model/kernel.h.
std::vector<std::byte> PlainGather(const MemoryPlan& plan, const std::byte* base) {
  const Operand& operand = plan.operands[0];
  const size_t size = SizeOf(operand.spec.dtype);
  std::vector<std::byte> dense;
  for (int64_t n = 0; n < operand.spec.elements(); ++n) {
    int64_t rest = n, at = operand.offset;
    for (size_t d = operand.strides.size(); d-- > 0;) {
      at += rest % operand.spec.shape[d] * operand.strides[d];
      rest /= operand.spec.shape[d];
    }
    dense.insert(dense.end(), base + at, base + at + size);
  }
  return dense;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_image)

BOOST_AUTO_TEST_CASE(scatter_and_gather_agree_with_the_definition) {
  const std::vector<MemoryPlan> plans = {
      PlanOf(DType::kF32, {2, 3, 4}, {48, 16, 4}, 0, 96),     // dense
      PlanOf(DType::kF32, {2, 3, 4}, {64, 20, 4}, 8, 160),    // padded rows and pages
      PlanOf(DType::kBf16, {3, 4, 5}, {40, 2, 8}, 2, 130),    // inner dimensions exchanged
      PlanOf(DType::kBf16, {2, 1, 7}, {30, 9999, 2}, 0, 64),  // extent 1: any stride
      PlanOf(DType::kI32, {}, {}, 4, 8),                      // scalar
      PlanOf(DType::kF32, {4, 0, 2}, {0, 8, 4}, 0, 8),        // no elements
      PlanOf(DType::kF16, {5, 3}, {2, 10}, 0, 30),            // transposed, dense
  };
  std::mt19937 random(1);
  for (const MemoryPlan& plan : plans) {
    MemoryImage image(plan);
    Tensor tensor(plan.operands[0].spec);
    for (std::byte& byte : tensor.data) byte = static_cast<std::byte>(random());
    image.Scatter(tensor);
    const std::vector<std::byte> plain =
        PlainGather(plan, image.block(0).data() + MemoryImage::kGuardBytes);
    BOOST_TEST((plain == tensor.data));
    BOOST_TEST((image.Gather(Role::kOutput, "t").data == tensor.data));
    BOOST_TEST(image.CheckUntouched({}).empty());
  }
}

BOOST_AUTO_TEST_CASE(refuses_plans_whose_operands_collide) {
  MemoryPlan plan = PlanOf(DType::kF32, {4}, {4}, 0, 16);
  plan.operands.push_back(plan.operands[0]);
  plan.operands[1].spec.name = "u";
  plan.operands[1].offset = 12;
  BOOST_CHECK_THROW(MemoryImage{plan}, std::invalid_argument);
  BOOST_CHECK_THROW(MemoryImage{PlanOf(DType::kF32, {4}, {4}, 4, 16)}, std::invalid_argument);
  BOOST_CHECK_THROW(MemoryImage{PlanOf(DType::kF32, {2, 2}, {4, 4}, 0, 16)}, std::invalid_argument);
}

/// Every byte of every block, changed in turn, is either an element that may be written or reported
/// with its place.
BOOST_AUTO_TEST_CASE(reports_every_byte_that_must_not_change) {
  for (const char* layout : {"dense", "padded"}) {
    const CaseSpec spec = Spec({{"rows", "2"}, {"columns", "3"}, {"layout", layout}});
    const MemoryPlan plan = Fake().Plan(spec.config, true);
    const TensorSet inputs = GenerateInputs(spec);
    MemoryImage image(plan);
    for (const Tensor& tensor : inputs.tensors) image.Scatter(tensor);
    BOOST_TEST(image.CheckUntouched(inputs).empty());
    for (size_t a = 0; a < image.allocations(); ++a) {
      const std::string& name = plan.allocations[a].name;
      const bool writable = name == "state" || name == "y" || name == "product";
      int64_t silent = 0;
      for (size_t i = 0; i < image.block(a).size(); ++i) {
        image.block(a)[i] ^= std::byte{0x10};
        const std::vector<Trespass> found = image.CheckUntouched(inputs);
        image.block(a)[i] ^= std::byte{0x10};
        const int64_t offset = static_cast<int64_t>(i) - MemoryImage::kGuardBytes;
        if (found.empty()) {
          ++silent;
          continue;
        }
        BOOST_TEST_REQUIRE(found.size() == 1u);
        BOOST_TEST(found[0].offset == offset);
        BOOST_TEST(found[0].bytes == 1);
        if (offset < 0) BOOST_TEST(found[0].where == "guard zone before " + name);
        if (offset >= plan.allocations[a].bytes) {
          BOOST_TEST(found[0].where == "guard zone after " + name);
        }
      }
      BOOST_TEST(silent == (writable ? plan.allocations[a].bytes : 0));
    }
  }
}

BOOST_AUTO_TEST_CASE(model_runs_in_poison_and_only_writes_its_results) {
  const CaseSpec spec = Spec({{"rows", "8"}, {"columns", "9"}, {"layout", "padded"}});
  const TensorSet inputs = GenerateInputs(spec);
  const Contract contract = Fake().NamedContract("");
  const ModelRun run = RunModel(Fake(), spec.config, contract, true, inputs, 1);
  BOOST_TEST(run.trespasses.empty());
  BOOST_TEST_REQUIRE(run.results.tensors.size() == 3u);
  BOOST_TEST(run.results.tensors[0].spec.name == "product");
  BOOST_TEST(run.results.tensors[1].spec.name == "y");
  BOOST_TEST(run.results.tensors[2].spec.name == "state");
  BOOST_TEST((run.results.tensors[2].spec.role == Role::kOutput));
  const auto mode = inputs.At(Role::kInput, "mode").view<int32_t>();
  const auto y = run.results.At(Role::kOutput, "y").view<uint16_t>();
  bool any_unwritten = false;
  for (size_t i = 0; i < y.size(); ++i) {
    BOOST_TEST((y[i] == 0xFFA5) == (mode[i / 9] < 0));
    any_unwritten |= y[i] == 0xFFA5;
  }
  BOOST_TEST(any_unwritten);
  const ModelRun threaded = RunModel(Fake(), spec.config, contract, true, inputs, 4);
  for (size_t t = 0; t < 3; ++t) {
    BOOST_TEST((run.results.tensors[t].data == threaded.results.tensors[t].data));
  }
}

BOOST_AUTO_TEST_CASE(a_model_that_trespasses_is_reported) {
  FakeKernel kernel;
  kernel.trespass_at = 2;
  CaseSpec spec = Spec({});
  spec.kernel = &kernel;
  const ModelRun run =
      RunModel(kernel, spec.config, kernel.NamedContract(""), false, GenerateInputs(spec), 1);
  BOOST_TEST_REQUIRE(run.trespasses.size() == 1u);
  BOOST_TEST((run.trespasses[0] == Trespass{"input x", 2, 1}));
  BOOST_CHECK_THROW(ComputeCase(spec, kernel.NamedContract(""), false, 1), std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::golden
