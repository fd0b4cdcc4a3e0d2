// The backend "hip" on whatever machine this is: it runs, or says in one line why not.
#include "gpu/hip/backend.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "gpu/hip/code_objects.h"

namespace samebits::gpu {
namespace {

BOOST_AUTO_TEST_SUITE(hip_backend)

BOOST_AUTO_TEST_CASE(opens_or_says_why) {
  const Backend& backend = *HipBackend();
  BOOST_TEST(backend.kernels().size() == 1u);
  const std::string reason = backend.unavailable();
  BOOST_TEST_MESSAGE("hip: " << (reason.empty() ? "runs here" : reason));
  BOOST_TEST(reason.find('\n') == std::string::npos);
  if (reason.empty()) {
    BOOST_TEST(!backend.Open()->info().architecture.empty());
  } else {
    BOOST_CHECK_EXCEPTION(backend.Open(), EnvironmentError,
                          [&](const EnvironmentError& error) { return error.what() == reason; });
  }
}

BOOST_AUTO_TEST_CASE(code_objects_are_whole) {
  for (const CodeObject& object : CodeObjects()) {
    BOOST_TEST_CONTEXT(object.target << " " << object.name) {
      BOOST_TEST_REQUIRE(object.elf.size() > 64u);
      BOOST_TEST(object.elf[0] == 0x7F);
      BOOST_TEST(object.elf[1] == 'E');
      BOOST_TEST(object.elf[18] == 0xE0);  // EM_AMDGPU
      BOOST_TEST(FindCodeObject(object.target, object.name) == &object);
    }
  }
  BOOST_TEST(FindCodeObject("gfx942", "nothing") == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
