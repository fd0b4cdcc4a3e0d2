// kda_pre with one fault of its protocol at a time: each is reported, or changes a bit.
#include <boost/test/unit_test.hpp>
#include <string>

#include "gpu/kda_pre/kernel.h"
#include "tests/gpu/kda_pre/case.h"
#include "tests/gpu/kda_pre/faulty_lane.h"

namespace samebits::gpu::kda_pre {
namespace {

constexpr int kTokens = 1;

/// With two steps the second runs on the scratch that the first left.
const Case& TestCase(int steps) {
  static const Case one({.tokens = kTokens, .nblocks = 1}, kGfx950);
  static const Case two({.tokens = kTokens, .nblocks = 1, .steps = 2}, kGfx950);
  return steps == 1 ? one : two;
}

/// What went wrong, "" if nothing did.
std::string Run(Seeded seeded, int steps) {
  try {
    const std::string difference = TestCase(steps).Run(0, false, [seeded](const Params& params) {
      KdaPre<FaultyLane, kTokens, Form::kExact, false>(FaultyLane(seeded, params), params);
    });
    return difference.empty() ? "" : "wrong bits: " + difference;
  } catch (const simt::Fault& fault) {
    return fault.what();
  }
}

void ExpectDetected(Seeded first, Seeded last, const std::string& text, int steps = 1) {
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
    const std::string found = Run(static_cast<Seeded>(i), steps);
    BOOST_TEST((!found.empty() && found.find(text) != std::string::npos),
               kSeededNames[static_cast<size_t>(i)] << ": " << found.substr(0, 1000));
    BOOST_TEST_MESSAGE(kSeededNames[static_cast<size_t>(i)] << ": " << found.substr(0, 300));
  }
}

BOOST_AUTO_TEST_SUITE(kda_pre_seeded_faults)

BOOST_AUTO_TEST_CASE(no_fault_is_no_fault) { BOOST_TEST(Run(Seeded::kNone, 2) == ""); }

BOOST_AUTO_TEST_CASE(lost_messages) {
  ExpectDetected(Seeded::kLostPart, Seeded::kLostOnrm, "deadlock");
}

BOOST_AUTO_TEST_CASE(wrong_tags) {
  ExpectDetected(Seeded::kStaleTag, Seeded::kWrongLayer, "deadlock");
  // Believed too early, or waited for after it has been overwritten: by schedule.
  ExpectDetected(Seeded::kEpochBefore, Seeded::kEpochBefore, "", 2);
}

BOOST_AUTO_TEST_CASE(missing_waits) {
  ExpectDetected(Seeded::kNoStoreWait, Seeded::kNoStoreWait, "wrong bits");
  ExpectDetected(Seeded::kNoBarriers, Seeded::kNoBarriers, "shared memory");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_pre
