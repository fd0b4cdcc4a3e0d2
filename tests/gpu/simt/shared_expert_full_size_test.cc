// One rank of the real layer on the executor: 8 ranks, 16 tokens.
#include <boost/test/unit_test.hpp>

#include "tests/gpu/simt/shared_expert_case.h"

namespace samebits::gpu::shared_expert {
namespace {

const Settings kRealLayer = {{"tp", "8"}, {"batch", "16"}, {"rank", "5"}};

BOOST_AUTO_TEST_SUITE(shared_expert_full_size)

BOOST_AUTO_TEST_CASE(sm_90a) { ExpectEqual(Target::kHopper, kRealLayer, "realistic", 1); }

BOOST_AUTO_TEST_CASE(sm_90a_halves) {
  Settings settings = kRealLayer;
  settings["variant"] = "split";
  ExpectEqual(Target::kHopper, settings, "realistic", 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::shared_expert
