// `slice`: the operations of one element, and where the bits of a second file part from them.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/harness/command.h"

using nlohmann::json;
using samebits::testing::CommandResult;
using samebits::testing::ReadFile;
using samebits::testing::RunSamebits;
using samebits::testing::TemporaryFolder;

namespace {

constexpr const char* kGenerate =
    "generate kda_decode --taps --config tokens=2,heads=2,requests=2 --force ";

struct Fixture {
  TemporaryFolder folder;

  CommandResult Text(const std::string& arguments, int status) {
    CommandResult result = RunSamebits(arguments, folder.path());
    BOOST_REQUIRE_MESSAGE(result.status == status,
                          arguments << ": " << result.status << " " << result.err << result.out);
    return result;
  }
  json Json(const std::string& arguments, int status) {
    return json::parse(Text(arguments + " --json", status).out);
  }
};

size_t Count(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(slice, Fixture)

BOOST_AUTO_TEST_CASE(one_file_shows_every_operation) {
  Text(std::string(kGenerate) + "-o golden.h5", 0);
  const json dot = Json("slice golden.h5 --tensor dot --at h=1,v=41", 0);
  BOOST_TEST(dot.at("elements").size() == 1u);
  const json& element = dot.at("elements")[0];
  BOOST_TEST(element.at("at") == json({{"request", 0}, {"token", 0}, {"head", 1}, {"value", 41}}));
  const json& nodes = element.at("nodes");
  BOOST_TEST(nodes.at(element.at("root").get<size_t>()).at("expected").at("bits") ==
             element.at("expected").at("bits"));
  size_t fma = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    fma += nodes[i].at("op") == "fma";
    for (const json& operand : nodes[i].value("operands", json::array())) {
      BOOST_TEST(operand.get<size_t>() < i);
    }
  }
  BOOST_TEST(fma == 128u);

  const std::string folded = Text("slice golden.h5 --tensor dot --at h=1,v=41 --depth 2", 0).out;
  const std::string whole = Text("slice golden.h5 --tensor dot --at h=1,v=41 --depth 0", 0).out;
  BOOST_TEST(folded.find("lines folded") != std::string::npos);
  BOOST_TEST(whole.find("folded") == std::string::npos);
  BOOST_TEST(Count(whole, "chain of 4 fma") == 32u);
  BOOST_TEST(Count(whole, "taps/norm.k ") == 128u);
}

/// Opened stage by stage, the same element ends at inputs alone.
BOOST_AUTO_TEST_CASE(stages_open_back_to_the_inputs) {
  Text(std::string(kGenerate) + "-o golden.h5", 0);
  const json one = Json("slice golden.h5 --tensor correction --at value=3", 0);
  const json two = Json("slice golden.h5 --tensor correction --at value=3 --stages 2", 0);
  const json all = Json("slice golden.h5 --tensor correction --at value=3 --stages 0", 0);
  BOOST_TEST(one.at("elements").size() == 1u);
  BOOST_TEST(two.at("elements").size() == 4u);  // conv.v, dot, beta
  BOOST_TEST(all.at("elements").size() > 400u);
  const CommandResult many =
      RunSamebits("slice golden.h5 --tensor output --at token_row=3 --stages 0", folder.path());
  BOOST_TEST(many.status == 2);
  BOOST_TEST(many.err.find("expected fewer --stages") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(two_files_part_where_the_contract_says) {
  Text(std::string(kGenerate) + "-o golden.h5", 0);
  Text(std::string(kGenerate) + "-o other.h5 --set key_dot_tree=ws_ascending", 0);
  const json first = Json("slice golden.h5 other.h5", 1);
  const json& dot = first.at("elements")[0];
  BOOST_TEST(dot.at("tensor") == "dot");
  BOOST_TEST(dot.at("blame") == "parts");
  BOOST_TEST(!dot.contains("first_difference"));  // all operands have the expected bits

  // From a state that the fault has reached: through the correction, back to the dot.
  const json diff = Json("compare golden.h5 other.h5 --tensor state.after", 1);
  std::string at;
  for (const auto& [dim, index] :
       diff.at("cases")[0].at("differences")[0].at("first").at("coordinates").items()) {
    at += (at.empty() ? "" : ",") + dim + "=" + index.dump();
  }
  const json state = Json("slice golden.h5 other.h5 --tensor state.after --at " + at, 1);
  std::vector<std::string> path, blames;
  for (const json& place : state.at("path")) {
    const json& element = state.at("elements").at(place.get<size_t>());
    path.push_back(element.at("tensor"));
    blames.push_back(element.at("blame"));
  }
  BOOST_TEST(path == (std::vector<std::string>{"state.after", "correction", "dot"}),
             boost::test_tools::per_element());
  BOOST_TEST(blames == (std::vector<std::string>{"carried", "carried", "parts"}),
             boost::test_tools::per_element());

  const std::string text = Text("slice golden.h5 other.h5", 1).out;
  BOOST_TEST(text.find("the bits part here, the contract gives") != std::string::npos);
  BOOST_TEST(Text("slice golden.h5 golden.h5 --tensor dot --at v=1", 0).out.find("same bits") !=
             std::string::npos);
}

/// Without taps in the file only the output itself can be blamed.
BOOST_AUTO_TEST_CASE(outputs_alone) {
  Text(std::string(kGenerate) + "-o golden.h5", 0);
  Text("verify golden.h5 --backend model --set output_rounding=rz --record seen.h5", 1);
  const json slice = Json("slice golden.h5 seen.h5", 1);
  BOOST_TEST(slice.at("elements")[0].at("tensor") == "output");
  BOOST_TEST(slice.at("elements")[0].at("blame") == "parts");
}

BOOST_AUTO_TEST_CASE(files_of_hashes_are_computed) {
  Text(std::string(kGenerate) + "-o hashes.h5 --store hashes", 0);
  Text(std::string(kGenerate) + "-o golden.h5", 0);
  Text(std::string(kGenerate) + "-o seen.h5 --set output_rounding=rz", 0);
  const CommandResult unnamed = RunSamebits("slice hashes.h5 seen.h5", folder.path());
  BOOST_TEST(unnamed.status == 2);
  BOOST_TEST(unnamed.err ==
             "samebits: hashes.h5: holds no values (--store hashes) to find a "
             "difference in: expected --tensor and --at\n");
  const std::string element = " --tensor out.scaled --at request=1,token=1,head=1,value=77";
  BOOST_TEST(Json("slice hashes.h5" + element, 0).at("elements") ==
             Json("slice golden.h5" + element, 0).at("elements"));
}

BOOST_AUTO_TEST_CASE(the_page_stands_alone) {
  Text(std::string(kGenerate) + "-o golden.h5", 0);
  Text(std::string(kGenerate) + "-o other.h5 --set correction_form=fma", 0);
  Text("slice golden.h5 other.h5 -o page.html --stages 2", 1);
  const std::string page = ReadFile(folder.path() / "page.html");
  BOOST_TEST(page.starts_with("<!doctype html>"));
  BOOST_TEST(Count(page, "<details") == Count(page, "</details>"));
  BOOST_TEST(Count(page, "<details") > 100u);
  BOOST_TEST(Count(page, "<div") == Count(page, "</div>"));
  for (const char* outside : {"http:", "https:", "src=", "<script", "@import", "url("}) {
    BOOST_TEST(page.find(outside) == std::string::npos, outside);
  }
  const CommandResult again = RunSamebits("slice golden.h5 other.h5 -o page.html", folder.path());
  BOOST_TEST(again.status == 2);
  BOOST_TEST(again.err.find("page.html: exists (--force replaces it)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(errors_are_one_line) {
  Text(std::string(kGenerate) + "-o golden.h5", 0);
  const std::pair<const char*, const char*> failures[] = {
      {"", "expected --tensor and --at"},
      {"--tensor dots", "did you mean \"dot\""},
      {"--tensor dot --at hed=1", "unknown dimension of dot \"hed\": did you mean \"head\""},
      {"--tensor dot --at head", "--at: expected DIM=INDEX"},
      {"--tensor dot --at head=2", "--at: head: expected 0..1, got \"2\""},
      {"--tensor dot --at head=-1", "--at: head: expected 0..1"},
      {"--tensor x", "unknown tap or output \"x\""},
      {"--case zz --tensor dot", "no case \"zz\""},
  };
  for (const auto& [arguments, line] : failures) {
    const CommandResult result =
        RunSamebits(std::string("slice golden.h5 ") + arguments, folder.path());
    BOOST_TEST(result.status == 2, arguments);
    BOOST_TEST(result.err.find(line) != std::string::npos, result.err);
    BOOST_TEST(Count(result.err, "\n") == 1u);
  }
}

BOOST_AUTO_TEST_CASE(every_kernel_has_slices) {
  Text(
      "generate shared_expert -o expert.h5 --config "
      "tp=2,batch=2,width=384,intermediate=128,grid=8,latent=64,experts=32",
      0);
  const json part = Json("slice expert.h5 --tensor part --at token=1,tile_row=3", 0);
  BOOST_TEST(part.at("operations") >= 4);
  Text("generate kda_pre -o pre.h5 --config tokens=1,requests=1,steps=2", 0);
  const json state = Json("slice pre.h5 --tensor state.after --at head=3,value=4,key=5", 0);
  const json& element = state.at("elements")[0];
  BOOST_TEST(element.at("nodes").at(element.at("root").get<size_t>()).at("expected").at("bits") ==
             element.at("expected").at("bits"));
}

BOOST_AUTO_TEST_SUITE_END()
