#include "harness/evidence_recorder.h"

#include <fmt/format.h>

#include "golden/evidence_file.h"
#include "golden/temporary_file.h"
#include "harness/status.h"
#include "harness/version.h"

namespace samebits::harness {
namespace {

golden::EvidenceInfo Info(const VerifyOptions& options, const golden::Reader& reader,
                          const Target& target) {
  if (options.nan_class) {
    throw UsageError("--evidence: expected --nan bits; evidence is about bits");
  }
  if (reader.info().matrix.empty()) {
    throw UsageError(fmt::format(
        "--evidence: {}: expected a file of generate --matrix (without --inputs and --seed)",
        reader.path()));
  }
  golden::RefuseExisting(options.evidence, options.force);
  const gpu::DeviceInfo& device = target.device->info();
  golden::EvidenceInfo info;
  info.tool_version = ToolVersion();
  info.commit = Commit();
  info.kernel = reader.info().kernel;
  info.contract = reader.info().contract;
  info.device = device.name;
  info.devices = target.devices();
  info.architecture = device.architecture;
  info.driver = device.driver;
  info.runtime = device.runtime;
  info.taps = options.taps;
  info.repeat = options.repeat;
  info.ctas = options.ctas;
  info.matrix = reader.info().matrix;
  return info;
}

golden::Verdict VerdictOf(const CaseReport& report) {
  if (!report.variations.empty()) return golden::Verdict::kVaries;
  return report.identical() ? golden::Verdict::kIdentical : golden::Verdict::kDivergent;
}

}  // namespace

EvidenceRecorder::EvidenceRecorder(const VerifyOptions& options, const golden::Reader& reader,
                                   const Kernel& kernel, const Target& target)
    : path_(options.evidence),
      force_(options.force),
      builder_(Info(options, reader, target), kernel) {}

void EvidenceRecorder::Add(const VerifiedCase& verified) {
  if (!verified.report.skipped.empty()) return;
  const gpu::LaunchInfo& launch = verified.observed.launch;
  builder_.Add(verified.report.id, {launch.symbol, launch.binary_hash}, VerdictOf(verified.report),
               verified.last());
}

void EvidenceRecorder::Finish() const {
  if (!builder_.empty()) golden::WriteEvidence(path_, builder_.Finish(), force_);
}

}  // namespace samebits::harness
