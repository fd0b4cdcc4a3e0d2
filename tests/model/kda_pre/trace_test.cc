// The trace of an element has the bits of the model: for every tap and output, under every value of
// every choice.
#include "model/kda_pre/trace.h"

#include <boost/test/unit_test.hpp>

#include "model/kda_pre/axes.h"
#include "model/kernel.h"
#include "tests/model/kda_pre/case.h"
#include "tests/model/trace_source.h"

namespace samebits::kda_pre {
namespace {

void CheckTraces(const Config& config, const TensorSet& inputs, const Choices& choices, int count,
                 uint64_t seed, const std::string& what) {
  samebits::testing::CheckTraces(inputs, RunModel(config, inputs, choices), count, seed, what,
                                 [&](const ElementRef& element, const ElementSource& source) {
                                   return TraceOf(config, choices, element, source);
                                 });
}

BOOST_AUTO_TEST_SUITE(trace)

BOOST_AUTO_TEST_CASE(every_tensor_under_every_value_of_every_choice) {
  const Config config = ReadConfig({{"tokens", "1"}, {"requests", "1"}, {"nblocks", "2"}});
  const char* styles[] = {"realistic", "specials", "tiny"};
  std::vector<TensorSet> inputs;
  for (const char* style : styles) inputs.push_back(MakeInputs(config, style));
  uint64_t seed = 0;
  for (const Choice& choice : ContractTable().choices()) {
    for (const std::string& value : choice.values) {
      Contract contract = ContractTable().Named("");
      contract.choices[choice.name] = value;
      ++seed;
      CheckTraces(config, inputs[seed % inputs.size()], ReadChoices(contract), 4, seed,
                  choice.name + "=" + value);
    }
  }
}

BOOST_AUTO_TEST_CASE(places_that_slots_and_strides_decide) {
  const std::vector<Settings> settings = {
      {{"tokens", "3"},
       {"requests", "3"},
       {"padding", "last"},
       {"accepted", "mixed"},
       {"targets", "repeated"},
       {"conv_layout", "sd"},
       {"state_len", "+2"},
       {"pages", "gapped"},
       {"write_idx", "4"}},
      {{"tokens", "2"},
       {"requests", "2"},
       {"accepted", "full"},
       {"targets", "dead_state"},
       {"delta", "lds"},
       {"reset", "1"}},
      {{"tokens", "2"},
       {"requests", "2"},
       {"accepted", "full"},
       {"targets", "dead_conv"},
       {"delta", "none"}},
  };
  uint64_t seed = 100;
  for (const Settings& s : settings) {
    const Config config = ReadConfig(s);
    ++seed;
    CheckTraces(config, MakeInputs(config, "realistic", seed), {}, 60, seed, "places");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::kda_pre
