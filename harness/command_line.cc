#include "harness/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <limits>

#include "golden/dataset.h"
#include "harness/status.h"
#include "harness/suggest.h"
#include "harness/version.h"

namespace samebits::harness {
namespace {

struct Parser {
  CLI::App app{"Does a GPU kernel still compute exactly the same bits?", "samebits"};
  GenerateOptions generate;
  InspectOptions inspect;
  CheckOptions check;
  VerifyOptions verify;
  CompareOptions compare;
  ExplainOptions explain;
  ListOptions list;
  DoctorOptions doctor;
  BenchOptions bench;
  ProfileOptions profile;
  RevealOptions reveal;
  ReportOptions report;
  SliceOptions slice;
  MinimizeOptions minimize;
  std::string store = "full", record_store = "full", verify_nan = "bits", compare_nan = "bits";
};

CLI::App* AddVerb(CLI::App* app, const std::string& name, const std::string& doc,
                  const std::string& example, bool* json) {
  CLI::App* verb = app->add_subcommand(name, doc);
  verb->footer("Example:\n  " + example);
  verb->add_flag("--json", *json, "One JSON object on standard output");
  return verb;
}

/// `choices` as the type name keeps the help in one line; the check suggests the nearest.
void AddWord(CLI::App* verb, const std::string& flag, std::string* value, const std::string& doc,
             const std::vector<std::string>& words) {
  verb->add_option(flag, *value, doc)
      ->type_name(CLI::detail::join(words, "|"))
      ->check([flag, words](const std::string& word) {
        const bool known = std::find(words.begin(), words.end(), word) != words.end();
        return known ? std::string() : UnknownName("value of " + flag, word, words);
      });
}

/// Accepts min..max in decimal digits alone: CLI11 would round, wrap and saturate.
std::function<std::string(const std::string&)> WholeNumber(uint64_t min, uint64_t max) {
  return [min, max](const std::string& text) {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool legal = error == std::errc() && stop == end && value >= min && value <= max;
    return legal ? std::string()
                 : fmt::format("expected a whole number in {}..{}, got \"{}\"", min, max, text);
  };
}

template <typename T>
CLI::Option* AddPositive(CLI::App* verb, const std::string& flag, T* value, const std::string& doc,
                         uint64_t min) {
  return verb->add_option(flag, *value, doc)->type_name("N")->check(WholeNumber(min, 1000000000));
}

/// A number of devices, or "all", which is 0.
void AddDevices(CLI::App* verb, int* devices) {
  verb->add_option_function<std::string>(
          "--devices",
          [devices](const std::string& text) { *devices = text == "all" ? 0 : std::stoi(text); },
          "Devices of this machine that share the ranks of a case: rank R is on device R % N "
          "(simt pretends N devices)")
      ->type_name("N|all")
      ->check([](const std::string& text) {
        if (text == "all") return std::string();
        const bool number = WholeNumber(1, golden::kMostDevices)(text).empty();
        return number ? std::string()
                      : fmt::format("expected \"all\" or a whole number in 1..{}, got \"{}\"",
                                    golden::kMostDevices, text);
      });
}

void AddList(CLI::App* verb, const std::string& flag, std::vector<std::string>* values,
             const std::string& doc, const std::string& type) {
  verb->add_option(flag, *values, doc)->type_name(type)->delimiter(',')->take_all()->expected(1);
}

void AddContract(CLI::App* verb, std::string* contract, std::vector<std::string>* choices,
                 const std::string& doc) {
  verb->add_option("--contract", *contract, doc)->type_name("NAME|FILE");
  AddList(verb, "--set", choices, "Change choices of the contract", "CHOICE=VALUE");
}

void AddGenerate(Parser* p) {
  GenerateOptions* o = &p->generate;
  CLI::App* verb = AddVerb(&p->app, "generate", "Compute a golden dataset with the model",
                           "samebits generate kda_decode --config tokens=4,record=1,heads=12 "
                           "-o kda.h5",
                           &o->json);
  verb->add_option("kernel", o->kernel, "Kernel (samebits list)")->required();
  verb->add_option("-o,--output", o->output, "File to write")->required()->type_name("FILE");
  CLI::Option* matrix =
      verb->add_option("--matrix", o->matrix, "TOML file with many cases")->type_name("FILE");
  AddList(verb, "--config", &o->config, "Axes of one case; the others have defaults",
          "AXIS=VALUE,...");
  verb->get_option("--config")->excludes(matrix);
  verb->add_option(
          "--inputs", o->inputs,
          "Style of the inputs (samebits list); discriminating without --config: the cases "
          "that show every choice")
      ->type_name("STYLE");
  verb->add_option("--seed", o->seed, "Seed of the inputs")
      ->type_name("N")
      ->check(WholeNumber(0, std::numeric_limits<uint64_t>::max()));
  AddContract(verb, &o->contract, &o->choices, "What is computed; default: the shipped kernel's");
  verb->add_flag("--taps", o->taps, "Store every intermediate too");
  AddWord(verb, "--store", &p->store, "Tensors, or their hashes alone", {"full", "hashes"});
  CLI::Option* resume =
      verb->add_flag("--resume", o->resume, "Go on with an interrupted run of the same command");
  verb->add_flag("--force", o->force, "Replace an existing file")->excludes(resume);
  AddPositive(verb, "--threads", &o->threads, "Threads; 0: one per processor", 0);
}

void AddInspect(Parser* p) {
  InspectOptions* o = &p->inspect;
  CLI::App* verb = AddVerb(&p->app, "inspect", "Say what a file holds",
                           "samebits inspect kda.h5 --case 3f2a --tensor outputs/output", &o->json);
  verb->add_option("file", o->file, "Golden or observed file, or evidence")->required();
  verb->add_option("--case", o->case_id, "Id of a case, or the start of one")->type_name("ID");
  verb->add_option("--tensor", o->tensor, "Print values of one tensor")->type_name("[GROUP/]NAME");
  AddPositive(verb, "--limit", &o->limit, "Values to print", 1)->capture_default_str();
}

void AddCheck(Parser* p) {
  CheckOptions* o = &p->check;
  CLI::App* verb = AddVerb(&p->app, "check", "Check that a file is whole and consistent",
                           "samebits check kda.h5 --recompute", &o->json);
  verb->add_option("file", o->file, "Golden or observed file, or evidence")->required();
  verb->add_flag("--recompute", o->recompute, "Compute every case again and compare");
  AddPositive(verb, "--threads", &o->threads, "Threads; 0: one per processor", 0);
}

void AddVerify(Parser* p) {
  VerifyOptions* o = &p->verify;
  CLI::App* verb = AddVerb(&p->app, "verify", "Run a backend on every case and compare bit by bit",
                           "samebits verify kda.h5 --backend cuda --taps --repeat 3", &o->json);
  verb->add_option("file", o->file, "Golden file")->required();
  verb->add_option("--backend", o->backend, "Who computes; default: the best that can run here")
      ->type_name("NAME");
  AddPositive(verb, "--repeat", &o->repeat, "Launches per case: tells unstable from wrong", 1)
      ->capture_default_str();
  CLI::Option* record =
      verb->add_option("--record", o->record, "Write what was observed")->type_name("FILE");
  AddWord(verb, "--store", &p->record_store, "Tensors or hashes in the recorded file",
          {"full", "hashes"});
  verb->get_option("--store")->needs(record);
  verb->add_option("--evidence", o->evidence,
                   "Write the hashes of what was observed, for a dataset of generate --matrix")
      ->type_name("FILE");
  verb->add_flag("--force", o->force, "Replace existing files of --record and --evidence");
  verb->add_flag("--taps", o->taps, "Compare every intermediate too");
  AddPositive(verb, "--ctas", &o->ctas, "Thread blocks of the launch; 0: the kernel's choice", 0);
  AddDevices(verb, &o->devices);
  AddPositive(verb, "--schedule", &o->schedule,
              "Seed of the order of threads and copies on simt; launch i of --repeat has SEED + i",
              0);
  AddList(verb, "--case", &o->cases, "Only these cases", "ID");
  AddList(verb, "--filter", &o->filters, "Only cases with these settings", "AXIS=VALUE");
  AddContract(verb, &o->contract, &o->choices,
              "What --backend model computes; \"dataset\": the file's contract");
  AddWord(verb, "--nan", &p->verify_nan, "Are two NaN of different bits equal?", {"bits", "class"});
  AddPositive(verb, "--threads", &o->threads, "Threads of the model; 0: one per processor", 0);
}

void AddCompare(Parser* p) {
  CompareOptions* o = &p->compare;
  CLI::App* verb = AddVerb(&p->app, "compare", "Compare two files bit by bit",
                           "samebits compare kda.h5 h200.h5 --tensor output", &o->json);
  verb->add_option("expected", o->expected, "File that is right")->required();
  verb->add_option("actual", o->actual, "File that is compared with it")->required();
  AddList(verb, "--tensor", &o->tensors, "Only these tensors", "[GROUP/]NAME");
  AddWord(verb, "--nan", &p->compare_nan, "Are two NaN of different bits equal?",
          {"bits", "class"});
}

void AddExplain(Parser* p) {
  ExplainOptions* o = &p->explain;
  CLI::App* verb = AddVerb(&p->app, "explain", "Find the change that gives the observed bits",
                           "samebits explain kda.h5 seen.h5 --case 3f2a", &o->json);
  verb->add_option("expected", o->expected, "Golden file")->required();
  verb->add_option("actual", o->actual,
                   "Observed file, any subset of taps and outputs (docs/explain.md)")
      ->required();
  AddList(verb, "--case", &o->cases, "Only these cases", "ID");
  verb->add_flag("--thorough", o->thorough, "Search without a limit of work");
  AddPositive(verb, "--threads", &o->threads, "Threads of the model; 0: one per processor", 0);
}

void AddReveal(Parser* p) {
  RevealOptions* o = &p->reveal;
  CLI::App* verb = AddVerb(&p->app, "reveal", "Find summation trees by probing from outside",
                           "samebits reveal kda_decode --backend simt --stage dot", &o->json);
  verb->add_option("kernel", o->kernel, "Kernel (samebits list)")->required();
  verb->add_option("--backend", o->backend,
                   "Who is probed: a backend, or an executable (harness/reveal/README.md)")
      ->type_name("NAME|exec:PROGRAM");
  AddList(verb, "--stage", &o->stages, "Only these sums, named as their taps", "TAP");
  AddList(verb, "--config", &o->config, "Axes of the probed configuration", "AXIS=VALUE,...");
  AddContract(verb, &o->contract, &o->choices,
              "What the trees are held against; default: what the backend claims");
  verb->add_option("--computes", o->computes, "The contract that --backend model computes")
      ->type_name("NAME|FILE");
  verb->add_option("--dot", o->dot, "Write STAGE.revealed.dot and STAGE.contract.dot here")
      ->type_name("FOLDER");
  AddPositive(verb, "--threads", &o->threads, "Threads of the model; 0: one per processor", 0);
}

void AddReport(Parser* p) {
  ReportOptions* o = &p->report;
  CLI::App* verb = AddVerb(&p->app, "report", "Make one self-contained HTML page of results",
                           "samebits report verify.json kda.h5 seen.h5 -o page.html", &o->json);
  verb->add_option("files", o->files,
                   "What verify, compare, explain or reveal --json printed, and the golden and "
                   "observed files it is about; two files alone are compared")
      ->required();
  verb->add_option("-o,--output", o->output, "Page to write")->required()->type_name("FILE");
  verb->add_option("--title", o->title, "Title of the page");
  verb->add_flag("--explain", o->explain, "Explain the two files too (samebits explain)");
  verb->add_flag("--force", o->force, "Replace an existing file");
}

void AddSlice(Parser* p) {
  SliceOptions* o = &p->slice;
  CLI::App* verb = AddVerb(
      &p->app, "slice", "Show the exact computation of one element, with all its bits",
      "samebits slice kda.h5 seen.h5 --case 3f2a --tensor dot --at head=3,value=41", &o->json);
  verb->add_option("file", o->file, "Golden file")->required();
  verb->add_option("observed", o->observed,
                   "Observed file: shows down to where the bits part, and there both bits");
  verb->add_option("--case", o->case_id, "Id of a case, or the start of one")->type_name("ID");
  verb->add_option("--tensor", o->tensor,
                   "Tap or output; default with two files: the first that differs")
      ->type_name("[GROUP/]NAME");
  AddList(verb, "--at", &o->at,
          "The element, dimensions by name or the start of one; others are 0; default with two "
          "files: the first that differs",
          "DIM=INDEX,...");
  AddPositive(
      verb, "--stages", &o->stages,
      "Stages to open; 1: the element's own, from the taps before it; 0: back to the inputs", 0)
      ->capture_default_str();
  AddPositive(verb, "--depth", &o->depth, "Levels of operations in the text; 0: all", 0)
      ->capture_default_str();
  verb->add_option("-o,--output", o->output, "Write an HTML page that folds")->type_name("FILE");
  verb->add_flag("--force", o->force, "Replace an existing file");
  AddPositive(verb, "--threads", &o->threads, "Threads of the model; 0: one per processor", 0);
}

void AddMinimize(Parser* p) {
  MinimizeOptions* o = &p->minimize;
  CLI::App* verb =
      AddVerb(&p->app, "minimize", "Shrink a case that diverges while it still does",
              "samebits minimize kda.h5 --case 3f2a --backend simt -o small.h5", &o->json);
  verb->add_option("file", o->file, "Golden file")->required();
  verb->add_option("observed", o->observed,
                   "Observed file; its bits must be those of --backend (default then: the model "
                   "under its contract, if that is another)");
  verb->add_option("--case", o->case_id, "Id of a case, or the start of one")->type_name("ID");
  verb->add_option("--backend", o->backend,
                   "Who diverges: a backend, or an executable (harness/reveal/README.md)")
      ->type_name("NAME|exec:PROGRAM");
  AddContract(verb, &o->contract, &o->choices, "What --backend model computes");
  verb->add_option("-o,--output", o->output, "Golden file of the small case")
      ->required()
      ->type_name("FILE");
  verb->add_option("--record", o->record,
                   "Observed file of the small case; default: OUTPUT with .observed before .h5")
      ->type_name("FILE");
  verb->add_flag("--any", o->any, "Keep any divergence, not that of the same first tensor");
  AddPositive(verb, "--runs", &o->runs, "Cases to try at most", 1)->capture_default_str();
  AddPositive(verb, "--schedule", &o->schedule, "Seed of the order of threads and copies on simt",
              0);
  verb->add_flag("--force", o->force, "Replace existing files");
  AddPositive(verb, "--threads", &o->threads, "Threads of the model; 0: one per processor", 0);
}

void AddOthers(Parser* p) {
  CLI::App* list = AddVerb(&p->app, "list", "Kernels, axes, choices, contracts, styles, backends",
                           "samebits list kda_decode", &p->list.json);
  list->add_option("kernel", p->list.kernel, "Only this kernel");
  CLI::App* doctor = AddVerb(&p->app, "doctor", "What this machine and this build can do",
                             "samebits doctor", &p->doctor.json);
  doctor->add_flag("--best-backend", p->doctor.best_backend,
                   "Print the name of the best backend that can run here, nothing else");
  doctor->add_option("kernel", p->doctor.kernel, "Whose best backend; the first of list");
  CLI::App* bench = AddVerb(&p->app, "bench", "Speed, as ratios to what the same run measures",
                            "samebits bench kda_decode", &p->bench.json);
  bench->add_option("benchmarks", p->bench.only, "Only these: matrix_unit, kda_decode.cuda, ...");
  AddPositive(bench, "--repetitions", &p->bench.repetitions, "Medians are of this many", 1)
      ->capture_default_str();
}

void AddProfile(Parser* p) {
  ProfileOptions* o = &p->profile;
  CLI::App* verb = AddVerb(&p->app, "profile", "Measure what a chip's units compute, and fit it",
                           "samebits profile capture --backend cuda -o chip.h5 && samebits profile "
                           "fit chip.h5 -o chip.toml",
                           &o->json);
  const std::vector<std::string> actions = {"capture", "fit", "check", "show"};
  verb->add_option("action", o->action, "What to do")
      ->required()
      ->type_name("capture|fit|check|show")
      ->check([actions](const std::string& word) {
        const bool known = std::find(actions.begin(), actions.end(), word) != actions.end();
        return known ? std::string() : UnknownName("action of profile", word, actions);
      });
  verb->add_option("file", o->file, "fit, check: a capture; show: a profile's name or file");
  AddWord(verb, "--backend", &o->backend, "capture: whose units", {"cuda", "hip", "simt", "model"});
  verb->add_option("--profile", o->profile,
                   "check: compare with; capture on simt or model: the chip")
      ->type_name("NAME|FILE");
  verb->add_option("-o,--output", o->output, "capture, fit: file to write (.h5, .toml)")
      ->type_name("FILE");
  verb->add_option("--name", o->name, "fit: name of the profile; default: the architecture")
      ->type_name("NAME");
  AddPositive(verb, "--blocks", &o->blocks,
              "capture: blocks of 65536 inputs per instruction; default: all 65536, on simt 256",
              0);
  verb->add_flag("--force", o->force, "Replace existing files");
  AddPositive(verb, "--threads", &o->threads, "Threads; 0: one per processor", 0);
}

/// CLI11's message in one line.
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::vector<std::string> LongNames(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// An argument that CLI11 left over: an unknown option or one word too many.
UsageError Leftover(const CLI::App* verb, const std::string& argument) {
  const std::string what = "option of samebits " + verb->get_name();
  if (argument.starts_with("-")) {
    return UsageError(UnknownName(what, argument.substr(0, argument.find('=')), LongNames(verb)));
  }
  return UsageError(fmt::format("samebits {}: unexpected argument \"{}\" (see samebits {} --help)",
                                verb->get_name(), argument, verb->get_name()));
}

Options Chosen(Parser* p) {
  p->generate.hashes = p->store == "hashes";
  p->verify.hashes = p->record_store == "hashes";
  p->verify.nan_class = p->verify_nan == "class";
  p->compare.nan_class = p->compare_nan == "class";
  const std::string verb = p->app.get_subcommands().front()->get_name();
  if (verb == "generate") return p->generate;
  if (verb == "inspect") return p->inspect;
  if (verb == "check") return p->check;
  if (verb == "verify") return p->verify;
  if (verb == "compare") return p->compare;
  if (verb == "explain") return p->explain;
  if (verb == "reveal") return p->reveal;
  if (verb == "report") return p->report;
  if (verb == "slice") return p->slice;
  if (verb == "minimize") return p->minimize;
  if (verb == "list") return p->list;
  if (verb == "doctor") return p->doctor;
  if (verb == "profile") return p->profile;
  return p->bench;
}

}  // namespace

std::vector<std::string> Verbs() {
  return {"generate", "inspect",  "check",  "verify", "compare", "explain", "reveal",
          "slice",    "minimize", "report", "list",   "doctor",  "bench",   "profile"};
}

std::optional<Options> ParseCommandLine(int argc, const char* const* argv) {
  Parser p;
  p.app.set_version_flag("--version", VersionText());
  p.app.footer(
      "Exit status: 0 identical, 1 divergent, 2 usage, 3 environment, 4 integrity, "
      "77 skipped, 141 closed pipe.");
  p.app.require_subcommand(1);
  AddGenerate(&p);
  AddInspect(&p);
  AddCheck(&p);
  AddVerify(&p);
  AddCompare(&p);
  AddExplain(&p);
  AddReveal(&p);
  AddSlice(&p);
  AddMinimize(&p);
  AddReport(&p);
  AddOthers(&p);
  AddProfile(&p);
  for (CLI::App* verb : p.app.get_subcommands({})) verb->allow_extras();

  if (argc < 2) {
    throw UsageError("no verb: expected one of " + CLI::detail::join(Verbs(), ", ") +
                     " (see samebits --help)");
  }
  const std::string first = argv[1];
  const std::vector<std::string> verbs = Verbs();
  if (std::find(verbs.begin(), verbs.end(), first) == verbs.end() && !first.starts_with("-")) {
    throw UsageError(UnknownName("verb", first, verbs));
  }
  try {
    p.app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    p.app.exit(help);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UsageError(OneLine(error.what()));
  }
  const CLI::App* verb = p.app.get_subcommands().front();
  const std::vector<std::string> left = verb->remaining();
  if (!left.empty()) throw Leftover(verb, left.front());
  return Chosen(&p);
}

}  // namespace samebits::harness
