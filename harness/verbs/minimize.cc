#include "harness/minimize/minimize.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "golden/contract_text.h"
#include "golden/custom.h"
#include "golden/run_case.h"
#include "golden/writer.h"
#include "harness/backends.h"
#include "harness/dataset.h"
#include "harness/names.h"
#include "harness/output_file.h"
#include "harness/progress.h"
#include "harness/report/json_writer.h"
#include "harness/reveal/program.h"
#include "harness/run_on_backend.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"
#include "harness/version.h"

namespace samebits::harness {
namespace {

using golden::CaseEntry;
using golden::Reader;

constexpr std::string_view kProgramPrefix = "exec:";

/// Who computes the bits that differ.
class ObservedSide {
 public:
  ObservedSide(const MinimizeOptions& options, const Kernel& kernel, const Contract& expected,
               const Reader* observed)
      : kernel_(kernel) {
    const bool other_contract =
        observed != nullptr &&
        golden::ContractHash(observed->info().contract) != golden::ContractHash(expected);
    std::string name = options.backend;
    if (name.empty()) name = other_contract ? std::string(kModelBackend) : BestBackend(kernel);
    launch_.taps = true;
    launch_.schedule = static_cast<uint64_t>(options.schedule);
    if (name.starts_with(kProgramPrefix)) {
      program_ = name.substr(kProgramPrefix.size());
      device_ = {program_, "program", "", program_, ""};
      contract_ = expected;
      return;
    }
    if (name == kModelBackend) {
      const bool asked = !options.contract.empty() || !options.choices.empty();
      contract_ = !asked && other_contract
                      ? observed->info().contract
                      : ParseContract(kernel, options.contract, options.choices);
      target_.emplace(OpenModel(kernel, contract_, ThreadCount(options.threads)));
    } else {
      if (!options.contract.empty() || !options.choices.empty()) {
        throw UsageError("--contract and --set: expected --backend model");
      }
      target_.emplace(OpenBackend(name, kernel, expected.name));
      contract_ = target_->contract;
    }
    const gpu::DeviceInfo& info = target_->device->info();
    device_ = {info.name, info.architecture, info.driver, "", ""};
  }

  TensorSet Run(const ConcreteCase& c) {
    if (!target_) return ProgramLauncher(kernel_, c.config, program_).Launch(c.inputs);
    RunResult result = RunOnBackend(kernel_, *target_, c.config, c.inputs, launch_);
    device_.kernel_symbol = result.launch.symbol;
    device_.kernel_hash = result.launch.binary_hash;
    return std::move(result.tensors);
  }

  const golden::Device& device() const { return device_; }
  const Contract& contract() const { return contract_; }

 private:
  const Kernel& kernel_;
  std::string program_;
  std::optional<Target> target_;
  gpu::LaunchOptions launch_;
  golden::Device device_;
  Contract contract_;
};

/// "small.h5" -> "small.observed.h5".
std::string ObservedName(const MinimizeOptions& options) {
  if (!options.record.empty()) return options.record;
  const std::filesystem::path path(options.output);
  return (path.parent_path() / (path.stem().string() + ".observed" + path.extension().string()))
      .string();
}

void WriteCase(const std::string& path, golden::FileInfo info, const Kernel& kernel,
               const ConcreteCase& c, const std::vector<const TensorSet*>& sets, bool force) {
  info.store = golden::Store::kFull;
  info.kernel = kernel.name();
  info.taps = true;
  info.tool_version = ToolVersion();
  info.commit = Commit();
  TensorSet all;
  for (const TensorSet* set : sets) {
    all.tensors.insert(all.tensors.end(), set->tensors.begin(), set->tensors.end());
  }
  golden::Writer writer(path, info, {.force = force, .resume = false});
  writer.Add({&kernel, c.config, std::string(golden::kCustomStyle), golden::CustomSeed(c.inputs)},
             0, all);
  writer.Finish();
}

void WriteFiles(const MinimizeOptions& options, const Kernel& kernel, const Contract& contract,
                const ObservedSide& observed, const Minimized& minimized, const BothSides& sides) {
  golden::FileInfo info;
  info.schema = golden::Schema::kGolden;
  info.contract = contract;
  WriteCase(options.output, info, kernel, minimized.smallest,
            {&minimized.smallest.inputs, &sides.expected}, options.force);
  info.schema = golden::Schema::kObserved;
  info.contract = observed.contract();
  info.device = observed.device();
  WriteCase(ObservedName(options), info, kernel, minimized.smallest, {&sides.observed},
            options.force);
}

void Report(const MinimizeOptions& options, const Kernel& kernel, const ConcreteCase& start,
            const Minimized& minimized) {
  const std::string observed = ObservedName(options);
  const Settings before = NonDefault(kernel, start.config);
  const Settings after = NonDefault(kernel, minimized.smallest.config);
  const int64_t nonzeros = CountNonZeros(start.inputs);
  const int64_t left = CountNonZeros(minimized.smallest.inputs);
  if (options.json) {
    JsonWriter json(stdout, "minimize");
    json.Field("output", options.output).Field("observed", observed);
    json.Field("first_tensor", minimized.first_tensor);
    json.Map("config_before", before).Map("config", after);
    json.Field("nonzeros_before", nonzeros).Field("nonzeros", left);
    json.Field("runs", minimized.runs).Field("limit_reached", minimized.limit_reached);
    return;
  }
  const auto text = [](const Settings& settings) {
    return settings.empty() ? std::string("defaults") : SettingsText(settings);
  };
  fmt::print("first difference: {}\n", minimized.first_tensor);
  fmt::print("configuration:    {} -> {}\n", text(before), text(after));
  fmt::print("inputs not zero:  {} -> {}\n", nonzeros, left);
  fmt::print("runs:             {}{}\n", minimized.runs,
             minimized.limit_reached ? " (the limit: --runs allows more)" : "");
  fmt::print("{}, {}: see samebits slice {} {}\n", options.output, observed, options.output,
             observed);
}

const CaseEntry& OnlyCase(const Reader& reader, const std::string& id) {
  if (!id.empty()) return CaseNamed(reader, id);
  if (reader.cases().size() == 1) return reader.cases().front();
  throw UsageError(fmt::format("{}: --case: expected one of its {} cases", reader.path(),
                               reader.cases().size()));
}

/// What differs first in the files must be what differs first in a run.
void CheckReproduced(const MinimizeOptions& options, const Reader& golden, const CaseEntry& entry,
                     const Reader& observed, const BothSides& sides) {
  const CaseEntry* other = Counterpart(observed, entry);
  if (other == nullptr || !observed.has_values()) {
    throw UsageError(fmt::format("{}: expected values of the case {} of {}", options.observed,
                                 entry.id, golden.path()));
  }
  for (const golden::TensorEntry& tensor : other->tensors) {
    if (tensor.spec.role == Role::kInput) continue;
    const Tensor* again = sides.observed.Find(tensor.spec.role, tensor.spec.name);
    if (again == nullptr ||
        !CompareTensors(ReadCaptured(observed, *other, tensor, *again), *again)) {
      continue;
    }
    throw UsageError(
        fmt::format("{}: {}: the backend computes other bits: expected --backend (and "
                    "--contract, --set) that made the file",
                    options.observed, FullName(tensor.spec)));
  }
}

}  // namespace

int MinimizeVerb(const MinimizeOptions& options) {
  const Reader golden(options.file);
  const Kernel& kernel = KernelOf(golden);
  const CaseEntry& entry = OnlyCase(golden, options.case_id);
  std::optional<Reader> observed_file;
  if (!options.observed.empty()) {
    observed_file.emplace(Reader::OpenObserved(options.observed, golden, kernel));
  }
  for (const std::string& path : {options.output, ObservedName(options)}) {
    if (!options.force && std::filesystem::exists(path)) {
      throw UsageError(fmt::format("{}: exists (--force replaces it)", path));
    }
  }
  CheckOutput(options.output, {options.file, options.observed});
  CheckOutput(ObservedName(options), {options.file, options.observed, options.output});
  const Contract& contract = golden.info().contract;
  ObservedSide observed(options, kernel, contract, observed_file ? &*observed_file : nullptr);
  const int threads = ThreadCount(options.threads);
  const RunBoth run = [&](const ConcreteCase& c) {
    return BothSides{golden::RunModel(kernel, c.config, contract, true, c.inputs, threads).results,
                     observed.Run(c)};
  };
  const ConcreteCase start = {entry.config, golden.Inputs(entry, kernel, threads)};
  if (observed_file) CheckReproduced(options, golden, entry, *observed_file, run(start));
  std::optional<golden::CaseSpec> spec;
  if (entry.style != golden::kCustomStyle) spec = golden::SpecOf(entry, kernel);

  Progress progress("minimize", options.runs);
  const Minimized minimized =
      Minimize(kernel, start, spec, run,
               {.any = options.any, .max_runs = options.runs, .progress = [&](int runs) {
                  progress.Update(runs);
                }});
  progress.Clear();
  WriteFiles(options, kernel, contract, observed, minimized, run(minimized.smallest));
  Report(options, kernel, start, minimized);
  return kIdentical;
}

}  // namespace samebits::harness
