// The dataset of `generate --inputs discriminating`: under every alternative of every choice its
// bits are others, and others than under any other alternative.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "golden/inputs.h"
#include "golden/run_case.h"
#include "golden/xxh3.h"
#include "model/kernel.h"

namespace samebits::golden {
namespace {

/// Alternatives that equal the default for every input that a kernel may be given; each kernel's
/// SPEC.md says why (kda_decode and kda_pre: "What no input tells apart"; shared_expert: 10).
const std::set<std::string> kEqual = {"kda_decode sigmoid_division=rcp_approx",
                                      "kda_decode qk_norm_reciprocal=div_sqrt",
                                      "kda_decode out_norm_reciprocal=div_sqrt",
                                      "kda_decode matrix_unit=sm_100.mma_sync",
                                      "kda_decode square_sum=separate",
                                      "shared_expert matrix_unit=sm_100.tcgen05",
                                      "shared_expert matrix_unit=sm_90.mma_sync",
                                      "kda_pre matrix_unit=gfx942.mfma_16x16x16",
                                      "kda_pre rsq=correctly_rounded"};

/// Two that are each other's equals (SPEC.md of kda_decode, 10.1).
const std::set<std::pair<std::string, std::string>> kSame = {
    {"kda_decode silu_division=rcp_approx", "kda_decode silu_form=times_sigmoid"}};

struct Prepared {
  CaseSpec spec;
  TensorSet inputs;
};

std::vector<Prepared> Prepare(const Kernel& kernel) {
  std::vector<Prepared> cases;
  for (const Settings& config : kernel.discriminating_configs()) {
    CaseSpec spec = {&kernel, kernel.Complete(config), "discriminating", 0};
    TensorSet inputs = GenerateInputs(spec, 2);
    cases.push_back({std::move(spec), std::move(inputs)});
  }
  return cases;
}

/// Of every tap and output of all cases.
std::string HashOf(const std::vector<Prepared>& cases, const Contract& contract) {
  Hasher hasher;
  for (const auto& [spec, inputs] : cases) {
    const ModelRun run = RunModel(*spec.kernel, spec.config, contract, true, inputs, 2);
    for (const Tensor& tensor : run.results.tensors) hasher.Update(tensor.data);
  }
  return hasher.Hex();
}

void CheckKernel(const char* name) {
  const Kernel& kernel = *FindKernel(name);
  const std::vector<Prepared> cases = Prepare(kernel);
  BOOST_REQUIRE(!cases.empty());
  const Contract standard = kernel.NamedContract("");
  const std::string unchanged = HashOf(cases, standard);
  std::map<std::string, std::string> known = {{unchanged, "the default"}};
  for (const Choice& choice : kernel.choices()) {
    for (const std::string& value : choice.values) {
      if (value == standard.choices.at(choice.name)) continue;
      Contract contract = standard;
      contract.choices[choice.name] = value;
      const std::string alternative = std::string(name) + " " + choice.name + "=" + value;
      const std::string hash = HashOf(cases, contract);
      if (kEqual.contains(alternative)) {
        BOOST_TEST(hash == unchanged, alternative << " changes bits after all");
        continue;
      }
      const auto [other, fresh] = known.emplace(hash, alternative);
      BOOST_TEST((fresh || kSame.contains({alternative, other->second})),
                 alternative << " has the bits of " << other->second);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(discriminating)

BOOST_AUTO_TEST_CASE(kda_decode) { CheckKernel("kda_decode"); }
BOOST_AUTO_TEST_CASE(shared_expert) { CheckKernel("shared_expert"); }
BOOST_AUTO_TEST_CASE(kda_pre) { CheckKernel("kda_pre"); }

/// Arrangements belong to any configuration, also to those that lack what they change.
BOOST_AUTO_TEST_CASE(any_configuration_has_such_inputs) {
  const std::pair<const char*, Settings> configs[] = {
      {"kda_decode", {{"tokens", "1"}, {"requests", "1"}, {"heads", "1"}}},
      {"kda_decode",
       {{"heads", "7"}, {"conv_layout", "ds"}, {"conv_type", "f32"}, {"requests", "2"}}},
      {"shared_expert",
       {{"tp", "2"}, {"width", "384"}, {"intermediate", "128"}, {"grid", "8"}, {"batch", "1"}}},
      {"kda_pre", {{"requests", "1"}, {"nblocks", "1"}, {"delta", "none"}}},
  };
  for (const auto& [name, config] : configs) {
    const Kernel& kernel = *FindKernel(name);
    const CaseSpec spec = {&kernel, kernel.Complete(config), "discriminating", 3};
    BOOST_CHECK_NO_THROW(GenerateInputs(spec));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::golden
