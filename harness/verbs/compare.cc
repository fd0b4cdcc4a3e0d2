#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "harness/dataset.h"
#include "harness/provenance.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"

namespace samebits::harness {
namespace {

using golden::CaseEntry;
using golden::TensorEntry;

class Comparison {
 public:
  Comparison(const CompareOptions& options, const golden::Reader& expected,
             const golden::Reader& actual)
      : expected_(expected),
        actual_(actual),
        selection_(expected, options.tensors),
        nan_(options.nan_class ? NanPolicy::kClass : NanPolicy::kBits),
        all_(options.tensors.empty()) {}

  CaseReport Compare(const CaseEntry& expected, const CaseEntry& actual,
                     const Kernel& kernel) const {
    CaseReport report = ReportOf(expected, kernel);
    int results = 0;
    for (const TensorEntry& tensor : expected.tensors) {
      if (!selection_.Has(tensor.spec)) continue;
      if (const TensorEntry* other = actual.Find(tensor.spec.role, tensor.spec.name)) {
        Compare(expected, tensor, actual, *other, &report);
        results += tensor.spec.role != Role::kInput;
      }
    }
    report.SortByDataflow();
    NoteTaps(expected, actual, &report);
    NoteLacking(expected, actual, &report);
    if (report.compared == 0) {
      report.skipped = "no tensor in common";
    } else if (results == 0 && all_ && report.identical()) {
      report.skipped = "no tap and no output in common: nothing but inputs was compared";
    }
    return report;
  }

 private:
  /// What the file that is right does not have is not compared.
  void NoteLacking(const CaseEntry& expected, const CaseEntry& actual, CaseReport* report) const {
    if (!all_) return;
    const auto lacking = std::ranges::count_if(actual.tensors, [&](const TensorEntry& tensor) {
      return expected.Find(tensor.spec.role, tensor.spec.name) == nullptr;
    });
    if (lacking == 0) return;
    report->notes.push_back(fmt::format("not compared: {} tensors of {} that {} does not have",
                                        lacking, actual_.path(), expected_.path()));
  }

  /// Without taps nothing says which step differs first.
  void NoteTaps(const CaseEntry& expected, const CaseEntry& actual, CaseReport* report) const {
    const auto has_taps = [](const CaseEntry& entry) {
      return std::ranges::any_of(
          entry.tensors, [](const TensorEntry& tensor) { return tensor.spec.role == Role::kTap; });
    };
    if (has_taps(expected) && has_taps(actual)) return;
    if (report->identical()) return;
    const std::string& lacking = has_taps(expected) ? actual_.path() : expected_.path();
    report->notes.push_back(lacking + " has no taps: the step that differs first is not known");
  }

  void Compare(const CaseEntry& expected, const TensorEntry& tensor, const CaseEntry& actual,
               const TensorEntry& other, CaseReport* report) const {
    ++report->compared;
    if (tensor.spec == other.spec && tensor.xxh3 == other.xxh3) {
      Confirm(expected_, expected, tensor);
      Confirm(actual_, actual, other);
      return;
    }
    const bool values = expected_.has_values() && actual_.has_values();
    if (tensor.spec != other.spec || !values) {
      report->notes.push_back(FullName(tensor.spec) +
                              (values ? ": another type or shape" : ": only hashes are stored"));
      report->hash_diffs.push_back({tensor.spec, tensor.xxh3, other.xxh3});
      return;
    }
    const Tensor truth = expected_.Read(expected, tensor);
    auto diff = CompareTensors(truth, ActualValues(truth, actual, other, report), nan_);
    if (diff) report->diffs.push_back(std::move(*diff));
  }

  Tensor ActualValues(const Tensor& truth, const CaseEntry& actual, const TensorEntry& tensor,
                      CaseReport* report) const {
    const int64_t captured = golden::CountOf(actual_.Covered(actual, tensor));
    if (captured < tensor.spec.elements()) {
      report->notes.push_back(fmt::format("{}: {} of {} elements were captured",
                                          FullName(tensor.spec), captured, tensor.spec.elements()));
    }
    return ReadCaptured(actual_, actual, tensor, truth);
  }

  /// Equal hashes say nothing about values that do not have them. Throws IntegrityError.
  static void Confirm(const golden::Reader& reader, const CaseEntry& entry,
                      const TensorEntry& tensor) {
    if (reader.has_values()) reader.Read(entry, tensor);
  }

  const golden::Reader& expected_;
  const golden::Reader& actual_;
  TensorSelection selection_;
  NanPolicy nan_;
  bool all_;  // tensors
};

}  // namespace

int Compare(const CompareOptions& options) { return Compare(options, stdout); }

int Compare(const CompareOptions& options, std::FILE* out) {
  const golden::Reader expected(options.expected);
  const Kernel& kernel = KernelOf(expected);
  const auto actual = golden::Reader::OpenObserved(options.actual, expected, kernel);
  if (actual.info().kernel != expected.info().kernel) {
    throw UsageError(fmt::format("{}: expected kernel {} as in {}, got {}", options.actual,
                                 expected.info().kernel, options.expected, actual.info().kernel));
  }
  const Comparison comparison(options, expected, actual);
  std::unique_ptr<JsonWriter> json;
  if (options.json) {
    json = std::make_unique<JsonWriter>(out, "compare");
    json->Field("expected", options.expected).Field("actual", options.actual);
    json->Field("kernel", expected.info().kernel);
    json->Field("contract", expected.info().contract.name);
    json->Field("actual_contract", actual.info().contract.name);
    WriteUnits("rests_on", kernel, expected.info().contract, json.get());
    WriteUnits("actual_rests_on", kernel, actual.info().contract, json.get());
    json->Key("cases").BeginArray();
  } else {
    PrintAssumed(out, kernel, expected.info().contract);
    if (actual.info().contract_hash() != expected.info().contract_hash()) {
      PrintAssumed(out, kernel, actual.info().contract);
    }
  }
  Summary summary;
  std::set<const CaseEntry*> used;
  int missing = 0, extra = 0;
  const auto add = [&](const CaseReport& report) {
    summary.Add(report);
    if (json) {
      Write(report, json.get());
    } else {
      Print(out, report);
    }
  };
  for (const CaseEntry& entry : expected.cases()) {
    const CaseEntry* other = Counterpart(actual, entry);
    CaseReport report;
    if (other != nullptr) {
      report = comparison.Compare(entry, *other, kernel);
    } else {
      report = ReportOf(entry, kernel);
      report.skipped = "not in " + options.actual;
      ++missing;
    }
    used.insert(other);
    add(report);
  }
  for (const CaseEntry& entry : actual.cases()) {
    if (used.contains(&entry)) continue;
    CaseReport report = ReportOf(entry, kernel);
    report.skipped = "only in " + options.actual;
    ++extra;
    add(report);
  }
  if (json) {
    json->End().Field("cases_only_expected", missing).Field("cases_only_actual", extra);
    Write(summary, json.get());
  } else {
    Print(out, summary);
    if (missing > 0) fmt::print(out, "{} cases only in {}\n", missing, options.expected);
    if (extra > 0) fmt::print(out, "{} cases only in {}\n", extra, options.actual);
  }
  return summary.exit_status();
}

}  // namespace samebits::harness
