// The kernel's source on the executor equals the model, with the bytes that belong to no operand,
// for every schedule.
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/gpu/simt/kda_decode_case.h"

namespace samebits::gpu::kda_ws {
namespace {

constexpr uint64_t kSchedules = 8;

void ExpectEqual(const Settings& settings, int ctas, uint64_t schedules = kSchedules) {
  for (const bool taps : {false, true}) {
    const Case c(settings, taps, 11);
    const Image model = c.RunModel();
    for (uint64_t schedule = 0; schedule < schedules; ++schedule) {
      BOOST_TEST_CONTEXT("taps " << taps << ", schedule " << schedule) {
        BOOST_TEST(c.RunSimt(schedule, ctas).FirstDifference(model) == "");
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE(kda_decode_on_simt)

BOOST_AUTO_TEST_CASE(one_token) { ExpectEqual({{"tokens", "1"}, {"requests", "3"}}, 1); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_ws
