// The matrices that the project ships, with the kernels that they are for.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "golden/matrix.h"
#include "model/kernel.h"

namespace samebits::golden {
namespace {

struct Coverage {
  size_t configurations = 0;
  std::map<std::string, std::set<std::string>> values;  // per axis
  std::set<std::string> styles;
};

Coverage Covered(const std::vector<CaseSpec>& cases) {
  Coverage covered;
  std::set<Settings> configurations;
  for (const CaseSpec& spec : cases) {
    configurations.insert(spec.config);
    covered.styles.insert(spec.style);
    for (const auto& [axis, value] : spec.config) covered.values[axis].insert(value);
  }
  covered.configurations = configurations.size();
  return covered;
}

}  // namespace

/// Every axis varies in the default and in the small matrix of a kernel; the default one has every
/// word of every axis. Both have every style.
void CheckCoverage(const std::string& name) {
  const Kernel& kernel = *FindKernel(name);
  for (const bool small : {false, true}) {
    const std::string path = "data/matrices/" + name + (small ? "_small.toml" : ".toml");
    const Coverage covered = Covered(LoadMatrix(path, kernel));
    for (const Axis& axis : kernel.axes()) {
      const std::set<std::string>& values = covered.values.at(axis.name);
      BOOST_TEST(values.size() > 1u, path << ": " << axis.name << " never varies");
      if (small) continue;
      for (const std::string& word : axis.words) {
        BOOST_TEST(values.contains(word), path << ": " << axis.name << " is never " << word);
      }
    }
    BOOST_TEST(covered.styles.size() == 6u);
  }
}

BOOST_AUTO_TEST_SUITE(default_matrices)

BOOST_AUTO_TEST_CASE(kda_decode_covers_every_axis) { CheckCoverage("kda_decode"); }

BOOST_AUTO_TEST_CASE(shared_expert_covers_every_axis) { CheckCoverage("shared_expert"); }

/// Every batch of the list in every variant and for both numbers of ranks, where it is legal, and a
/// dozen cases of the real model.
BOOST_AUTO_TEST_CASE(shared_expert_sizes) {
  const Kernel& kernel = *FindKernel("shared_expert");
  const std::vector<CaseSpec> cases = LoadMatrix("data/matrices/shared_expert.toml", kernel);
  std::map<std::string, std::set<std::string>> batches;  // per variant and tp
  std::set<Settings> real;
  for (const CaseSpec& spec : cases) {
    if (spec.config.at("width") == "7168") real.insert(spec.config);
    if (spec.config.at("width") != (spec.config.at("tp") == "8" ? "512" : "1024")) continue;
    batches[spec.config.at("variant") + spec.config.at("tp")].insert(spec.config.at("batch"));
  }
  BOOST_TEST(real.size() == 13u);  // the last block without its includes is one
  for (const char* tp : {"8", "16"}) {
    for (const char* variant : {"fused", "split", "front"}) {
      for (const char* batch : {"1", "8", "9", "16", "17", "24", "33", "64", "72", "104", "128"}) {
        const bool legal = std::string(variant) != "front" || std::stoi(batch) <= 64;
        BOOST_TEST(batches[std::string(variant) + tp].contains(batch) == legal,
                   variant << " " << tp << " " << batch);
      }
    }
  }
  const size_t small = LoadMatrix("data/matrices/shared_expert_small.toml", kernel).size();
  BOOST_TEST(small > 20u);
  BOOST_TEST(small < 50u);
}

/// In every variant, for both numbers of ranks: a mailbox half that was emptied is written again
/// (at the earliest in the third step), and the real model with all ranks is there.
BOOST_AUTO_TEST_CASE(shared_expert_devices_reuse_mailboxes) {
  const Kernel& kernel = *FindKernel("shared_expert");
  std::set<std::string> reused;
  size_t real = 0;
  for (const CaseSpec& spec : LoadMatrix("data/matrices/shared_expert_devices.toml", kernel)) {
    const Settings& config = spec.config;
    real += config.at("width") == "7168" && config.at("rank") == "-1";
    if (config.at("consumer") == "0" || std::stoi(config.at("steps")) < 3) continue;
    reused.insert(config.at("variant") + config.at("tp"));
  }
  BOOST_TEST(reused.size() == 6u);
  BOOST_TEST(real == 2u);
}

BOOST_AUTO_TEST_CASE(kda_decode_sizes) {
  const Kernel& kernel = *FindKernel("kda_decode");
  const std::vector<CaseSpec> cases = LoadMatrix("data/matrices/kda_decode.toml", kernel);
  const Coverage covered = Covered(cases);
  BOOST_TEST(covered.configurations > 450u);
  BOOST_TEST(covered.configurations < 550u);
  BOOST_TEST(cases.size() > 5 * covered.configurations);
  size_t production = 0;
  for (const CaseSpec& spec : cases) production += spec.config.at("heads") == "12";
  BOOST_TEST(production == 9u);
  const size_t small = LoadMatrix("data/matrices/kda_decode_small.toml", kernel).size();
  BOOST_TEST(small > 30u);
  BOOST_TEST(small < 50u);
}

/// Every shape of at most ten rows; every number of blocks with and without an addend and a block
/// to write.
BOOST_AUTO_TEST_CASE(kda_pre_sizes) {
  const Kernel& kernel = *FindKernel("kda_pre");
  std::set<std::pair<int, int>> shapes;
  std::set<std::tuple<int, bool, bool>> seams;
  for (const CaseSpec& spec : LoadMatrix("data/matrices/kda_pre.toml", kernel)) {
    const auto number = [&](const char* axis) { return std::stoi(spec.config.at(axis)); };
    shapes.insert({number("requests"), number("tokens")});
    seams.insert({number("nblocks"), spec.config.at("delta") != "none", number("write_idx") >= 0});
  }
  for (int requests = 1; requests <= 4; ++requests) {
    for (int tokens = 1; tokens <= 8 && requests * tokens <= 10; ++tokens) {
      BOOST_TEST(shapes.contains({requests, tokens}), requests << " x " << tokens);
    }
  }
  for (int blocks = 1; blocks <= 8; ++blocks) {
    for (const bool delta : {false, true}) {
      for (const bool write : {false, true}) {
        BOOST_TEST(seams.contains({blocks, delta, write}), blocks << " " << delta << " " << write);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(kda_pre_covers_every_axis) {
  const Kernel& kernel = *FindKernel("kda_pre");
  const std::vector<CaseSpec> cases = LoadMatrix("data/matrices/kda_pre.toml", kernel);
  const Coverage covered = Covered(cases);
  for (const Axis& axis : kernel.axes()) {
    const std::set<std::string>& values = covered.values.at(axis.name);
    BOOST_TEST(values.size() > 1u, axis.name << " never varies");
    for (const std::string& word : axis.words) {
      BOOST_TEST(values.contains(word), axis.name << " is never " << word);
    }
  }
  BOOST_TEST(covered.values.at("nblocks").size() == 8u);
  BOOST_TEST(covered.values.at("tokens").size() == 8u);
  BOOST_TEST(covered.styles.size() == 6u);
  for (const CaseSpec& spec : cases) {
    BOOST_TEST(std::stoi(spec.config.at("tokens")) * std::stoi(spec.config.at("requests")) <= 10);
  }
  BOOST_TEST(cases.size() > 120u);
  BOOST_TEST(cases.size() < 220u);
  const size_t small = LoadMatrix("data/matrices/kda_pre_small.toml", kernel).size();
  BOOST_TEST(small > 5u);
  BOOST_TEST(small < 12u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace samebits::golden
