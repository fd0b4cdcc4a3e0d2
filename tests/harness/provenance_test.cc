// Results that rest on an assumed unit say so, wherever they are reported.
#include "harness/provenance.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/harness/command.h"

using namespace samebits;
using namespace samebits::harness;
using nlohmann::json;
using samebits::testing::CommandResult;
using samebits::testing::ReadFile;
using samebits::testing::RunSamebits;
using samebits::testing::TemporaryFolder;
using samebits::testing::WriteFile;

namespace {

std::string AssumedBy(const std::string& kernel, const std::string& contract,
                      const Settings& changes = {}) {
  const Kernel& known = *FindKernel(kernel);
  Contract changed = known.NamedContract(contract);
  for (const auto& [choice, value] : changes) changed.choices.at(choice) = value;
  return AssumedText(UnitsOf(known, changed));
}

/// Standard output of a command that must end with `status`.
std::string Output(const std::string& arguments, const TemporaryFolder& folder, int status = 0) {
  const CommandResult result = RunSamebits(arguments, folder.path());
  BOOST_REQUIRE_MESSAGE(result.status == status, arguments + ": " + result.err);
  return result.out;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int AssumedIn(const json& units) {
  int count = 0;
  for (const json& unit : units) count += unit.at("evidence") == "assumed";
  return count;
}

const std::string kAssumed = "sm_100 ex2, rcp, sqrt";
const std::string kLine = "rests on assumed: " + kAssumed + "\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(provenance)

BOOST_AUTO_TEST_CASE(every_unit_of_a_named_contract_has_an_entry_in_a_profile) {
  for (const Kernel* kernel : Kernels()) {
    for (const std::string& name : kernel->contract_names()) {
      const std::vector<KnownUnit> units = UnitsOf(*kernel, kernel->NamedContract(name));
      BOOST_TEST(units.size() >= 3u, name);
      for (const KnownUnit& unit : units) {
        const std::string place = name + ": " + unit.entry.profile + " " + unit.entry.name;
        BOOST_TEST(!Has(unit.evidence.source, "has no such"), place);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_named_contracts_assume) {
  BOOST_TEST(AssumedBy("kda_decode", "kda_ws.sm_90") == "");
  BOOST_TEST(AssumedBy("kda_decode", "stock.triton") == "");
  BOOST_TEST(AssumedBy("kda_decode", "kda_ws.sm_100") == kAssumed);
  BOOST_TEST(AssumedBy("shared_expert", "shared_expert.sm_90") == "");
  BOOST_TEST(AssumedBy("shared_expert", "shared_expert.sm_100") == "sm_100 ex2, rcp");
  BOOST_TEST(AssumedBy("kda_pre", "kda_pre.gfx942") == "gfx942 rsq, ex2");
  BOOST_TEST(AssumedBy("kda_pre", "kda_pre.gfx950") == "gfx950 rsq, ex2, v_mfma_f32_16x16x32_bf16");
}

BOOST_AUTO_TEST_CASE(choices_say_which_units_there_are) {
  const std::string sm_100 = "kda_ws.sm_100";
  BOOST_TEST(AssumedBy("kda_decode", sm_100, {{"gate_form", "softplus"}}) == kAssumed + ", lg2");
  BOOST_TEST(AssumedBy("kda_decode", sm_100, {{"exp", "exact"}}) == "sm_100 rcp, sqrt");
  BOOST_TEST(AssumedBy("kda_decode", sm_100,
                       {{"qk_norm_reciprocal", "rsqrt"}, {"out_norm_reciprocal", "rn"}}) ==
             "sm_100 ex2, rcp, rsq");
  BOOST_TEST(AssumedBy("kda_decode", sm_100, {{"special_functions", "correctly_rounded"}}) == "");
  BOOST_TEST(AssumedBy("shared_expert", "shared_expert.sm_100", {{"situ", "approx"}}) ==
             "sm_100 ex2, rcp, tanh");
  const std::string gfx950 = "kda_pre.gfx950";
  BOOST_TEST(AssumedBy("kda_pre", gfx950, {{"matrix_unit", "gfx950.late_32"}}) ==
             "gfx950 rsq, ex2, v_mfma_f32_16x16x32_bf16");
  BOOST_TEST(AssumedBy("kda_pre", gfx950, {{"matrix_unit", "gfx942.mfma_16x16x16"}}) ==
             "gfx950 rsq, ex2");
  BOOST_TEST(AssumedBy("kda_pre", gfx950, {{"matrix_unit", "reference.exact_rn"}}) ==
             "gfx950 rsq, ex2");
}

BOOST_AUTO_TEST_CASE(what_no_profile_knows_counts_as_assumed) {
  const Kernel& kernel = *FindKernel("kda_decode");
  Contract contract = kernel.NamedContract("");
  contract.profile = "sm_none";
  BOOST_TEST(AssumedText(UnitsOf(kernel, contract)) == "sm_none ex2, rcp, sqrt");
  contract.choices.erase("exp");
  BOOST_TEST(Has(AssumedText(UnitsOf(kernel, contract)), "sm_none units of a contract"));
}

BOOST_AUTO_TEST_CASE(every_report_says_it) {
  const TemporaryFolder folder;
  const std::string config = " --config tokens=1,heads=1,requests=1 ";
  BOOST_TEST(
      Has(Output("generate kda_decode --contract kda_ws.sm_100 -o a.h5" + config, folder), kLine));
  Output("generate kda_decode -o b.h5" + config, folder);
  BOOST_TEST(Has(Output("inspect a.h5", folder), kLine));
  BOOST_TEST(Has(Output("verify a.h5 --backend model", folder), kLine));
  BOOST_TEST(Has(Output("compare b.h5 a.h5", folder), kLine));
  BOOST_TEST(Has(Output("list kda_decode", folder), kLine));
  for (const char* verb : {"inspect b.h5", "verify b.h5 --backend model", "compare b.h5 b.h5"}) {
    BOOST_TEST(!Has(Output(verb, folder), "assumed"), verb);
  }
}

BOOST_AUTO_TEST_CASE(every_json_and_the_page_say_it) {
  const TemporaryFolder folder;
  const std::string config = " --config tokens=1,heads=1,requests=1 --json";
  const json made =
      json::parse(Output("generate kda_decode --contract kda_ws.sm_100 -o a.h5" + config, folder));
  BOOST_TEST(AssumedIn(made.at("rests_on")) == 3);
  Output("generate kda_decode -o b.h5" + config, folder);
  BOOST_TEST(AssumedIn(json::parse(Output("inspect a.h5 --json", folder)).at("rests_on")) == 3);
  const std::string verified =
      Output("verify a.h5 --backend model --contract kda_ws.sm_90 --json", folder);
  BOOST_TEST(AssumedIn(json::parse(verified).at("rests_on")) == 3);
  BOOST_TEST(AssumedIn(json::parse(verified).at("backend_rests_on")) == 0);
  const std::string compared = Output("compare b.h5 a.h5 --json", folder);
  BOOST_TEST(AssumedIn(json::parse(compared).at("rests_on")) == 0);
  BOOST_TEST(AssumedIn(json::parse(compared).at("actual_rests_on")) == 3);
  for (const std::string& result : {verified, compared}) {
    WriteFile(folder.path() / "result.json", result);
    Output("report result.json -o page.html --force", folder);
    BOOST_TEST(Has(ReadFile(folder.path() / "page.html"), "sm_100 sqrt"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
