#include "golden/generate.h"

#include <fmt/format.h>

#include <filesystem>

#include "golden/contract_text.h"
#include "golden/matrix.h"
#include "harness/names.h"
#include "harness/progress.h"
#include "harness/provenance.h"
#include "harness/report/json_writer.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"
#include "harness/version.h"

namespace samebits::harness {
namespace {

constexpr std::string_view kDiscriminating = "discriminating";

/// The dataset that shows every choice.
std::vector<golden::CaseSpec> DiscriminatingCases(const Kernel& kernel, uint64_t seed) {
  std::vector<golden::CaseSpec> cases;
  for (const Settings& config : kernel.discriminating_configs()) {
    cases.push_back({&kernel, kernel.Complete(config), std::string(kDiscriminating), seed});
  }
  return cases;
}

/// `matrix`: its text, or empty.
std::vector<golden::CaseSpec> Cases(const Kernel& kernel, const GenerateOptions& options,
                                    const std::string& matrix) {
  if (!options.inputs.empty()) CheckStyle(options.inputs);
  if (!options.matrix.empty()) {
    golden::MatrixOverrides overrides;
    if (!options.inputs.empty()) overrides.style = options.inputs;
    overrides.seed = options.seed;
    return golden::ParseMatrix(matrix, options.matrix, kernel, overrides);
  }
  if (options.inputs == kDiscriminating && options.config.empty()) {
    return DiscriminatingCases(kernel, options.seed.value_or(0));
  }
  golden::CaseSpec spec;
  spec.kernel = &kernel;
  spec.config = kernel.Complete(ParseAxes(kernel, "--config", options.config));
  if (!options.inputs.empty()) spec.style = options.inputs;
  spec.seed = options.seed.value_or(0);
  return {spec};
}

void Report(const GenerateOptions& options, const Kernel& kernel, const golden::FileInfo& info,
            size_t cases) {
  const auto bytes = std::filesystem::file_size(options.output);
  if (options.json) {
    JsonWriter json(stdout, "generate");
    json.Field("file", options.output).Field("kernel", info.kernel).Field("cases", cases);
    json.Field("contract", info.contract.name).Field("contract_hash", info.contract_hash());
    json.Field("store", golden::Name(info.store)).Field("taps", info.taps);
    json.Field("bytes", bytes);
    WriteUnits("rests_on", kernel, info.contract, &json);
    return;
  }
  fmt::print("{}: {} case{} of {}, contract {} ({}), {}, {} bytes\n", options.output, cases,
             cases == 1 ? "" : "s", info.kernel, info.contract.name, info.contract_hash(),
             golden::Name(info.store), bytes);
  PrintAssumed(stdout, kernel, info.contract);
}

}  // namespace

int Generate(const GenerateOptions& options) {
  const Kernel& kernel = KernelNamed(options.kernel);
  const std::string matrix =
      options.matrix.empty() ? std::string() : golden::ReadMatrix(options.matrix);
  const std::vector<golden::CaseSpec> cases = Cases(kernel, options, matrix);
  golden::FileInfo info;
  info.schema = golden::Schema::kGolden;
  info.store = options.hashes ? golden::Store::kHashes : golden::Store::kFull;
  info.kernel = kernel.name();
  info.taps = options.taps;
  info.tool_version = ToolVersion();
  info.commit = Commit();
  info.contract = ParseContract(kernel, options.contract, options.choices);
  // With --inputs or --seed the matrix alone does not say which cases these are.
  if (options.inputs.empty() && !options.seed) info.matrix = matrix;

  Progress progress("generate", static_cast<int64_t>(cases.size()));
  golden::GenerateOptions how;
  how.writer = {options.force, options.resume};
  how.threads = ThreadCount(options.threads);
  how.progress = [&](size_t done) { progress.Update(static_cast<int64_t>(done)); };
  golden::Generate(options.output, info, cases, how);
  progress.Clear();
  Report(options, kernel, info, cases.size());
  return kIdentical;
}

}  // namespace samebits::harness
