// The trace of an element has the bits of the model: for every tap and output, under every value of
// every choice.
#include "model/shared_expert/trace.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "model/kernel.h"
#include "tests/model/shared_expert/case.h"
#include "tests/model/trace_source.h"

namespace samebits::shared_expert::testing {
namespace {

using samebits::testing::BitsAt;
using samebits::testing::SetSource;

std::vector<Settings> Configs() {
  return {
      Small(2, {{"batch", "3"}, {"consumer", "1"}, {"steps", "3"}}),
      Small(2, {{"batch", "5"}, {"variant", "split"}, {"linear_beta", "0"}, {"steps", "2"}}),
      Small(2, {{"batch", "2"}, {"variant", "front"}}),
      Small(2, {{"batch", "2"}, {"rank", "1"}, {"steps", "3"}, {"parity", "1"}}),
  };
}

void CheckTraces(const Case& c, const Choices& choices, int count, uint64_t seed,
                 const std::string& what) {
  samebits::testing::CheckTraces(c.inputs, Run(c, choices), count, seed, what,
                                 [&](const ElementRef& element, const ElementSource& source) {
                                   return TraceOf(c.config, choices, element, source);
                                 });
}

BOOST_AUTO_TEST_SUITE(trace)

BOOST_AUTO_TEST_CASE(every_tensor_under_every_value_of_every_choice) {
  const char* styles[] = {"realistic", "specials", "wide", "tiny"};
  uint64_t seed = 0;
  for (const Settings& settings : Configs()) {
    std::vector<Case> cases;
    for (const char* style : styles) cases.push_back(MakeCase(settings, style, ++seed));
    for (const Choice& choice : ContractTable().choices()) {
      for (const std::string& value : choice.values) {
        Contract contract = ContractTable().Named("");
        contract.choices[choice.name] = value;
        for (const Case& c : cases) {
          CheckTraces(c, ReadChoices(contract), 3, ++seed, choice.name + "=" + value);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(mailboxes_hold_what_was_pushed_or_what_was_there) {
  for (const Settings& settings : Configs()) {
    const Case c = MakeCase(settings);
    const TensorSet results = Run(c);
    const SetSource source({&c.inputs, &results});
    for (const Tensor& tensor : results.tensors) {
      if (tensor.spec.role != Role::kOutput) continue;
      const int64_t step = std::max<int64_t>(1, tensor.spec.elements() / 3001);
      int wrong = 0;
      for (int64_t i = 0; i < tensor.spec.elements(); i += step) {
        const Trace trace = TraceOf(c.config, {}, {Role::kOutput, tensor.spec.name, i}, source);
        wrong += trace.nodes[trace.root].bits != BitsAt(tensor, i);
      }
      BOOST_TEST(wrong == 0, tensor.spec.name);
    }
  }
}

BOOST_AUTO_TEST_CASE(unknown_elements_are_refused) {
  const Case c = MakeCase(Configs()[0]);
  const SetSource source({&c.inputs});
  BOOST_CHECK_THROW(TraceOf(c.config, {}, {Role::kTap, "parts", 0}, source), ConfigError);
  BOOST_CHECK_THROW(TraceOf(c.config, {}, {Role::kTap, "sum", -1}, source), ConfigError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::shared_expert::testing
