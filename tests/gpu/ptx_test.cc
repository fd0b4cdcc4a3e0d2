// The PTX of the kernels: every operation of the checked path says how it rounds.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace samebits::gpu {
namespace {

std::string ReadPtx(const std::string& architecture, int tokens) {
  const std::string path = std::string(SAMEBITS_PTX_FOLDER) + "/kda_decode_" +
                           std::to_string(tokens) + ".sm_" + architecture + ".ptx";
  std::ifstream file(path);
  BOOST_TEST_REQUIRE(file.good(), "cannot read " << path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

size_t Count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex),
                       std::sregex_iterator());
}

template <typename Function>
void ForEachPtx(Function function) {
  for (const std::string architecture : {"90a", "100a"}) {
    for (const int tokens : {1, 8}) {
      BOOST_TEST_CONTEXT("sm_" << architecture << ", " << tokens << " tokens") {
        function(architecture, ReadPtx(architecture, tokens));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE(ptx)

BOOST_AUTO_TEST_CASE(arithmetic_is_spelled) {
  ForEachPtx([](const std::string&, const std::string& ptx) {
    // ptxas may fuse what has no rounding mode.
    BOOST_TEST(Count(ptx, R"(\b(add|sub|mul|mad|fma)\.(ftz\.|sat\.)*f(32|64)\b)") == 0u);
    // Denormals are flushed by the special functions alone, where they cannot matter (block.cuh).
    const size_t special = Count(ptx, R"(\b(ex2|rcp)\.approx\.ftz\.f32\b)");
    BOOST_TEST(special > 0u);
    BOOST_TEST(Count(ptx, R"(\.ftz)") == special);
    BOOST_TEST(Count(ptx, R"(\b(div|sqrt|rcp)\.rn)") == 0u);
    // The forms of the specification are there.
    BOOST_TEST(Count(ptx, R"(\bmul\.rn\.f32\b)") > 0u);
    BOOST_TEST(Count(ptx, R"(\bfma\.rn\.f32\b)") > 0u);
    BOOST_TEST(Count(ptx, R"(ex2\.approx\.f32)") > 0u);
    BOOST_TEST(Count(ptx, R"(rcp\.approx\.f32)") > 0u);
    BOOST_TEST(Count(ptx, R"(mma\.sync\.aligned\.m16n8k16)") > 0u);
  });
}

BOOST_AUTO_TEST_CASE(scan_is_packed_on_sm_100) {
  ForEachPtx([](const std::string& architecture, const std::string& ptx) {
    // Two kernels per file; 4 rows x 4 chunks x 2 pairs: one product, three fused.
    const bool packed = architecture == "100a";
    BOOST_TEST(Count(ptx, R"(mul\.rn\.f32x2)") == (packed ? 2 * 32u : 0u));
    BOOST_TEST(Count(ptx, R"(fma\.rn\.f32x2)") == (packed ? 2 * 96u : 0u));
  });
}

BOOST_AUTO_TEST_CASE(registers_move_to_the_scan) {
  ForEachPtx([](const std::string&, const std::string& ptx) {
    BOOST_TEST(Count(ptx, R"(setmaxnreg\.inc\.sync\.aligned\.u32 168;)") == 2u);
    // Each prep group has a branch of its own.
    BOOST_TEST(Count(ptx, R"(setmaxnreg\.dec\.sync\.aligned\.u32 88;)") == 4u);
    BOOST_TEST(Count(ptx, R"(\.local\b)") == 0u);  // no array on the stack
  });
}

BOOST_AUTO_TEST_CASE(states_are_stored_in_vectors) {
  ForEachPtx([](const std::string&, const std::string& ptx) {
    // 16 in the kernel without taps, twice that in the one with.
    BOOST_TEST(Count(ptx, R"(st\.global\.v4\.f32)") == 48u);
    BOOST_TEST(Count(ptx, R"(cp\.async\.bulk\.shared::cluster\.global)") >= 2 * 4u);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
