// kda_decode with one synchronisation fault at a time: each is reported, or changes a bit, within
// 32 schedules.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "gpu/kda_decode/kernel.cuh"
#include "tests/gpu/simt/faulty_lane.h"
#include "tests/gpu/simt/kda_decode_case.h"

namespace samebits::gpu::kda_ws {
namespace {

constexpr uint64_t kSchedules = 32;

/// Ten items for one block, so that every barrier goes through several phases; two heads, so that
/// the weights are replaced. The second has no states to write, whose barriers hide what others are
/// for, and padded rows; the third one token, where the scan waits for no rows before the state.
const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = [] {
    const Settings shape = {{"tokens", "2"}, {"requests", "5"}, {"heads", "2"}, {"window", "+4"}};
    Settings states = shape, records = shape, one = shape;
    states["conv_layout"] = "ds";
    records["record"] = "1";
    records["padding"] = "alternate";
    one["tokens"] = "1";
    std::vector<Case> made;
    made.emplace_back(states, false, 23);
    made.emplace_back(records, false, 24);
    made.emplace_back(one, false, 25);
    return made;
  }();
  return cases;
}

template <int T>
Image RunWith(const Seeded& seeded, const Case& c, uint64_t schedule) {
  return c.RunSimt(schedule, 1, [&](const Params& params) {
    KdaDecode<FaultyLane<T>, T, false>(FaultyLane<T>(seeded), params);
  });
}

/// What went wrong, "" if nothing did.
std::string Run(const Seeded& seeded, const Case& c, uint64_t schedule, const Image& model) {
  try {
    const Image image =
        c.config.tokens == 1 ? RunWith<1>(seeded, c, schedule) : RunWith<2>(seeded, c, schedule);
    const std::string difference = image.FirstDifference(model);
    return difference.empty() ? "" : "wrong bits: " + difference;
  } catch (const simt::Fault& fault) {
    return fault.what();
  }
}

/// The first of the schedules of a case that something goes wrong in, and what, "" if nothing does.
std::string Search(const Seeded& seeded, const Case& c, const Image& model) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const std::string found = Run(seeded, c, schedule, model);
    if (!found.empty()) return "schedule " + std::to_string(schedule) + ": " + found;
  }
  return "";
}

BOOST_AUTO_TEST_SUITE(seeded_faults)

BOOST_AUTO_TEST_CASE(no_fault_is_no_fault) {
  for (const Case& c : Cases()) BOOST_TEST(Search(kNoFault, c, c.RunModel()) == "");
}

BOOST_AUTO_TEST_CASE(every_fault_is_detected) {
  std::vector<Image> models;
  for (const Case& c : Cases()) models.push_back(c.RunModel());
  for (const Seeded& seeded : kSeeded) {
    std::string found;
    for (size_t i = 0; i < models.size() && found.empty(); ++i) {
      found = Search(seeded, Cases()[i], models[i]);
    }
    BOOST_TEST(!found.empty(), seeded.name << ": not detected in " << kSchedules << " schedules");
    BOOST_TEST_MESSAGE(seeded.name << ": " << found);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_ws
