// The model against the specification written out a second time, and its rules for slots and
// special values (SPEC.md 2.4, 5, 9).
#include "tests/model/kda_decode/specification.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "model/arith/float32.h"
#include "model/kda_decode/plan.h"

namespace samebits::kda_decode::testing {
namespace {

TensorSet Outputs(const Results& results) {
  TensorSet outputs;
  for (const Tensor& tensor : results.tensors.tensors) {
    if (tensor.spec.role == Role::kOutput) outputs.tensors.push_back(tensor);
  }
  return outputs;
}

/// Empty if the model's outputs are the specified ones.
std::string Check(const Settings& settings, const std::string& style = "realistic",
                  const Edit& edit = {}) {
  const Case c = MakeCase(settings, HashSource(11, style), edit);
  const Results results = Run(c, {}, Path::kFast, 1, false);
  if (!results.strays_kept) return "bytes of no operand were written";
  return FirstDifference(SpecifiedOutputs(c), Outputs(results));
}

BOOST_AUTO_TEST_SUITE(specification)

BOOST_AUTO_TEST_CASE(every_mode_equals_the_specification) {
  const Settings cases[] = {
      {{"tokens", "1"}, {"requests", "2"}, {"heads", "2"}},
      {{"tokens", "1"},
       {"requests", "2"},
       {"heads", "1"},
       {"window", "+3"},
       {"bias", "1"},
       {"gate_mode", "1"},
       {"conv_type", "f32"},
       {"rows", "padded"},
       {"pages", "gapped"}},
      {{"tokens", "2"},
       {"requests", "3"},
       {"heads", "1"},
       {"conv_layout", "ds"},
       {"padding", "first"},
       {"accepted", "mixed"},
       {"rows", "packed"}},
      {{"tokens", "3"},
       {"requests", "3"},
       {"heads", "1"},
       {"conv_layout", "ds"},
       {"window", "+2"},
       {"conv_type", "f32"},
       {"accepted", "mixed"},
       {"gate_mode", "1"},
       {"targets", "repeated"},
       {"padding", "alternate"}},
      {{"tokens", "4"},
       {"requests", "2"},
       {"heads", "1"},
       {"accepted", "full"},
       {"targets", "source"},
       {"pages", "gapped"}},
      {{"tokens", "5"},
       {"requests", "2"},
       {"heads", "1"},
       {"accepted", "mixed"},
       {"targets", "null"}},
      {{"tokens", "4"}, {"requests", "3"}, {"heads", "2"}, {"record", "1"}, {"padding", "last"}},
      {{"tokens", "8"},
       {"requests", "1"},
       {"heads", "1"},
       {"record", "1"},
       {"accepted", "full"},
       {"gate_mode", "1"},
       {"bias", "1"}},
      {{"tokens", "6"},
       {"requests", "1"},
       {"heads", "1"},
       {"lower_bound", "-0.01"},
       {"eps", "1e-30"},
       {"scale", "1"}},
  };
  for (const Settings& settings : cases) {
    for (const char* style : {"realistic", "wide", "specials", "tiny"}) {
      BOOST_TEST(Check(settings, style) == "", style << " tokens " << settings.at("tokens"));
    }
  }
}

/// One special value in one operand of a case.
Edit Put(std::string name, size_t index, uint32_t f32_bits) {
  return [=](const Config&, TensorSet* inputs) {
    Tensor& tensor = inputs->At(Role::kInput, name);
    if (tensor.spec.dtype == DType::kBf16) {
      tensor.view<uint16_t>()[index] = static_cast<uint16_t>(f32_bits >> 16);
    } else {
      tensor.view<uint32_t>()[index] = f32_bits;
    }
  };
}

BOOST_AUTO_TEST_CASE(special_values_in_each_operand) {
  const Settings settings = {{"tokens", "2"}, {"requests", "1"}, {"heads", "1"}, {"bias", "1"}};
  // NaN with a payload, both infinities, -0, the smallest subnormal that bf16 has, and logits whose
  // exponentials leave the range.
  const uint32_t values[] = {0x7FA10000u, 0x7F800000u, 0xFF800000u, 0x80000000u,
                             0x00010000u, 0x42B20000u, 0xC2B20000u, 0x461C0000u};
  for (const char* name :
       {"x", "weights", "bias", "f_a", "beta", "a_log", "dt_bias", "gate", "norm_weight", "f_b"}) {
    for (const uint32_t bits : values) {
      BOOST_TEST(Check(settings, "realistic", Put(name, 0, bits)) == "",
                 name << " " << std::hex << bits);
    }
  }
  for (const char* name : {"state", "conv_state"}) {
    for (const uint32_t bits : values) {
      const Edit everywhere = [&](const Config& config, TensorSet* inputs) {
        Tensor& tensor = inputs->At(Role::kInput, name);
        const int64_t slot = tensor.spec.elements() / tensor.spec.shape[0];
        for (int64_t s = 1; s < tensor.spec.shape[0]; ++s) {
          Put(name, static_cast<size_t>(s * slot + 5), bits)(config, inputs);
        }
      };
      BOOST_TEST(Check(settings, "realistic", everywhere) == "", name << " " << std::hex << bits);
    }
  }
}

BOOST_AUTO_TEST_CASE(zeros_everywhere) {
  const Edit zeros = [](const Config&, TensorSet* inputs) {
    for (const char* name : {"x", "conv_state", "state"}) {
      std::ranges::fill(inputs->At(Role::kInput, name).data, std::byte{0});
    }
  };
  const Settings settings = {{"tokens", "1"}, {"requests", "1"}, {"heads", "1"}};
  BOOST_TEST(Check(settings, "realistic", zeros) == "");
  const Results results = Run(MakeCase(settings, HashSource(11), zeros));
  const auto sum = results.tensors.At(Role::kTap, "norm.q.sum").view<uint32_t>();
  BOOST_TEST(sum[0] == 0x358637BDu);
  for (const uint16_t y : results.tensors.At(Role::kOutput, "output").view<uint16_t>()) {
    BOOST_REQUIRE((y & 0x7FFF) == 0);
  }
}

BOOST_AUTO_TEST_CASE(padded_rows_write_zeros_only_and_leak_nothing) {
  for (const char* tokens : {"1", "3"}) {
    const Case c = MakeCase(
        {{"tokens", tokens}, {"requests", "3"}, {"heads", "1"}, {"padding", "all"}}, HashSource(5));
    const Results results = Run(c);
    for (const uint16_t y : results.tensors.At(Role::kOutput, "output").view<uint16_t>()) {
      BOOST_REQUIRE(y == 0);
    }
    for (const char* name : {"state", "conv_state"}) {
      BOOST_TEST(
          (results.tensors.At(Role::kOutput, name).data == c.inputs.At(Role::kInput, name).data),
          name);
    }
    for (const float tap : results.tensors.At(Role::kTap, "decay").view<float>()) {
      BOOST_REQUIRE(arith::ToBits(tap) == PoisonBits(DType::kF32));
    }
  }
  const Case mixed =
      MakeCase({{"tokens", "2"}, {"requests", "4"}, {"heads", "1"}, {"padding", "alternate"}},
               HashSource(5));
  const Results results = Run(mixed);
  for (const uint16_t y : results.tensors.At(Role::kOutput, "output").view<uint16_t>()) {
    BOOST_REQUIRE((y & 0x7FFF) < 0x7F80);
  }
}

BOOST_AUTO_TEST_CASE(layout_window_and_strides_change_no_bit_of_the_output) {
  const auto output = [](Settings more) {
    Settings settings = {{"tokens", "3"}, {"requests", "2"}, {"heads", "2"}};
    settings.merge(more);
    // The history has the same values at the same (slot, position, channel) in both layouts.
    const Edit history = [](const Config& config, TensorSet* inputs) {
      Tensor& tensor = inputs->At(Role::kInput, "conv_state");
      const bool inner = config.conv_layout == ConvLayout::kChannelInner;
      const int64_t channels = 3 * config.dim();
      for (int64_t s = 1; s < tensor.spec.shape[0]; ++s) {
        for (int64_t p = 0; p < 3; ++p) {
          for (int64_t c = 0; c < channels; ++c) {
            const int64_t i = inner ? (s * config.window + p) * channels + c
                                    : (s * channels + c) * config.window + p;
            tensor.view<uint16_t>()[i] = static_cast<uint16_t>(0x3F00 + (s * 7 + p * 31 + c) % 128);
          }
        }
      }
    };
    const Results results = Run(MakeCase(settings, HashSource(9), history));
    return results.tensors.At(Role::kOutput, "output").data;
  };
  const auto expected = output({});
  BOOST_TEST((output({{"conv_layout", "ds"}}) == expected));
  BOOST_TEST((output({{"window", "+4"}}) == expected));
  BOOST_TEST((output({{"rows", "packed"}}) == expected));
  BOOST_TEST((output({{"rows", "padded"}, {"pages", "gapped"}}) == expected));
  BOOST_TEST((output({{"record", "1"}}).size() == expected.size()));
}

BOOST_AUTO_TEST_CASE(nans_are_canonical_where_they_can_be_seen) {
  const Case c = MakeCase({{"tokens", "2"}, {"requests", "1"}, {"heads", "1"}}, HashSource(2),
                          [](const Config& config, TensorSet* inputs) {
                            Tensor& state = inputs->At(Role::kInput, "state");
                            for (int s = 1; s < SlotCount(config); ++s) {
                              state.view<uint32_t>()[s * 128 * 128 + 77] = 0xFFC01234u;
                            }
                          });
  const Results results = Run(c);
  bool seen = false;
  for (const char* name : {"dot", "state.after", "out.scaled", "correction"}) {
    for (const float value : results.tensors.At(Role::kTap, name).view<float>()) {
      if (!arith::IsNan(value)) continue;
      seen = true;
      BOOST_REQUIRE(arith::ToBits(value) == arith::kNanBits);
    }
  }
  BOOST_TEST(seen);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::kda_decode::testing
