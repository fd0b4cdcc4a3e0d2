// The model against the specification's pseudocode, and its fast path against its plain one.
#include "tests/model/shared_expert/specification.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>

#include "model/arith/bfloat16.h"
#include "model/shared_expert/derived.h"

namespace samebits::shared_expert::testing {
namespace {

const char* const kStyles[] = {"realistic", "wide", "tiny", "cancelling", "specials", "onehot"};

/// Small cases that reach every variant, cluster size and owner width, and the last partial tile.
const std::vector<Settings>& Cases() {
  static const std::vector<Settings> cases = {
      Small(2, {{"batch", "3"}, {"steps", "3"}, {"parity", "1"}}),
      Small(2, {{"batch", "9"}, {"consumer", "1"}, {"steps", "3"}, {"beta", "3.7"}}),
      Small(8, {{"batch", "2"}, {"rank", "5"}, {"linear_beta", "0"}}),
      Small(16, {{"batch", "2"}, {"rank", "15"}, {"variant", "split"}}),
      Small(2, {{"batch", "3"}, {"variant", "front"}, {"steps", "2"}}),
      Small(8, {{"batch", "1"},
                {"variant", "front"},
                {"front_split", "+8"},
                {"front_rows", "+9"},
                {"front_valid", "8"},
                {"front_slot", "4"},
                {"front_pitch", "+24"},
                {"rank", "7"}}),
      Small(16, {{"batch", "2"}, {"variant", "front"}, {"front_split", "+12"}, {"rank", "3"}}),
  };
  return cases;
}

std::string Name(const Case& c) {
  return "tp " + std::to_string(c.config.tp) + ", variant " +
         std::to_string(static_cast<int>(c.config.variant));
}

/// The first of `expected` that `results` does not have, "" if it has them all.
std::string FirstMissing(const TensorSet& results, const TensorSet& expected) {
  for (const Tensor& tensor : expected.tensors) {
    const Tensor* found = results.Find(Role::kOutput, tensor.spec.name);
    if (found == nullptr) return tensor.spec.name + " missing";
    TensorSet a, b;
    a.tensors = {*found};
    b.tensors = {tensor};
    const std::string difference = FirstDifference(a, b);
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(specification)

BOOST_AUTO_TEST_CASE(outputs_are_those_of_the_pseudocode) {
  for (const Settings& settings : Cases()) {
    for (const char* style : {"realistic", "cancelling", "specials"}) {
      const Case c = MakeCase(settings, style);
      const TensorSet expected = ExpectedOutputs(c);
      const TensorSet results = Run(c, {}, Path::kFast, 1, false);
      BOOST_TEST(results.tensors.size() == expected.tensors.size(), Name(c));
      BOOST_TEST(FirstMissing(results, expected) == "", Name(c) << ", " << style);
    }
  }
}

BOOST_AUTO_TEST_CASE(plain_and_fast_path_agree_in_every_tap) {
  for (const Settings& settings : Cases()) {
    for (const char* style : kStyles) {
      const Case c = MakeCase(settings, style, 3);
      const TensorSet plain = Run(c, {}, Path::kPlain);
      BOOST_TEST(FirstDifference(plain, Run(c)) == "", Name(c) << ", " << style);
      BOOST_TEST(FirstDifference(plain, Run(c, {}, Path::kFast, 3)) == "",
                 Name(c) << ", " << style << ", threads");
    }
  }
}

BOOST_AUTO_TEST_CASE(taps_change_no_output) {
  for (const Settings& settings : Cases()) {
    const Case c = MakeCase(settings);
    TensorSet with, without = Run(c, {}, Path::kFast, 2, false);
    for (Tensor& tensor : Run(c).tensors) {
      if (tensor.spec.role == Role::kOutput) with.tensors.push_back(std::move(tensor));
    }
    BOOST_TEST(FirstDifference(with, without) == "", Name(c));
  }
}

BOOST_AUTO_TEST_CASE(samples_of_the_real_size) {
  const Case c = MakeCase({{"tp", "8"}, {"batch", "16"}, {"rank", "3"}, {"capacity", "16"}});
  const TensorSet results = Run(c, {}, Path::kFast, 2);
  const Sizes s = MakeSizes(c.config);
  const uint16_t* x = c.inputs.At(Role::kInput, "x").view<uint16_t>().data();
  const uint16_t* gate_up = c.inputs.At(Role::kInput, "gate_up").view<uint16_t>().data();
  const uint16_t* down = c.inputs.At(Role::kInput, "down").view<uint16_t>().data();
  const uint16_t* h = Bf16Output(results, "h").data();
  const Derived d = Derive(c.config);
  for (int i = 0; i < 200; ++i) {
    const int t = i % 16, m = i * 7 % d.gate_tiles, r = i * 29 % 64, o = i * 1013 % s.width;
    const float sum =
        OwnerSum(s, gate_up + int64_t{WeightRow(d, m, r)} * s.width, x + int64_t{t} * s.width);
    BOOST_TEST(arith::ToBits(F32Tap(results, "sum")[(m * 64 + r) * 16 + t]) == arith::ToBits(sum));
    const float y = Chain(down + int64_t{o} * s.hidden, h + t * s.hidden, 0, s.hidden / 64);
    BOOST_TEST(arith::ToBits(F32Tap(results, "down.acc")[t * s.width + o]) == arith::ToBits(y));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::shared_expert::testing
