// The kernel's source on the executor equals the model: outputs, taps, and the bytes that belong to
// no operand. A selection: each launch has 131072 threads. The small matrix under eight schedules:
// samebits verify --backend simt --repeat 8.
#include <boost/test/unit_test.hpp>

#include "tests/gpu/kda_pre/case.h"

namespace samebits::gpu::kda_pre {
namespace {

using samebits::kda_pre::Accepted;
using samebits::kda_pre::Config;
using samebits::kda_pre::ConvLayout;
using samebits::kda_pre::Delta;
using samebits::kda_pre::Padding;
using samebits::kda_pre::Pages;

BOOST_AUTO_TEST_SUITE(kda_pre_on_simt)

BOOST_AUTO_TEST_CASE(one_token) {
  const Case c({.tokens = 1, .nblocks = 1}, kGfx950);
  BOOST_TEST(c.Run(0, true) == "");
  BOOST_TEST(c.Run(1, false) == "");
}

// Two steps on one scratch, between which the tags wrap; every operand with gaps, a padded request,
// more tasks than blocks.
BOOST_AUTO_TEST_CASE(requests) {
  const Case c({.tokens = 2,
                .requests = 3,
                .nblocks = 2,
                .write_idx = 3,
                .conv_layout = ConvLayout::kChannelInner,
                .state_len = 6,
                .padding = Padding::kLast,
                .accepted = Accepted::kMixed,
                .pages = Pages::kGapped,
                .steps = 2,
                .epoch = (1 << 22) - 1,
                .layer = 91,
                .kda0 = 100},
               kGfx942);
  BOOST_TEST(c.Run(3, true) == "");
}

// x in windows; the last sources cross a power of two.
BOOST_AUTO_TEST_CASE(windows) {
  const Case c({.tokens = 4,
                .nblocks = 8,
                .delta = Delta::kNone,
                .state_len = 6,
                .accepted = Accepted::kFull},
               kGfx942);
  BOOST_TEST(c.Run(5, true) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_pre
