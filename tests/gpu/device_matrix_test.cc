// The configurations of the device test are legal (they are run only where there is a device).
#include "tests/gpu/device_matrix.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "golden/inputs.h"
#include "model/kernel.h"

namespace samebits::gpu {
namespace {

BOOST_AUTO_TEST_SUITE(device_matrix)

BOOST_AUTO_TEST_CASE(legal_and_complete) {
  const Kernel& kernel = *FindKernel("kda_decode");
  std::set<std::string> styles, windows, targets;
  for (const DeviceCase& c : DeviceCases()) {
    const Settings config = kernel.Complete(c.config);
    BOOST_CHECK_NO_THROW(golden::GenerateInputs({&kernel, config, c.style, c.seed}));
    styles.insert(c.style);
    windows.insert(config.at("window"));
    targets.insert(config.at("targets"));
  }
  BOOST_TEST(styles.size() == golden::StyleNames().size());
  BOOST_TEST(targets.size() == 4u);
  BOOST_TEST(windows.size() > 8u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
