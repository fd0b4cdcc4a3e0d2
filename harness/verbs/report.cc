#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "golden/capture.h"
#include "golden/integrity_error.h"
#include "golden/reader.h"
#include "gpu/device_kernel.h"
#include "harness/dataset.h"
#include "harness/output_file.h"
#include "harness/report/heat_maps.h"
#include "harness/report/page.h"
#include "harness/report/page_data.h"
#include "harness/status.h"
#include "harness/text_file.h"
#include "harness/verbs/verbs.h"

namespace samebits::harness {
namespace {

constexpr std::string_view kSeal = "samebits-file ";
constexpr size_t kMapBudget = 3'000'000;  // bytes of the page

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(fmt::format("{}: no such file", path));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What the command line named, sorted by what it is.
struct Inputs {
  PageResults results;
  std::vector<std::string> datasets;  // expected, actual
};

void AddResult(const std::string& path, const std::string& text, Inputs* inputs) {
  Json result = Json::parse(text, nullptr, false);
  if (result.is_discarded() || !result.is_object() || !result.contains("verb")) {
    throw golden::IntegrityError(
        fmt::format("{}: expected the JSON of a verb, or a golden or observed file", path));
  }
  if (result.contains("exit_status")) {
    throw UsageError(fmt::format("{}: expected a result, found the error \"{}\"", path,
                                 result.value("error", "")));
  }
  const std::string verb = result.at("verb");
  if (verb == "verify" || verb == "compare") {
    if (inputs->results.main) throw UsageError(path + ": expected one result of verify or compare");
    inputs->results.main = std::move(result);
  } else if (verb == "explain") {
    inputs->results.explain.push_back(std::move(result));
  } else if (verb == "reveal") {
    inputs->results.reveal.push_back(std::move(result));
  } else {
    throw UsageError(fmt::format(
        "{}: expected a result of verify, compare, explain or reveal, got {}", path, verb));
  }
}

Inputs Sort(const std::vector<std::string>& files) {
  Inputs inputs;
  for (const std::string& path : files) {
    std::string start(kSeal.size(), '\0');
    std::ifstream(path, std::ios::binary)
        .read(start.data(), static_cast<std::streamsize>(start.size()));
    if (start == kSeal || golden::Capture::Is(path)) {
      inputs.datasets.push_back(path);
    } else {
      AddResult(path, ReadText(path), &inputs);
    }
  }
  if (inputs.datasets.size() != 0 && inputs.datasets.size() != 2) {
    throw UsageError(fmt::format("{}: expected a golden and an observed file, or neither",
                                 inputs.datasets.front()));
  }
  if (!inputs.results.explain.empty() && !inputs.results.main && inputs.datasets.empty()) {
    throw UsageError(
        "a result of explain has no cases: expected that of compare or verify too, or "
        "the golden and the observed file");
  }
  return inputs;
}

/// What `verb(file)` prints.
template <typename Verb>
Json JsonOf(const Verb& verb) {
  char* text = nullptr;
  size_t bytes = 0;
  std::FILE* file = open_memstream(&text, &bytes);
  if (file == nullptr) throw gpu::EnvironmentError("out of memory");
  const auto release = [&](void*) {
    std::fclose(file);
    free(text);
  };
  const std::unique_ptr<void, decltype(release)> guard(file, release);
  verb(file);
  std::fflush(file);
  return Json::parse(std::string_view(text, bytes));
}

Json CompareFiles(const std::string& expected, const std::string& actual) {
  CompareOptions options;
  options.expected = expected;
  options.actual = actual;
  options.json = true;
  return JsonOf([&](std::FILE* file) { Compare(options, file); });
}

/// Cases that differ in the files, but not in the result: of another run, or of fewer tensors. What
/// explains them is about the files.
void TakeExplained(const Json& compared, const std::vector<Json>& explanations, Json* main) {
  std::set<std::string> explained;
  for (const Json& explanation : explanations) {
    for (const Json& c : explanation.value("cases", Json::array())) {
      if (!c.value("findings", Json::array()).empty()) explained.insert(c.value("id", ""));
    }
  }
  Json& cases = main->at("cases");
  Json& summary = main->at("summary");
  for (const Json& c : compared.at("cases")) {
    if (!explained.contains(c.at("id")) || c.at("verdict") != "divergent") continue;
    const auto known = std::ranges::find_if(
        cases, [&](const Json& other) { return other.at("id") == c.at("id"); });
    if (known != cases.end() && known->at("verdict") == "divergent") continue;
    if (known != cases.end()) {
      const std::string verdict = known->at("verdict");
      summary[verdict] = summary.value(verdict, 1) - 1;
      *known = c;
    } else {
      cases.push_back(c);
    }
    summary["divergent"] = summary.value("divergent", 0) + 1;
  }
}

std::string Counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

Json ExplainFiles(const std::string& expected, const std::string& actual) {
  ExplainOptions options;
  options.expected = expected;
  options.actual = actual;
  options.json = true;
  return JsonOf([&](std::FILE* file) { ExplainVerb(options, file); });
}

}  // namespace

int Report(const ReportOptions& options) {
  CheckOutput(options.output, options.files);
  Inputs inputs = Sort(options.files);
  PageResults& results = inputs.results;
  if (!results.main && !inputs.datasets.empty()) {
    results.main = CompareFiles(inputs.datasets[0], inputs.datasets[1]);
  }
  if (options.explain) {
    if (inputs.datasets.empty()) {
      throw UsageError("--explain: expected a golden and an observed file");
    }
    results.explain.push_back(ExplainFiles(inputs.datasets[0], inputs.datasets[1]));
  }
  if (!inputs.datasets.empty() && !results.explain.empty()) {
    TakeExplained(CompareFiles(inputs.datasets[0], inputs.datasets[1]), results.explain,
                  &*results.main);
  }
  const Grouping grouping = GroupCases(results);
  const Kernel* kernel = results.main ? FindKernel(results.main->value("kernel", "")) : nullptr;
  Json data = MakePageData(results, grouping, kernel, options.title);
  if (!inputs.datasets.empty()) {
    const golden::Reader expected(inputs.datasets[0]);
    const auto actual =
        golden::Reader::OpenObserved(inputs.datasets[1], expected, KernelOf(expected));
    AddHeatMaps(grouping, results.main->at("cases"), expected, actual, KernelOf(expected),
                kMapBudget, &data);
  }
  const std::string page = MakePage(data);
  WriteTextFile(options.output, page, options.force);
  if (options.json) {
    JsonWriter json(stdout, "report");
    json.Field("output", options.output).Field("bytes", page.size());
    json.Field("cases", data.at("cases").size()).Field("causes", CountCauses(grouping));
    json.Field("trees", data.at("trees").size());
  } else {
    fmt::print("{}: {}, {}, {}, {} bytes\n", options.output,
               Counted(data.at("cases").size(), "case"), Counted(CountCauses(grouping), "cause"),
               Counted(data.at("trees").size(), "tree"), page.size());
  }
  return kIdentical;
}

}  // namespace samebits::harness
