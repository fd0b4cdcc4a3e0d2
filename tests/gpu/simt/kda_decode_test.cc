// The kernel's source on the executor equals the model, with the bytes that belong to no operand,
// for every schedule.
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/gpu/simt/kda_decode_case.h"

namespace samebits::gpu::kda_ws {
namespace {

constexpr uint64_t kSchedules = 8;

void ExpectEqual(const Settings& settings, int ctas, uint64_t seed) {
  for (const bool taps : {false, true}) {
    const Case c(settings, taps, seed);
    const Image model = c.RunModel();
    for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
      BOOST_TEST_CONTEXT("taps " << taps << ", schedule " << schedule) {
        BOOST_TEST(c.RunSimt(schedule, ctas).FirstDifference(model) == "");
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE(kda_decode_on_simt)

// Every count of tokens, both layouts, types, gate modes and with a bias, in turn.
BOOST_AUTO_TEST_CASE(tokens) {
  for (int tokens = 1; tokens <= kda_decode::kMaxTokens; ++tokens) {
    BOOST_TEST_CONTEXT("tokens " << tokens) {
      ExpectEqual({{"tokens", std::to_string(tokens)},
                   {"requests", "3"},
                   {"heads", "1"},
                   {"accepted", tokens == 1 ? "one" : "mixed"},
                   {"conv_layout", tokens % 2 == 0 ? "ds" : "sd"},
                   {"conv_type", tokens % 3 == 0 ? "f32" : "bf16"},
                   {"gate_mode", std::to_string(tokens / 2 % 2)},
                   {"bias", tokens % 4 == 1 ? "1" : "0"}},
                  1, static_cast<uint64_t>(tokens));
    }
  }
}

BOOST_AUTO_TEST_CASE(records) {
  ExpectEqual({{"tokens", "4"}, {"requests", "4"}, {"heads", "2"}, {"record", "1"}}, 2, 1);
  ExpectEqual({{"tokens", "3"},
               {"requests", "4"},
               {"heads", "1"},
               {"record", "1"},
               {"conv_layout", "ds"},
               {"padding", "alternate"},
               {"rows", "packed"}},
              1, 2);
}

BOOST_AUTO_TEST_CASE(paddings) {
  for (const char* padding : {"first", "last", "alternate", "all"}) {
    BOOST_TEST_CONTEXT(padding) {
      ExpectEqual({{"tokens", "2"},
                   {"requests", "5"},
                   {"heads", "1"},
                   {"padding", padding},
                   {"conv_layout", "ds"},
                   {"window", "+3"},
                   {"pages", "gapped"}},
                  1, 3);
    }
  }
}

BOOST_AUTO_TEST_CASE(targets) {
  for (const char* targets : {"source", "repeated", "null"}) {
    BOOST_TEST_CONTEXT(targets) {
      ExpectEqual({{"tokens", "3"},
                   {"requests", "3"},
                   {"heads", "2"},
                   {"accepted", "mixed"},
                   {"targets", targets},
                   {"rows", "padded"}},
                  2, 4);
    }
  }
}

// Nine items for a block wrap every barrier's parity; more blocks than items leave some idle.
BOOST_AUTO_TEST_CASE(blocks) {
  for (const int ctas : {1, 2, 5, 11}) {
    BOOST_TEST_CONTEXT("ctas " << ctas) {
      ExpectEqual({{"tokens", "1"}, {"requests", "9"}, {"heads", "1"}, {"conv_layout", "ds"}}, ctas,
                  5);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_ws
