// kda_decode with one synchronisation fault at a time: each is reported, or changes a bit, within
// 32 schedules.
#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>

#include "gpu/kda_decode/kernel.cuh"
#include "tests/gpu/simt/faulty_lane.h"
#include "tests/gpu/simt/kda_decode_case.h"

namespace samebits::gpu::kda_ws {
namespace {

constexpr int kTokens = 2;
constexpr uint64_t kSchedules = 32;

/// Ten items for one block, so that every barrier goes through several phases.
const Case& TestCase() {
  static const Case c({{"tokens", std::to_string(kTokens)},
                       {"requests", "5"},
                       {"heads", "2"},
                       {"conv_layout", "ds"},
                       {"window", "+4"}},
                      false, 23);
  return c;
}

/// What went wrong, "" if nothing did.
std::string Run(Seeded seeded, uint64_t schedule, const Image& model) {
  const Case& c = TestCase();
  try {
    const Image image = c.RunSimt(schedule, 1, [&](const Params& params) {
      KdaDecode<FaultyLane<kTokens>, kTokens, false>(FaultyLane<kTokens>(seeded), params);
    });
    const std::string difference = image.FirstDifference(model);
    return difference.empty() ? "" : "wrong bits: " + difference;
  } catch (const simt::Fault& fault) {
    return fault.what();
  }
}

BOOST_AUTO_TEST_SUITE(seeded_faults)

BOOST_AUTO_TEST_CASE(no_fault_is_no_fault) {
  const Image model = TestCase().RunModel();
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    BOOST_TEST(Run(Seeded::kNone, schedule, model) == "");
  }
}

BOOST_AUTO_TEST_CASE(every_fault_is_detected) {
  const Image model = TestCase().RunModel();
  for (int i = 1; i < static_cast<int>(Seeded::kCount); ++i) {
    const std::string name(kSeededNames[static_cast<size_t>(i)]);
    std::string found;
    uint64_t schedule = 0;
    for (; schedule < kSchedules && found.empty(); ++schedule) {
      found = Run(static_cast<Seeded>(i), schedule, model);
    }
    BOOST_TEST(!found.empty(), name << ": not detected in " << kSchedules << " schedules");
    BOOST_TEST_MESSAGE(name << ": schedule " << schedule - 1 << ": " << found);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_ws
