// The small matrix through the interface that datasets are made by: no byte but the outputs is
// written, and threads change nothing.
#include <boost/test/unit_test.hpp>

#include "golden/matrix.h"
#include "golden/run_case.h"
#include "model/shared_expert/kernel.h"
#include "tests/model/shared_expert/case.h"

namespace samebits::shared_expert::testing {

BOOST_AUTO_TEST_SUITE(dataset)

BOOST_AUTO_TEST_CASE(small_matrix) {
  const Kernel& kernel = GetKernel();
  const Contract contract = kernel.NamedContract("");
  for (const golden::CaseSpec& spec :
       golden::LoadMatrix("data/matrices/shared_expert_small.toml", kernel)) {
    const TensorSet one = golden::ComputeCase(spec, contract, true, 1);
    const TensorSet two = golden::ComputeCase(spec, contract, true, 2);
    BOOST_TEST(FirstDifference(one, two) == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::shared_expert::testing
