// Trees that were revealed on devices (data/evidence/reveal_*.json, the output of `reveal --json`),
// held against the orders that this build's contracts prescribe.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/reveal/canonical.h"
#include "model/kernel.h"

using namespace samebits;
using harness::Canonical;
using nlohmann::json;

namespace {

struct Recorded {
  std::string file;
  json document;
};

std::vector<Recorded> Records() {
  std::vector<Recorded> records;
  for (const auto& entry : std::filesystem::directory_iterator("data/evidence")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("reveal_") || entry.path().extension() != ".json") continue;
    std::ifstream stream(entry.path());
    records.push_back({name, json::parse(stream)});
  }
  return records;
}

const json& StageNamed(const json& document, std::string_view name) {
  for (const json& stage : document.at("reductions")) {
    if (stage.at("stage") == name) return stage;
  }
  throw std::runtime_error("no stage " + std::string(name));
}

/// The text that `reveal` prints for a tree that is the contract's.
std::string Expected(const Reduction& reduction, const ReductionOrder& order,
                     const Settings& config, const json& stage) {
  const bool products_exact = !stage.contains("fused");
  return order::ToText(Canonical(order, reduction.has_start(config), products_exact));
}

void CheckUnit(const json& stage, const ReductionOrder& order) {
  if (order::Count(order.tree).matrix == 0) return;
  const json& unit = stage.at("unit");
  BOOST_TEST(unit.at("products") == order.unit->block_size());
  BOOST_TEST(unit.at("fraction_bits") == order.unit->fraction_bits);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reveal_evidence)

BOOST_AUTO_TEST_CASE(devices_sum_as_the_contracts_say) {
  const std::vector<Recorded> records = Records();
  BOOST_REQUIRE_MESSAGE(!records.empty(), "data/evidence: expected reveal_*.json");
  for (const auto& [file, document] : records) {
    const Kernel* kernel = FindKernel(document.at("kernel").get<std::string>());
    BOOST_REQUIRE(kernel != nullptr);
    const Contract contract = kernel->NamedContract(document.at("contract").get<std::string>());
    const Settings config = kernel->Complete(document.at("config").get<Settings>());
    for (const Reduction* reduction : kernel->reductions()) {
      BOOST_TEST_CONTEXT(file << " " << reduction->name()) {
        const json& stage = StageNamed(document, reduction->name());
        const ReductionOrder order = reduction->Order(config, contract);
        BOOST_TEST(stage.at("revealed") == Expected(*reduction, order, config, stage));
        BOOST_TEST(stage.at("contradicted") == 0);
        CheckUnit(stage, order);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(another_order_has_another_text) {
  for (const auto& [file, document] : Records()) {
    const Kernel* kernel = FindKernel(document.at("kernel").get<std::string>());
    const Contract standard = kernel->NamedContract(document.at("contract").get<std::string>());
    const Settings config = kernel->Complete(document.at("config").get<Settings>());
    std::set<std::string> told;
    for (const Choice& choice : kernel->choices()) {
      for (const std::string& value : choice.values) {
        Contract changed = standard;
        changed.choices[choice.name] = value;
        for (const Reduction* reduction : kernel->reductions()) {
          const json& stage = StageNamed(document, reduction->name());
          if (stage.at("revealed") !=
              Expected(*reduction, reduction->Order(config, changed), config, stage)) {
            told.emplace(reduction->name());
          }
        }
      }
    }
    BOOST_TEST(told.size() == kernel->reductions().size(), file);
  }
}

BOOST_AUTO_TEST_SUITE_END()
