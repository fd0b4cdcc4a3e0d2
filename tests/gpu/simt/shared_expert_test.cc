// The kernels' sources on the executor equal the model for every schedule: sm_90a and sm_100a, each
// with its own matrix unit.
#include <boost/test/unit_test.hpp>

#include "tests/gpu/simt/shared_expert_case.h"

namespace samebits::gpu::shared_expert {
namespace {

constexpr uint64_t kSchedules = 8;

void ExpectBothEqual(const Settings& settings, const char* style, uint64_t schedules = kSchedules) {
  for (const Target target : {Target::kHopper, Target::kBlackwell}) {
    ExpectEqual(target, settings, style, schedules);
  }
}

/// Eight ranks, ks 5, two M-tiles of a rank, one K block of down; `more` wins.
Settings Reduced(Settings more) {
  more.merge(Settings{{"tp", "8"},
                      {"width", "512"},
                      {"intermediate", "512"},
                      {"grid", "10"},
                      {"latent", "256"},
                      {"experts", "64"},
                      {"capacity", "+1"},
                      {"rank", "3"}});
  return more;
}

BOOST_AUTO_TEST_SUITE(shared_expert_on_simt)

BOOST_AUTO_TEST_CASE(fused) {
  ExpectBothEqual(Reduced({{"batch", "9"}}), "realistic");
  ExpectBothEqual(Reduced({{"batch", "33"}, {"parity", "1"}}), "specials", 2);
}

BOOST_AUTO_TEST_CASE(counters_and_exchange_serve_again) {
  ExpectBothEqual(Reduced({{"batch", "5"}, {"steps", "3"}, {"rank", "-1"}, {"consumer", "1"}}),
                  "cancelling", 2);
}

BOOST_AUTO_TEST_CASE(split) {
  ExpectBothEqual(Reduced({{"variant", "split"}, {"batch", "17"}, {"sms", "3"}}), "realistic");
}

// More blocks than SharedDown has tiles: one that loaded rows without a tile ended amid its copies.
BOOST_AUTO_TEST_CASE(split_on_more_blocks_than_tiles) {
  ExpectEqual(Target::kHopper, Reduced({{"variant", "split"}, {"batch", "17"}, {"sms", "9"}}),
              "realistic", kSchedules);
}

// Spans of five and six K blocks and five of down, several tiles per block of SharedDown: weights
// in registers and twice through the ring, rows that come again.
BOOST_AUTO_TEST_CASE(split_with_long_spans) {
  for (const char* batch : {"9", "33"}) {
    ExpectEqual(Target::kHopper,
                {{"variant", "split"},
                 {"tp", "2"},
                 {"batch", batch},
                 {"width", "1664"},
                 {"intermediate", "640"},
                 {"grid", "50"},
                 {"latent", "256"},
                 {"experts", "64"},
                 {"capacity", "+0"},
                 {"rank", "1"},
                 {"sms", "3"}},
                "realistic", kSchedules);
  }
}

BOOST_AUTO_TEST_CASE(front) {
  const auto settings = [](const char* batch) {
    return Reduced({{"variant", "front"},
                    {"batch", batch},
                    {"sms", "5"},
                    {"front_split", "+8"},
                    {"front_rows", "+20"},
                    {"front_pitch", "+8"}});
  };
  ExpectBothEqual(settings("9"), "realistic");
  ExpectBothEqual(settings("33"), "realistic", 2);
}

// Owners of four columns, more K blocks than stages, several down blocks.
BOOST_AUTO_TEST_CASE(clusters_of_ten) {
  ExpectBothEqual({{"tp", "16"},
                   {"batch", "10"},
                   {"width", "1024"},
                   {"intermediate", "2048"},
                   {"grid", "40"},
                   {"latent", "512"},
                   {"experts", "128"},
                   {"capacity", "+0"},
                   {"rank", "15"}},
                  "realistic", 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::shared_expert
