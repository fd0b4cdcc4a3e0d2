#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "golden/contract_text.h"
#include "golden/run_case.h"
#include "golden/writer.h"
#include "harness/backends.h"
#include "harness/dataset.h"
#include "harness/evidence_recorder.h"
#include "harness/names.h"
#include "harness/progress.h"
#include "harness/provenance.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"
#include "harness/verify_case.h"
#include "harness/version.h"

namespace samebits::harness {
namespace {

Target OpenOneDevice(const VerifyOptions& options, const golden::Reader& reader,
                     const Kernel& kernel) {
  const std::string name = options.backend.empty() ? BestBackend(kernel) : options.backend;
  if (name != kModelBackend) {
    if (!options.contract.empty() || !options.choices.empty()) {
      throw UsageError(
          fmt::format("--contract and --set: expected --backend model; the kernel of "
                      "backend {} computes one contract",
                      name));
    }
    return OpenBackend(name, kernel, reader.info().contract.name);
  }
  Contract contract;
  if (options.contract == "dataset") {
    contract = reader.info().contract;
    ChangeContract(kernel, options.choices, &contract);
  } else {
    contract = ParseContract(kernel, options.contract, options.choices);
  }
  return OpenModel(kernel, contract, ThreadCount(options.threads));
}

Target OpenTarget(const VerifyOptions& options, const golden::Reader& reader,
                  const Kernel& kernel) {
  Target target = OpenOneDevice(options, reader, kernel);
  if (options.devices != 1) ShareRanks(options.devices, &target);
  return target;
}

std::vector<const golden::CaseEntry*> SelectedCases(const VerifyOptions& options,
                                                    const golden::Reader& reader,
                                                    const Kernel& kernel) {
  std::vector<const golden::CaseEntry*> selected;
  for (const std::string& id : options.cases) selected.push_back(&CaseNamed(reader, id));
  if (options.cases.empty()) {
    for (const golden::CaseEntry& entry : reader.cases()) selected.push_back(&entry);
  }
  const Settings filters = ParseAxes(kernel, "--filter", options.filters);
  std::erase_if(selected, [&](const golden::CaseEntry* entry) {
    for (const auto& [axis, value] : filters) {
      const auto at = entry->config.find(axis);
      if (at == entry->config.end() || at->second != value) return true;
    }
    return false;
  });
  if (selected.empty() && !reader.cases().empty()) {
    throw UsageError(fmt::format("{}: no case with {}", reader.path(), SettingsText(filters)));
  }
  return selected;
}

/// A device beyond the ranks would have nothing to do. Where one rank is alone, its peers count:
/// they have the mailboxes.
void RefuseIdleDevices(const std::vector<const golden::CaseEntry*>& cases,
                       const golden::Reader& reader, const Kernel& kernel, const Target& target) {
  if (target.devices() == 1) return;
  const std::string axis(target.kernel->ranked()->rank_axis());
  for (const golden::CaseEntry* entry : cases) {
    const std::string ranks = kernel.Complete(entry->config).at(axis);
    if (target.devices() <= std::stoi(ranks)) continue;
    throw UsageError(fmt::format("--devices: {}: case {} has {}={}: expected at most {}, got {}",
                                 reader.path(), entry->id, axis, ranks, ranks, target.devices()));
  }
}

/// Writes what was observed; the file is created with the first result, which knows the kernel.
class Recorder {
 public:
  Recorder(const VerifyOptions& options, const Kernel& kernel, const Target& target)
      : options_(options), kernel_(kernel), target_(target) {}

  void Add(const golden::CaseEntry& entry, const RunResult& observed) {
    if (options_.record.empty()) return;
    if (!writer_) Open(observed.launch);
    writer_->Add(golden::SpecOf(entry, kernel_), entry.index, observed.tensors);
  }
  void Finish() {
    if (writer_) writer_->Finish();
  }

 private:
  void Open(const gpu::LaunchInfo& launch) {
    const gpu::DeviceInfo& device = target_.device->info();
    golden::FileInfo info;
    info.schema = golden::Schema::kObserved;
    info.store = options_.hashes ? golden::Store::kHashes : golden::Store::kFull;
    info.kernel = kernel_.name();
    info.taps = options_.taps;
    info.tool_version = ToolVersion();
    info.commit = Commit();
    info.contract = target_.contract;
    info.device = golden::Device{device.name,   device.architecture, device.driver,
                                 launch.symbol, launch.binary_hash,  target_.devices()};
    writer_ = std::make_unique<golden::Writer>(options_.record, info,
                                               golden::WriterOptions{options_.force, false});
  }

  const VerifyOptions& options_;
  const Kernel& kernel_;
  const Target& target_;
  std::unique_ptr<golden::Writer> writer_;
};

/// Results as they come: text per case, or one JSON object that grows.
class Output {
 public:
  Output(const VerifyOptions& options, const golden::Reader& reader, const Kernel& kernel,
         const Target& target) {
    const Contract& dataset = reader.info().contract;
    const bool differs = golden::ContractHash(dataset) != golden::ContractHash(target.contract);
    const bool computes_taps = options.taps && !reader.info().taps;
    const gpu::DeviceInfo& device = target.device->info();
    if (options.json) {
      json_ = std::make_unique<JsonWriter>(stdout, "verify");
      json_->Field("file", options.file).Field("kernel", reader.info().kernel);
      json_->Field("backend", target.backend).Field("device", device.name);
      json_->Field("devices", target.devices());
      json_->Field("architecture", device.architecture).Field("driver", device.driver);
      json_->Field("contract", dataset.name).Field("backend_contract", target.contract.name);
      json_->Field("contract_differs", differs).Field("taps_of_model", computes_taps);
      WriteUnits("rests_on", kernel, dataset, json_.get());
      WriteUnits("backend_rests_on", kernel, target.contract, json_.get());
      json_->Key("cases").BeginArray();
      return;
    }
    fmt::print("{}: {} on {} ({}), contract {}\n", options.file, reader.info().kernel,
               target.backend, DevicesText(target.devices(), device.name), dataset.name);
    PrintAssumed(stdout, kernel, dataset);
    if (computes_taps) {
      fmt::print("note: {} has no taps: the CPU model computes them under its contract\n",
                 options.file);
    }
    if (differs) {
      fmt::print("note: the backend computes another contract, {}: differences are expected\n",
                 target.contract.name);
      PrintAssumed(stdout, kernel, target.contract);
    }
  }

  void Add(const CaseReport& report) {
    summary_.Add(report);
    if (json_) {
      Write(report, json_.get());
    } else {
      Print(stdout, report);
    }
  }
  void Finish() {
    if (json_) {
      json_->End();
      Write(summary_, json_.get());
    } else {
      Print(stdout, summary_);
    }
  }
  const Summary& summary() const { return summary_; }

 private:
  std::unique_ptr<JsonWriter> json_;
  Summary summary_;
};

class Verifier {
 public:
  Verifier(const VerifyOptions& options, const golden::Reader& reader, const Kernel& kernel,
           const Target& target)
      : options_(options), reader_(reader), kernel_(kernel), target_(target) {
    request_.launch.taps = options.taps;
    request_.launch.ctas = options.ctas;
    request_.launch.schedule = static_cast<uint64_t>(options.schedule);
    request_.repeat = options.repeat;
    request_.nan = options.nan_class ? NanPolicy::kClass : NanPolicy::kBits;
  }

  VerifiedCase Verify(const golden::CaseEntry& entry) const {
    reader_.RequirePlan(entry, kernel_);
    const int threads = ThreadCount(options_.threads);
    const TensorSet inputs = reader_.Inputs(entry, kernel_, threads);
    Expectation expected;
    for (Role role : {Role::kTap, Role::kOutput}) {
      if (role == Role::kTap && !options_.taps) continue;
      TensorSet stored = reader_.Read(entry, role);
      for (Tensor& tensor : stored.tensors) expected.tensors.tensors.push_back(std::move(tensor));
    }
    for (const golden::TensorEntry& tensor : entry.tensors) {
      expected.hashes[{tensor.spec.role, tensor.spec.name}] = tensor.xxh3;
    }
    expected.recompute = [&] {
      return golden::RunModel(kernel_, entry.config, reader_.info().contract, options_.taps, inputs,
                              threads)
          .results;
    };
    VerifiedCase verified = VerifyCase(kernel_, target_, entry.config, inputs, expected, request_);
    const CaseReport known = ReportOf(entry, kernel_);
    verified.report.id = known.id;
    verified.report.config = known.config;
    verified.report.style = known.style;
    verified.report.seed = known.seed;
    return verified;
  }

 private:
  const VerifyOptions& options_;
  const golden::Reader& reader_;
  const Kernel& kernel_;
  const Target& target_;
  VerifyRequest request_;
};

/// What is written must be neither what is read nor the other thing that is written.
void RefuseOverwriting(const VerifyOptions& options) {
  std::error_code none;
  if (!options.record.empty() && options.record == options.evidence) {
    throw UsageError("--evidence: expected another file than --record");
  }
  for (const auto& [option, path] :
       {std::pair{"--record", options.record}, std::pair{"--evidence", options.evidence}}) {
    if (!path.empty() && std::filesystem::equivalent(path, options.file, none)) {
      throw UsageError(fmt::format("{}: expected another file than the verified one", option));
    }
  }
}

}  // namespace

int Verify(const VerifyOptions& options) {
  if (options.force && options.record.empty() && options.evidence.empty()) {
    throw UsageError("--force: expected --record or --evidence");
  }
  RefuseOverwriting(options);
  const golden::Reader reader(options.file);
  const Kernel& kernel = KernelOf(reader);
  const std::vector<const golden::CaseEntry*> cases = SelectedCases(options, reader, kernel);
  const Target target = OpenTarget(options, reader, kernel);
  RefuseIdleDevices(cases, reader, kernel, target);
  const Verifier verifier(options, reader, kernel, target);
  Recorder recorder(options, kernel, target);
  std::optional<EvidenceRecorder> evidence;
  if (!options.evidence.empty()) evidence.emplace(options, reader, kernel, target);
  Output output(options, reader, kernel, target);
  Progress progress("verify", static_cast<int64_t>(cases.size()));
  for (const golden::CaseEntry* entry : cases) {
    const VerifiedCase verified = verifier.Verify(*entry);
    if (verified.report.skipped.empty()) recorder.Add(*entry, verified.observed);
    if (evidence) evidence->Add(verified);
    progress.Clear();
    output.Add(verified.report);
    progress.Step();
  }
  recorder.Finish();
  if (evidence) evidence->Finish();
  progress.Clear();
  output.Finish();
  return output.summary().exit_status();
}

}  // namespace samebits::harness
