// Every choice of the contract has its effect, and first where its table entry says.
#include "model/kda_decode/contract.h"

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "tests/model/kda_decode/case.h"

namespace samebits::kda_decode::testing {
namespace {

Choices With(Choices base, const std::string& choice, const std::string& value) {
  Contract contract = ContractTable().Named("");
  contract.choices = ContractTable().Write(base);
  contract.choices[choice] = value;
  return ReadChoices(contract);
}

/// Alternatives that are proven equal to the default, for every input or for every legal one
/// (SPEC.md 3.0, 3.4, section 6, A4, A5).
const std::set<std::pair<std::string, std::string>> kInvisible = {
    {"sigmoid_division", "rcp_approx"},  {"qk_norm_reciprocal", "div_sqrt"},
    {"out_norm_reciprocal", "div_sqrt"}, {"matrix_unit", "sm_100.mma_sync"},
    {"raw_gate_chain", "chain8"},        {"square_sum", "separate"},
    {"silu_division", "rcp_approx"}};

/// A case in which alternatives show that do not show in others.
struct Probe {
  Settings settings;
  Edit edit = {};
  Choices base = {};  // compared with base and the alternative
};

void ScaleTensor(TensorSet* inputs, const char* name, float factor) {
  Tensor& tensor = inputs->At(Role::kInput, name);
  if (tensor.spec.dtype == DType::kF32) {
    for (float& x : tensor.view<float>()) x *= factor;
    return;
  }
  for (uint16_t& x : tensor.view<uint16_t>()) {
    x = static_cast<uint16_t>(
        std::bit_cast<uint32_t>(std::bit_cast<float>(uint32_t{x} << 16) * factor) >> 16);
  }
}

/// silu and q, k, v keep their float32 bits, which bf16 would hide.
Choices Unrounded() {
  Choices choices;
  choices.silu_rounding = ToBf16::kNone;
  return choices;
}

/// 64 equal outputs of the recurrence with subnormal squares, and an odd eps of that size: half of
/// the products ss/128 are ties between subnormals (3.10).
Probe TinyVariance() {
  return {.settings = {{"tokens", "1"}, {"requests", "2"}, {"heads", "4"}, {"eps", "4e-45"}},
          .edit = [](const Config&, TensorSet* inputs) {
            ScaleTensor(inputs, "state", 0x1p-64f);
            const auto state = inputs->At(Role::kInput, "state").view<float>();
            constexpr size_t kPage = 128 * 128;
            for (size_t page = 0; page < state.size(); page += kPage) {
              for (size_t i = 128; i < kPage; ++i) {
                state[page + i] = i < kPage / 2 ? state[page + i % 128] : 0.0f;
              }
            }
            // exp(200) is infinite: beta is 0 and nothing is corrected.
            std::ranges::fill(inputs->At(Role::kInput, "beta").view<uint16_t>(), 0xC348);
          }};
}

const std::vector<Probe>& Probes() {
  static const Settings plain = {
      {"tokens", "2"}, {"requests", "2"}, {"heads", "1"}, {"accepted", "full"}};
  static const Settings one = {{"tokens", "1"}, {"requests", "2"}, {"heads", "1"}};
  static const Settings record = {
      {"tokens", "2"}, {"requests", "2"}, {"heads", "1"}, {"record", "1"}, {"accepted", "full"}};
  static const Settings deep = {
      {"tokens", "2"}, {"requests", "2"}, {"heads", "1"}, {"lower_bound", "-100"}};
  static const std::vector<Probe> probes = {
      {plain},
      {one},
      {record},
      {{{"tokens", "1"}, {"requests", "2"}, {"heads", "8"}}, {}, Unrounded()},
      // 1 + exp(88) is above 2^126, its reciprocal subnormal.
      {{{"tokens", "1"}, {"requests", "1"}, {"heads", "1"}, {"bias", "1"}},
       [](const Config&, TensorSet* inputs) {
         ScaleTensor(inputs, "weights", 0x1p-8f);
         for (float& x : inputs->At(Role::kInput, "bias").view<float>()) x = -88.0f;
       },
       Unrounded()},
      // Subnormal convolution sums: quotients that flush.
      {plain,
       [](const Config&, TensorSet* inputs) {
         ScaleTensor(inputs, "x", 0x1p-120f);
         ScaleTensor(inputs, "conv_state", 0x1p-120f);
         ScaleTensor(inputs, "weights", 0x1p-8f);
       }},
      // Decays below 2^-126.
      {deep},
      // Sigmoids below 2^-126.
      {plain,
       [](const Config&, TensorSet* inputs) {
         for (float& x : inputs->At(Role::kInput, "dt_bias").view<float>()) x = -88.0f;
         for (float& x : inputs->At(Role::kInput, "a_log").view<float>()) x = 0.0f;
       }},
      TinyVariance(),
  };
  return probes;
}

/// The taps of the first token of each request, then the outputs: in this order a tensor depends on
/// the ones before it alone.
TensorSet FirstToken(const TensorSet& set) {
  TensorSet result;
  for (const Tensor& tensor : set.tensors) {
    if (tensor.spec.role != Role::kTap) {
      result.tensors.push_back(tensor);
      continue;
    }
    TensorSpec spec = tensor.spec;
    spec.shape[1] = 1;
    Tensor first(spec);
    const size_t bytes = first.data.size() / spec.shape[0];
    for (int64_t r = 0; r < spec.shape[0]; ++r) {
      std::copy_n(tensor.data.begin() + r * bytes * tensor.spec.shape[1], bytes,
                  first.data.begin() + r * bytes);
    }
    result.tensors.push_back(std::move(first));
  }
  return result;
}

struct Prepared {
  Case c;
  TensorSet expected;
};

/// Per probe: the first tensor that the alternative changes, "" if none.
std::vector<std::string> ChangedFirst(const std::string& choice, const std::string& value) {
  static std::map<const Probe*, Prepared> prepared;
  std::vector<std::string> changed;
  for (const Probe& probe : Probes()) {
    if (!prepared.contains(&probe)) {
      Case c = MakeCase(probe.settings, HashSource(21), probe.edit);
      TensorSet expected = FirstToken(Run(c, probe.base).tensors);
      prepared.emplace(&probe, Prepared{std::move(c), std::move(expected)});
    }
    const auto& [c, expected] = prepared.at(&probe);
    const TensorSet actual = FirstToken(Run(c, With(probe.base, choice, value)).tensors);
    const std::string tensor = FirstDifferentTensor(expected, actual);
    if (!tensor.empty()) changed.push_back(tensor);
  }
  return changed;
}

BOOST_AUTO_TEST_SUITE(contract)

BOOST_AUTO_TEST_CASE(each_alternative_changes_first_what_the_table_says) {
  const Case c = MakeCase(Probes()[2].settings, HashSource(21));
  const Results results = Run(c);
  std::vector<std::string> order;
  for (const Tensor& tensor : results.tensors.tensors) order.push_back(tensor.spec.name);
  const auto position = [&](const std::string& name) {
    return std::ranges::find(order, name) - order.begin();
  };
  const Settings defaults = ContractTable().Write({});
  for (const Choice& choice : ContractTable().choices()) {
    std::set<std::string> firsts;
    for (const std::string& value : choice.values) {
      if (value == defaults.at(choice.name)) continue;
      const std::vector<std::string> changed = ChangedFirst(choice.name, value);
      for (const std::string& tensor : changed) {
        firsts.insert(tensor);
        BOOST_TEST(
            position(tensor) >= position(choice.first_tap),
            choice.name << "=" << value << " changed " << tensor << " before " << choice.first_tap);
      }
      if (changed.empty()) {
        BOOST_TEST(kInvisible.contains({choice.name, value}),
                   choice.name << "=" << value << " changed nothing");
      }
    }
    BOOST_TEST(firsts.contains(choice.first_tap),
               choice.name << " never changed " << choice.first_tap);
  }
}

BOOST_AUTO_TEST_CASE(named_contracts) {
  BOOST_TEST(ContractTable().Named("").name == "kda_ws.sm_90");
  BOOST_TEST((ReadChoices(ContractTable().Named("")) == Choices{}));
  BOOST_TEST(ContractTable().Named("kda_ws.sm_100").profile == "sm_100");
  for (const std::string& name : ContractTable().contract_names()) {
    const Contract contract = ContractTable().Named(name);
    BOOST_TEST((ContractTable().Write(ReadChoices(contract)) == contract.choices), name);
    BOOST_TEST(contract.choices.size() == ContractTable().choices().size());
  }
  // The measured profiles of both chips sum alike.
  const Case c = MakeCase(Probes()[0].settings, HashSource(4));
  BOOST_TEST(FirstDifference(Run(c).tensors,
                             Run(c, ReadChoices(ContractTable().Named("kda_ws.sm_100"))).tensors) ==
             "");
  // Stock differs first in the sums of q and k for T > 1, in the dot for T == 1 (section 6).
  const Choices stock = ReadChoices(ContractTable().Named("stock.triton"));
  BOOST_TEST(FirstDifferentTensor(Run(c).tensors, Run(c, stock).tensors) == "norm.q.sum");
  const Case one = MakeCase(Probes()[1].settings, HashSource(4));
  BOOST_TEST(FirstDifferentTensor(Run(one).tensors, Run(one, stock).tensors) == "dot");
}

BOOST_AUTO_TEST_CASE(refusals) {
  const auto refusal = [](auto change) -> std::string {
    Contract contract = ContractTable().Named("");
    change(contract);
    try {
      ReadChoices(contract);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  BOOST_TEST(refusal([](Contract& c) { c.choices["exp"] = "fast"; }) ==
             "exp: 'fast' is not one of ex2, ex2_ftz, exact");
  BOOST_TEST(refusal([](Contract& c) { c.choices["expo"] = "ex2"; }) ==
             "expo: kda_decode has no such choice");
  BOOST_TEST(refusal([](Contract& c) { c.choices.erase("exp"); }) ==
             "exp: the contract has no value for it");
  BOOST_TEST(refusal([](Contract& c) { c.kernel = "kda_pre"; }) ==
             "contract: is for kernel 'kda_pre', not kda_decode");
  BOOST_CHECK_EXCEPTION(ContractTable().Named("kda_ws"), ConfigError, [](const ConfigError& error) {
    return std::string(error.what()) ==
           "contract: 'kda_ws' is not one of kda_ws.sm_90, kda_ws.sm_100, stock.triton, "
           "vllm.fused_cuda";
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::kda_decode::testing
