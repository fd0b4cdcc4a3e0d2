#include "harness/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "harness/dataset.h"
#include "harness/explain/explanation_report.h"
#include "harness/explain/read_evidence.h"
#include "harness/names.h"
#include "harness/progress.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"

namespace samebits::harness {
namespace {

using golden::CaseEntry;

/// Cases by what explains them.
class Causes {
 public:
  void Add(const Explanation& explanation) {
    std::string text;
    for (const Finding& finding : explanation.findings) {
      text += text.empty() ? "" : "; ";
      text += finding.changes.empty() ? "unexplained: " + finding.tensors.front()
                                      : ChangesText(finding.changes);
    }
    if (text.empty()) return;
    ++cases_[text];
  }
  const std::map<std::string, int>& cases() const { return cases_; }

 private:
  std::map<std::string, int> cases_;
};

/// The choices that explain all of a case, for those that follow.
void AddHint(const Explanation& explanation, std::vector<Hypothesis>* hints) {
  Hypothesis changes;
  for (const Finding& finding : explanation.findings) {
    for (const Deviation& change : finding.changes) {
      if (change.kind != Deviation::Kind::kChoice || finding.in_part) return;
      changes.push_back(change);
    }
    if (finding.changes.empty()) return;
  }
  if (changes.empty() || std::ranges::find(*hints, changes) != hints->end()) return;
  hints->push_back(std::move(changes));
}

struct Totals {
  int identical = 0, reordered = 0, different = 0, skipped = 0;

  void Add(Verdict verdict) {
    ++(verdict == Verdict::kIdentical         ? identical
       : verdict == Verdict::kLegalReordering ? reordered
                                              : different);
  }
  int exit_status() const {
    if (reordered + different > 0) return kDivergent;
    return identical > 0 ? kIdentical : kSkipped;
  }
};

class ExplainRun {
 public:
  ExplainRun(const ExplainOptions& options, std::FILE* out)
      : options_(options),
        out_(out),
        expected_(options.expected),
        kernel_(KernelOf(expected_)),
        actual_(golden::Reader::OpenObserved(options.actual, expected_, kernel_)),
        threads_(ThreadCount(options.threads)) {
    if (actual_.info().kernel != expected_.info().kernel) {
      throw UsageError(fmt::format("{}: expected kernel {} as in {}, got {}", options.actual,
                                   expected_.info().kernel, options.expected,
                                   actual_.info().kernel));
    }
  }

  int Run() {
    if (options_.json) Begin();
    for (const CaseEntry* entry : Chosen()) ExplainCase(*entry);
    options_.json ? WriteEnd() : PrintEnd();
    return totals_.exit_status();
  }

 private:
  std::vector<const CaseEntry*> Chosen() const {
    std::vector<const CaseEntry*> chosen;
    for (const std::string& id : options_.cases) chosen.push_back(&CaseNamed(expected_, id));
    if (options_.cases.empty()) {
      for (const CaseEntry& entry : expected_.cases()) chosen.push_back(&entry);
    }
    return chosen;
  }

  void ExplainCase(const CaseEntry& entry) {
    const CaseEntry* other = Counterpart(actual_, entry);
    if (other == nullptr) {
      ++totals_.skipped;
      return;
    }
    if (std::ranges::none_of(other->tensors, [](const golden::TensorEntry& tensor) {
          return tensor.spec.role != Role::kInput;
        })) {
      throw UsageError(fmt::format("{}: cases/{}: expected a tap or an output, found inputs alone",
                                   options_.actual, other->id));
    }
    Explanation explanation;
    if (!SameHashes(entry, *other)) explanation = Find(entry, *other);
    totals_.Add(explanation.verdict);
    causes_.Add(explanation);
    AddHint(explanation, &hints_);
    const CaseReport report = ReportOf(entry, kernel_);
    if (json_) {
      Write(report, explanation, json_.get());
    } else if (explanation.verdict != Verdict::kIdentical || !options_.cases.empty()) {
      Print(out_, report, explanation);
    }
  }

  Explanation Find(const CaseEntry& entry, const CaseEntry& other) {
    const Evidence evidence = ReadEvidence(expected_, entry, actual_, other, kernel_, threads_);
    std::optional<Progress> progress;
    std::string shown;
    ExplainSettings settings = {.threads = threads_, .hints = hints_};
    if (options_.thorough) settings.limit = 0;
    settings.progress = [&](std::string_view phase, int64_t done, int64_t runs) {
      if (shown != phase) {
        progress.reset();
        shown = phase;
        progress.emplace(fmt::format("explain {}: {}", entry.id.substr(0, 8), phase), runs);
      }
      progress->Update(done);
    };
    return Explain(evidence, settings);
  }

  void Begin() {
    json_ = std::make_unique<JsonWriter>(out_, "explain");
    json_->Field("expected", options_.expected).Field("actual", options_.actual);
    json_->Field("kernel", expected_.info().kernel);
    json_->Field("contract", expected_.info().contract.name).Key("cases").BeginArray();
  }

  void WriteEnd() {
    json_->End().Key("causes").BeginArray();
    for (const auto& [cause, cases] : causes_.cases()) {
      json_->BeginObject().Field("cause", cause).Field("cases", cases).End();
    }
    json_->End().Key("summary").BeginObject();
    json_->Field("identical", totals_.identical).Field("legal_reordering", totals_.reordered);
    json_->Field("different_computation", totals_.different).Field("skipped", totals_.skipped);
    json_->End();
  }

  void PrintEnd() const {
    const int divergent = totals_.reordered + totals_.different;
    if (divergent > 1) {
      for (const auto& [cause, cases] : causes_.cases()) {
        fmt::print(out_, "{} cases: {}\n", cases, cause);
      }
    }
    fmt::print(out_, "{} identical, {} legal reordering, {} different computation",
               totals_.identical, totals_.reordered, totals_.different);
    if (totals_.skipped > 0) fmt::print(out_, ", {} not in {}", totals_.skipped, options_.actual);
    fmt::print(out_, "\n");
  }

  const ExplainOptions& options_;
  std::FILE* const out_;
  const golden::Reader expected_;
  const Kernel& kernel_;
  const golden::Reader actual_;
  const int threads_;
  std::vector<Hypothesis> hints_;
  Causes causes_;
  Totals totals_;
  std::unique_ptr<JsonWriter> json_;
};

}  // namespace

int ExplainVerb(const ExplainOptions& options) { return ExplainVerb(options, stdout); }

int ExplainVerb(const ExplainOptions& options, std::FILE* out) {
  return ExplainRun(options, out).Run();
}

}  // namespace samebits::harness
