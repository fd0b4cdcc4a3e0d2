#include "golden/check.h"

#include <fmt/format.h>

#include <optional>

#include "golden/capture.h"
#include "golden/integrity_error.h"
#include "harness/names.h"
#include "harness/progress.h"
#include "harness/report/json_writer.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"

namespace samebits::harness {
namespace {

std::string_view KindName(golden::Finding::Kind kind) {
  return kind == golden::Finding::Kind::kIntegrity ? "integrity" : "result";
}

void PrintText(const CheckOptions& options, const golden::CheckReport& report) {
  for (const golden::Finding& finding : report.findings) {
    fmt::print("{:<10} {}: {}\n", KindName(finding.kind), finding.place, finding.expected);
  }
  if (!report.findings.empty()) return;
  fmt::print("{}: whole; {} cases, {} tensors{}\n", options.file, report.cases, report.tensors,
             options.recompute ? ", recomputed" : "");
}

void WriteJson(const CheckOptions& options, const golden::CheckReport& report) {
  JsonWriter json(stdout, "check");
  json.Field("file", options.file).Field("cases", report.cases).Field("tensors", report.tensors);
  json.Field("recomputed", options.recompute).Field("whole", report.findings.empty());
  json.Key("findings").BeginArray();
  for (const golden::Finding& finding : report.findings) {
    json.BeginObject().Field("kind", KindName(finding.kind)).Field("place", finding.place);
    json.Field("expected", finding.expected).End();
  }
}

}  // namespace

int Check(const CheckOptions& options) {
  if (golden::Capture::Claims(options.file)) {
    throw UsageError(fmt::format(
        "{0}: a capture made by hand has no seal to check: samebits inspect {0} lists it, samebits "
        "explain GOLDEN {0} reads it",
        options.file));
  }
  golden::CheckOptions how;
  how.recompute = options.recompute;
  how.threads = ThreadCount(options.threads);
  golden::CheckReport report;
  {
    std::optional<Progress> progress;
    how.progress = [&](size_t done, size_t total) {
      if (!progress) progress.emplace("check", static_cast<int64_t>(total));
      progress->Update(static_cast<int64_t>(done));
    };
    report = golden::Check(options.file, FindKernel, how);
  }
  if (options.json) {
    WriteJson(options, report);
  } else {
    PrintText(options, report);
  }
  for (const golden::Finding& finding : report.findings) {
    if (finding.kind != golden::Finding::Kind::kIntegrity) continue;
    throw golden::IntegrityError(fmt::format("{}: {}: {}{}", options.file, finding.place,
                                             finding.expected,
                                             report.findings.size() > 1 ? " (and more)" : ""));
  }
  return report.findings.empty() ? kIdentical : kDivergent;
}

}  // namespace samebits::harness
