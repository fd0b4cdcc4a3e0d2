#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/bench/benchmark.h"
#include "harness/progress.h"
#include "harness/report/json_writer.h"
#include "harness/status.h"
#include "harness/suggest.h"
#include "harness/verbs/verbs.h"

namespace samebits::harness {
namespace {

std::vector<Benchmark> Selected(const std::vector<std::string>& only) {
  std::vector<Benchmark> all = Benchmarks(), selected;
  std::vector<std::string> names;
  for (const Benchmark& benchmark : all) names.push_back(benchmark.name);
  for (const std::string& name : only) {
    const size_t before = selected.size();
    for (const Benchmark& benchmark : all) {  // "kernel" selects "kernel.cuda" too
      if (benchmark.name == name || benchmark.name.starts_with(name + ".")) {
        selected.push_back(benchmark);
      }
    }
    if (selected.size() == before) throw UsageError(UnknownName("benchmark", name, names));
  }
  return only.empty() ? all : selected;
}

std::string WishText(const Ratio& ratio) {
  if (ratio.wish == Ratio::Wish::kNone) return "";
  return fmt::format("  (wanted: {} {:.3g}{})",
                     ratio.wish == Ratio::Wish::kAtLeast ? "at least" : "at most", ratio.bound,
                     ratio.met() ? "" : ", MISSED");
}

void PrintResult(const Benchmark& benchmark, const BenchResult& result) {
  fmt::print("{}: {}\n", benchmark.name, benchmark.doc);
  for (const Measurement& m : result.measurements) {
    fmt::print("  {:<28} {:>12.4g} {}\n", m.name, m.value, m.unit);
  }
  for (const Ratio& r : result.ratios) {
    fmt::print("  {} / {} = {:.4g}{}\n", r.name, r.over, r.value, WishText(r));
  }
  std::fflush(stdout);
}

void WriteResult(const Benchmark& benchmark, const BenchResult& result, JsonWriter* json) {
  json->BeginObject().Field("name", benchmark.name).Field("doc", benchmark.doc);
  json->Key("measurements").BeginArray();
  for (const Measurement& m : result.measurements) {
    json->BeginObject().Field("name", m.name).Field("median", m.value).Field("unit", m.unit);
    json->End();
  }
  json->End().Key("ratios").BeginArray();
  for (const Ratio& r : result.ratios) {
    json->BeginObject().Field("name", r.name).Field("over", r.over).Field("ratio", r.value);
    if (r.wish != Ratio::Wish::kNone) {
      json->Field(r.wish == Ratio::Wish::kAtLeast ? "at_least" : "at_most", r.bound);
      json->Field("met", r.met());
    }
    json->End();
  }
  json->End().End();
}

}  // namespace

int Bench(const BenchOptions& options) {
  const std::vector<Benchmark> benchmarks = Selected(options.only);
  PinToOneProcessor();
  std::unique_ptr<JsonWriter> json;
  if (options.json) {
    json = std::make_unique<JsonWriter>(stdout, "bench");
    json->Field("repetitions", options.repetitions).Key("benchmarks").BeginArray();
  }
  Progress progress("bench", static_cast<int64_t>(benchmarks.size()));
  for (const Benchmark& benchmark : benchmarks) {
    progress.Update(&benchmark - benchmarks.data());
    const BenchResult result = benchmark.run(options.repetitions);
    progress.Clear();
    if (json) {
      WriteResult(benchmark, result, json.get());
    } else {
      PrintResult(benchmark, result);
    }
  }
  return kIdentical;
}

}  // namespace samebits::harness
