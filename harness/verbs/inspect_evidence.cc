#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/contract_text.h"
#include "golden/evidence_file.h"
#include "golden/matrix.h"
#include "harness/dataset.h"
#include "harness/provenance.h"
#include "harness/report/json_writer.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"
#include "model/kernel.h"

namespace samebits::harness {
namespace {

using golden::Evidence;
using golden::EvidenceCase;
using golden::Verdict;

constexpr std::array kVerdicts = {Verdict::kIdentical, Verdict::kDivergent, Verdict::kVaries};

struct Counts {
  size_t matrix = 0;  // cases of the matrix; 0 if this build does not know the kernel
  size_t hashes = 0;
  std::array<size_t, kVerdicts.size()> verdicts{};
  std::vector<size_t> cases_of;  // per kernel binary
};

Counts Count(const Evidence& evidence) {
  Counts counts;
  if (const Kernel* kernel = FindKernel(evidence.info.kernel)) {
    counts.matrix = golden::ParseMatrix(evidence.info.matrix, "attribute matrix", *kernel).size();
  }
  counts.cases_of.resize(evidence.binaries.size());
  for (const EvidenceCase& entry : evidence.cases) {
    ++counts.verdicts[static_cast<size_t>(entry.verdict)];
    ++counts.cases_of[entry.binary];
    counts.hashes += entry.hashes.size() -
                     static_cast<size_t>(std::count(entry.hashes.begin(), entry.hashes.end(), ""));
  }
  return counts;
}

void PrintText(const std::string& file, const Evidence& evidence, const Counts& counts) {
  const golden::EvidenceInfo& info = evidence.info;
  fmt::print("{}: {}, {}{}\n", file, golden::kEvidenceSchema, info.kernel,
             info.taps ? ", with taps" : "");
  fmt::print("made by samebits {} ({})\n", info.tool_version, info.commit);
  fmt::print("contract {} ({}), profile {}\n", info.contract.name,
             golden::ContractHash(info.contract), info.contract.profile);
  if (const Kernel* kernel = FindKernel(info.kernel)) PrintAssumed(stdout, *kernel, info.contract);
  fmt::print("observed on {} ({}), driver {}, runtime {}\n", DevicesText(info.devices, info.device),
             info.architecture, info.driver.empty() ? "none" : info.driver,
             info.runtime.empty() ? "none" : info.runtime);
  fmt::print("{} launch{} per case, thread blocks: {}\n", info.repeat, info.repeat == 1 ? "" : "es",
             info.ctas == 0 ? "the kernel's choice" : std::to_string(info.ctas));
  fmt::print("{} of the {} cases of the matrix, {} hashes of {} tensors:", evidence.cases.size(),
             counts.matrix, counts.hashes, evidence.tensors.size());
  for (const Verdict verdict : kVerdicts) {
    fmt::print(" {} {}", counts.verdicts[static_cast<size_t>(verdict)], golden::Name(verdict));
  }
  fmt::print("\n");
  for (size_t k = 0; k < evidence.binaries.size(); ++k) {
    fmt::print("  {:>5} cases  {} ({})\n", counts.cases_of[k], evidence.binaries[k].symbol,
               evidence.binaries[k].hash);
  }
}

void WriteJson(const std::string& file, const Evidence& evidence, const Counts& counts) {
  const golden::EvidenceInfo& info = evidence.info;
  JsonWriter json(stdout, "inspect");
  json.Field("file", file).Field("schema", golden::kEvidenceSchema).Field("kernel", info.kernel);
  json.Field("taps", info.taps).Field("tool_version", info.tool_version);
  json.Field("commit", info.commit).Field("contract", info.contract.name);
  json.Field("contract_hash", golden::ContractHash(info.contract));
  json.Field("profile", info.contract.profile).Map("choices", info.contract.choices);
  if (const Kernel* kernel = FindKernel(info.kernel)) {
    WriteUnits("rests_on", *kernel, info.contract, &json);
  }
  json.Key("device").BeginObject().Field("name", info.device);
  json.Field("count", info.devices);
  json.Field("architecture", info.architecture).Field("driver", info.driver);
  json.Field("runtime", info.runtime).End();
  json.Field("repeat", info.repeat).Field("ctas", info.ctas).Field("matrix_cases", counts.matrix);
  json.Field("cases", evidence.cases.size()).Field("hashes", counts.hashes);
  for (const Verdict verdict : kVerdicts) {
    json.Field(golden::Name(verdict), counts.verdicts[static_cast<size_t>(verdict)]);
  }
  json.Strings("tensors", evidence.tensors).Key("kernels").BeginArray();
  for (size_t k = 0; k < evidence.binaries.size(); ++k) {
    json.BeginObject().Field("symbol", evidence.binaries[k].symbol);
    json.Field("hash", evidence.binaries[k].hash).Field("cases", counts.cases_of[k]).End();
  }
}

}  // namespace

int InspectEvidence(const InspectOptions& options) {
  if (!options.case_id.empty() || !options.tensor.empty()) {
    throw UsageError(
        fmt::format("{}: --case and --tensor: expected a golden or observed file; this is evidence",
                    options.file));
  }
  const Evidence evidence = golden::ReadEvidence(options.file);
  const Counts counts = Count(evidence);
  options.json ? WriteJson(options.file, evidence, counts)
               : PrintText(options.file, evidence, counts);
  return kIdentical;
}

}  // namespace samebits::harness
