// Bytes per item against the table of SPEC.md section 8.
#include "gpu/kda_decode/traffic.h"

#include <boost/test/unit_test.hpp>

namespace samebits::gpu::kda_ws {
namespace {

BOOST_AUTO_TEST_SUITE(traffic)

BOOST_AUTO_TEST_CASE(items_of_the_specification) {
  // State write sd, ds; record sd, ds. No record with one token.
  constexpr int64_t kBytes[8][4] = {{136962, 136962, 0, 0},         {204548, 205316, 75524, 76292},
                                    {272134, 273670, 78598, 80134}, {339720, 342024, 81672, 83976},
                                    {407306, 410378, 84746, 87818}, {474892, 478732, 87820, 91660},
                                    {542478, 547086, 90894, 95502}, {610064, 615440, 93968, 99344}};
  for (int tokens = 1; tokens <= 8; ++tokens) {
    for (int column = 0; column < 4; ++column) {
      if (kBytes[tokens - 1][column] == 0) continue;
      kda_decode::Config config;
      config.tokens = tokens;
      config.window = tokens + 2;
      config.record = column >= 2;
      if (column % 2 == 1) config.conv_layout = kda_decode::ConvLayout::kDimFirst;
      BOOST_TEST(BytesPerItem(config) == kBytes[tokens - 1][column]);
    }
  }
}

BOOST_AUTO_TEST_CASE(launch_of_the_specification) {
  kda_decode::Config config;
  config.heads = 12;
  config.requests = 16;
  BOOST_TEST((BytesPerLaunch(config) + 50000) / 100000 == 268);  // 26.8 MB
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_ws
