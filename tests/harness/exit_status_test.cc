// Every documented error: exit status, and exactly one line on standard error that names the thing.
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/backends.h"
#include "harness/command_line.h"
#include "model/kernel.h"
#include "tests/harness/command.h"

using namespace samebits;
using samebits::testing::CommandResult;
using samebits::testing::RunSamebits;

namespace {

struct Failure {
  std::string arguments;
  int status;
  std::string line;  // regular expression that the one line must contain
};

/// The folder holds: good.h5 (two small cases), text.h5 (no HDF5), foreign.h5 (an HDF5 file that
/// is not ours), cut.h5 (good.h5 without its end), flipped.h5 (a byte of a tensor changed),
/// matrix.h5 (made from a matrix), evidence.h5 (of it), ranks.h5 (a kernel with ranks).
const Failure kFailures[] = {
    {"", 2, "no verb: expected one of generate, "},
    {"vrify x.h5", 2, "unknown verb \"vrify\": did you mean \"verify\"\\?"},
    {"verify good.h5 --bakend model", 2,
     "unknown option of samebits verify \"--bakend\": did "
     "you mean \"--backend\"\\?"},
    {"verify", 2, "file is required"},
    {"verify good.h5 extra", 2, "unexpected argument \"extra\""},
    {"verify good.h5 --repeat 0", 2, "--repeat"},
    {"verify good.h5 --repeat many", 2, "--repeat"},
    {"verify good.h5 --nan clas", 2, "value of --nan \"clas\": did you mean \"class\"\\?"},
    {"verify good.h5 --backend modle", 2, "unknown backend \"modle\": did you mean \"model\"\\?"},
    {"verify good.h5 --backend model --case zzzz", 2, "case \"zzzz\""},
    {"verify good.h5 --backend model --filter token=1", 2,
     "unknown axis \"token\": did you mean \"tokens\"\\?"},
    {"verify good.h5 --backend model --filter tokens=7", 2, "no case .*tokens=7"},
    {"verify good.h5 --backend model --filter tokens", 2, "expected name=value"},
    {"verify good.h5 --backend model --contract kda_ws.sm_91", 2, "kda_ws.sm_91"},
    {"verify good.h5 --backend model --evidence x.h5", 2, "good.h5: expected .*generate --matrix"},
    {"verify matrix.h5 --backend model --evidence good.h5", 2, "good.h5.*exists"},
    {"verify matrix.h5 --backend model --evidence x.h5 --nan class", 2, "expected --nan bits"},
    {"verify matrix.h5 --backend model --force", 2, "expected --record or --evidence"},
    {"verify evidence.h5 --backend model", 4, "evidence.h5.*found \"samebits-evidence\""},
    {"inspect evidence.h5 --tensor output", 2, "evidence.h5: .*--tensor"},
    {"verify missing.h5 --backend model", 2, "missing.h5"},
    {"verify text.h5 --backend model", 4, "text.h5"},
    {"verify foreign.h5 --backend model", 4, "foreign.h5"},
    {"generate", 2, "required"},
    {"generate kda_decod -o x.h5", 2, "unknown kernel \"kda_decod\": did you mean \"kda_decode\""},
    {"generate kda_decode", 2, "--output is required"},
    {"generate kda_decode -o x.h5 --config token=2", 2, "did you mean \"tokens\"\\?"},
    {"generate kda_decode -o x.h5 --config tokens=9", 2, "tokens"},
    {"generate kda_decode -o x.h5 --config tokens=2,tokens=3", 2, "tokens is given twice"},
    {"generate kda_decode -o x.h5 --config record=1", 2, "record"},
    {"generate kda_decode -o x.h5 --config tokens=4,window=5", 2, "window"},
    {"generate kda_decode -o x.h5 --inputs realstic", 2, "did you mean \"realistic\"\\?"},
    {"generate kda_decode -o x.h5 --contract nothing", 2, "unknown contract \"nothing\""},
    {"generate kda_decode -o x.h5 --contract broken.toml", 2, "broken.toml"},
    {"generate kda_decode -o x.h5 --set conv", 2, "--set: expected name=value"},
    {"generate kda_decode -o x.h5 --set nosuchchoice=1", 2, "unknown choice \"nosuchchoice\""},
    {"generate kda_decode -o x.h5 --matrix nowhere.toml", 2, "nowhere.toml"},
    {"generate kda_decode -o x.h5 --matrix broken.toml", 2, "broken.toml"},
    {"generate kda_decode -o x.h5 --matrix m.toml --config tokens=1", 2, "excludes"},
    {"generate kda_decode -o x.h5 --store ful", 2, "did you mean \"full\"\\?"},
    {"generate kda_decode -o x.h5 --set exp=exact,exp=ex2", 2, "--set: choice exp is given twice"},
    {"generate kda_decode -o x.h5 --seed 18446744073709551616", 2, "--seed: expected a whole"},
    {"generate kda_decode -o x.h5 --seed -1", 2, "--seed: expected a whole number"},
    {"generate kda_decode -o link.h5 --force", 2, "link.h5: expected a new name or a regular file"},
    {"verify good.h5 --backend model --record good.h5 --force", 2, "--record: expected another"},
    {"verify good.h5 --backend model --evidence good.h5 --force", 2,
     "--evidence: expected another"},
    {"verify good.h5 --backend model --record x.h5 --evidence x.h5", 2,
     "another file than --record"},
    {"verify good.h5 --backend model --devices 2", 2,
     "--devices: cases of kda_decode on backend model are not divided .*: expected 1, got 2"},
    {"verify ranks.h5 --backend model --devices 2", 2,
     "--devices: cases of shared_expert on backend model are not divided .*: expected 1, got 2"},
    {"verify ranks.h5 --backend simt --devices 9 --record x.h5", 2,
     "--devices: ranks.h5: case .* has tp=8: expected at most 8, got 9"},
    {"verify good.h5 --backend simt --devices 0", 2, "--devices: expected \"all\" or a whole number in 1"},
    {"verify good.h5 --backend simt --devices some", 2, "--devices: expected .*got \"some\""},
    {"verify good.h5 --backend model --ctas 1.5", 2, "--ctas: expected a whole number in 0"},
    {"generate kda_decode -o good.h5", 2, "good.h5.*(exists|--force)"},
    {"generate kda_decode -o no/such/folder/x.h5", 3, "no/such/folder"},
    {"check missing.h5", 2, "missing.h5"},
    {"check text.h5", 4, "text.h5"},
    {"check foreign.h5", 4, "foreign.h5"},
    {"check cut.h5", 4, "cut.h5"},
    {"check flipped.h5", 4, "flipped.h5"},
    {"inspect missing.h5", 2, "missing.h5"},
    {"inspect text.h5", 4, "text.h5"},
    {"inspect good.h5 --case zzzz", 2, "case \"zzzz\""},
    {"inspect good.h5 --tensor outpt", 2, "unknown tensor \"outpt\": did you mean .*output"},
    {"compare good.h5", 2, "actual is required"},
    {"compare good.h5 missing.h5", 2, "missing.h5"},
    {"compare good.h5 foreign.h5", 4, "foreign.h5"},
    {"compare good.h5 good.h5 --tensor outpt", 2, "unknown tensor \"outpt\""},
    {"list kda_decod", 2, "unknown kernel"},
    {"reveal kda_decod", 2, "unknown kernel \"kda_decod\""},
    {"reveal kda_decode --backend model --stage dit", 2,
     "unknown stage \"dit\": did you mean \"dot\""},
    {"reveal kda_decode --backend exec:./nothing --stage dot", 3,
     "nothing: expected an executable"},
    {"report missing.json -o x.html", 2, "missing.json"},
    {"report text.h5 -o x.html", 4, "text.h5: expected the JSON of a verb"},
    {"report good.h5 -o x.html", 2, "good.h5: expected a golden and an observed file"},
    {"report good.h5 good.h5 -o text.h5", 2, "text.h5: exists"},
    {"slice good.h5 --tensor dot --at value=1,value=2", 2, "--at: dimension value is given twice"},
    {"slice good.h5 --tensor dot --at value=1,v=2", 2, "--at: dimension value is given twice"},
    {"explain good.h5 good.h5 --case zzzz", 2, "no case \"zzzz\""},
    {"minimize good.h5 --backend exec:/bin/true -o x.h5", 3,
     "/bin/true: .*wrote none of the files"},
    {"reveal kda_decode --backend exec:/bin/true --stage dot", 3, "wrote none of the files"},
    {"bench matrix_uni", 2, "unknown benchmark \"matrix_uni\": did you mean"},
    {"bench --repetitions 0", 2, "--repetitions"},
};

void MakeFiles(const std::filesystem::path& folder) {
  const CommandResult made = RunSamebits(
      "generate kda_decode -o good.h5 --config tokens=1,heads=1,requests=1 --seed 3", folder);
  BOOST_REQUIRE_MESSAGE(made.status == 0, made.err);
  testing::WriteFile(folder / "m.toml",
                     "kernel = \"kda_decode\"\n[[block]]\n"
                     "axes = { tokens = [1], heads = [1], requests = [1] }\n");
  for (const char* command : {"generate shared_expert -o ranks.h5 --store hashes "
                              "--config batch=1,width=512,intermediate=512,grid=10",
                              "generate kda_decode --matrix m.toml -o matrix.h5",
                              "verify matrix.h5 --backend model --evidence evidence.h5"}) {
    BOOST_REQUIRE(RunSamebits(command, folder).status == 0);
  }
  const std::string good = testing::ReadFile(folder / "good.h5");
  testing::WriteFile(folder / "text.h5", "this is no HDF5 file\n");
  testing::WriteFile(folder / "cut.h5", good.substr(0, good.size() * 2 / 3));
  std::string flipped = good;
  flipped[flipped.size() / 2] ^= 1;
  testing::WriteFile(folder / "flipped.h5", flipped);
  testing::WriteFile(folder / "broken.toml", "tokens = [1, \n");
  std::filesystem::create_symlink("good.h5", folder / "link.h5");
  std::filesystem::copy("data/silicon/sm_90/special_functions.h5", folder / "foreign.h5");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exit_status)

BOOST_AUTO_TEST_CASE(every_documented_error) {
  const testing::TemporaryFolder folder;
  MakeFiles(folder.path());
  for (const Failure& failure : kFailures) {
    BOOST_TEST_CONTEXT("samebits " << failure.arguments) {
      const CommandResult result = RunSamebits(failure.arguments, folder.path());
      BOOST_TEST(result.status == failure.status);
      BOOST_TEST(std::count(result.err.begin(), result.err.end(), '\n') == 1, result.err);
      BOOST_TEST(std::regex_search(result.err, std::regex(failure.line)), result.err);
      BOOST_TEST(!std::filesystem::exists(folder.path() / "x.h5"), "half-written file");
      BOOST_TEST(!std::filesystem::exists(folder.path() / "x.html"), "half-written file");
    }
  }
}

BOOST_AUTO_TEST_CASE(every_documented_error_in_json) {
  const testing::TemporaryFolder folder;
  MakeFiles(folder.path());
  for (const Failure& failure : kFailures) {
    const CommandResult result = RunSamebits(failure.arguments + " --json", folder.path());
    BOOST_TEST_CONTEXT("samebits " << failure.arguments << " --json: " << result.err) {
      BOOST_TEST(result.status == failure.status);
      const auto object = nlohmann::json::parse(result.out, nullptr, false);
      BOOST_REQUIRE(object.is_object());
      BOOST_TEST(object.at("schema_version") == 1);
      // What `check` found stands in its report.
      if (object.contains("findings")) continue;
      BOOST_TEST(object.at("exit_status") == failure.status);
      BOOST_TEST(result.err == "samebits: " + object.at("error").get<std::string>() + "\n");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_failed_result_is_no_page) {
  const testing::TemporaryFolder folder;
  testing::WriteFile(folder.path() / "failed.json",
                     RunSamebits("verify missing.h5 --json", folder.path()).out);
  const CommandResult result = RunSamebits("report failed.json -o x.html", folder.path());
  BOOST_TEST(result.status == 2);
  BOOST_TEST(result.err.find("failed.json: expected a result, found the error \"missing.h5") !=
                 std::string::npos,
             result.err);
}

BOOST_AUTO_TEST_CASE(help_has_an_example_and_json_is_one_object) {
  const testing::TemporaryFolder folder;
  BOOST_TEST(RunSamebits("--help", folder.path()).status == 0);
  BOOST_TEST(RunSamebits("--version", folder.path()).out.starts_with("samebits "));
  for (const std::string& verb : harness::Verbs()) {
    const CommandResult help = RunSamebits(verb + " --help", folder.path());
    BOOST_TEST(help.status == 0);
    BOOST_TEST(help.out.find("Example:\n  samebits " + verb) != std::string::npos, help.out);
    BOOST_TEST(help.out.find("--json") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(informing_verbs) {
  const testing::TemporaryFolder folder;
  MakeFiles(folder.path());
  for (const std::string command :
       {"list", "list kda_decode", "doctor", "inspect good.h5", "inspect good.h5 --tensor output",
        "check good.h5", "inspect evidence.h5", "check evidence.h5"}) {
    BOOST_TEST_CONTEXT(command) {
      const CommandResult text = RunSamebits(command, folder.path());
      BOOST_TEST(text.status == 0, text.err);
      BOOST_TEST(!text.out.empty());
      BOOST_TEST(text.err.empty(), text.err);
      const CommandResult json = RunSamebits(command + " --json", folder.path());
      BOOST_TEST(json.status == 0);
      const auto parsed = nlohmann::json::parse(json.out);
      BOOST_TEST(parsed.at("schema_version") == 1);
    }
  }
  for (const Kernel* kernel : Kernels()) {
    const std::string command = "doctor --best-backend " + std::string(kernel->name());
    const CommandResult best = RunSamebits(command, folder.path());
    BOOST_TEST(best.out == harness::BestBackend(*kernel) + "\n");
  }
  BOOST_TEST(RunSamebits("doctor no_such_kernel", folder.path()).status == 2);
  // A device without a driver or a runtime has no empty place for them.
  BOOST_TEST(!std::regex_search(RunSamebits("doctor", folder.path()).out,
                                std::regex("(driver|runtime) *(,|;|\\[)")));
}

BOOST_AUTO_TEST_CASE(a_result_that_cannot_be_written_is_no_success) {
  for (const std::string command : {"list", "list kda_decode --json", "doctor"}) {
    const std::string line =
        "sh -c \"'" SAMEBITS_BINARY "' " + command + " >/dev/full 2>/dev/null\"";
    const int raw = std::system(line.c_str());
    BOOST_TEST(WEXITSTATUS(raw) == 3, command);
  }
}

/// Pages of text into `head` are no error to read about; the status is that of any such program.
BOOST_AUTO_TEST_CASE(a_closed_pipe_ends_quietly) {
  const testing::TemporaryFolder folder;
  const std::string err = (folder.path() / "err").string();
  for (const std::string command : {"list kda_decode", "list kda_decode --json", "doctor"}) {
    int ends[2];
    BOOST_REQUIRE(pipe(ends) == 0);
    close(ends[0]);
    const int output = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    const int raw = std::system(("'" SAMEBITS_BINARY "' " + command + " 2>'" + err + "'").c_str());
    dup2(output, STDOUT_FILENO);
    close(output);
    close(ends[1]);
    BOOST_TEST(WEXITSTATUS(raw) == 141, command);
    BOOST_TEST(testing::ReadFile(err).empty(), command);
  }
}

BOOST_AUTO_TEST_SUITE_END()
