// Case reports for people.
#include <fmt/format.h>

#include "harness/compare/element.h"
#include "harness/report/case_report.h"

namespace samebits::harness {
namespace {

constexpr size_t kShownTensors = 12;  // the others are counted

std::string UlpText(const std::optional<uint64_t>& ulp) {
  return ulp ? fmt::format("{} ulp", *ulp) : "no ulp distance";
}

/// "nan_gained 3, zero_sign 1": every kind but plain values.
std::string ChangesText(const TensorDiff& diff) {
  std::string text;
  for (int c = 1; c < kChanges; ++c) {
    if (diff.changes[static_cast<size_t>(c)] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", Name(static_cast<Change>(c)),
                        diff.changes[static_cast<size_t>(c)]);
  }
  return text;
}

void PrintElement(std::FILE* file, const TensorSpec& spec, const ElementDiff& element,
                  std::string_view expected_name, std::string_view actual_name) {
  const auto line = [&](std::string_view name, uint32_t bits) {
    fmt::print(file, "    {:<9} {}  {}", name, HexBits(spec.dtype, bits),
               ValueText(spec.dtype, bits));
  };
  line(expected_name, element.expected);
  fmt::print(file, "\n");
  line(actual_name, element.actual);
  const std::string kind(Name(element.change));
  fmt::print(file, "  ({})\n", element.change == Change::kValue ? UlpText(element.ulp) : kind);
}

void PrintFirst(std::FILE* file, const TensorDiff& diff) {
  fmt::print(file, "  first difference: {}/{} at {}\n", GroupName(diff.spec.role), diff.spec.name,
             CoordinateText(diff.spec, diff.first.index));
  PrintElement(file, diff.spec, diff.first, "expected", "actual");
}

void PrintTensorLine(std::FILE* file, const TensorDiff& diff) {
  fmt::print(file, "  {}/{}: {} of {} differ", GroupName(diff.spec.role), diff.spec.name,
             diff.differing, diff.spec.elements());
  if (diff.worst.ulp) {
    fmt::print(file, ", at most {} ulp ({}), {:.3g} absolute", *diff.worst.ulp,
               CoordinateText(diff.spec, diff.worst.index), diff.max_abs);
  }
  const std::string changes = ChangesText(diff);
  fmt::print(file, "{}{}\n", changes.empty() ? "" : "; ", changes);
}

void PrintVariation(std::FILE* file, const Variation& variation, int runs) {
  fmt::print(file,
             "  varies from run to run: {}/{}, {} of {} runs differ from the first in {} "
             "elements, first at {}\n",
             GroupName(variation.spec.role), variation.spec.name, variation.runs, runs - 1,
             variation.elements, CoordinateText(variation.spec, variation.first.index));
  PrintElement(file, variation.spec, variation.first, "first run", "later run");
}

}  // namespace

void Print(std::FILE* file, const CaseReport& report) {
  const std::string config = SettingsText(report.config);
  fmt::print(file, "{:<10} {}  {}{}{} seed={}\n", report.verdict(), report.id, config,
             config.empty() ? "" : " ", report.style, report.seed);
  if (!report.skipped.empty()) fmt::print(file, "  {}\n", report.skipped);
  for (const std::string& note : report.notes) fmt::print(file, "  note: {}\n", note);
  for (const golden::Trespass& t : report.trespasses) {
    fmt::print(file, "  illegal write: {}, {} bytes, first at byte {}\n", t.where, t.bytes,
               t.offset);
  }
  for (const Variation& v : report.variations) PrintVariation(file, v, report.runs);
  if (report.runs > 1 && report.variations.empty() && !report.identical()) {
    fmt::print(file, "  stable but different: the same bits in all {} runs\n", report.runs);
  }
  if (!report.diffs.empty()) PrintFirst(file, report.diffs.front());
  for (size_t i = 0; i < report.diffs.size() && i < kShownTensors; ++i) {
    PrintTensorLine(file, report.diffs[i]);
  }
  if (report.diffs.size() > kShownTensors) {
    fmt::print(file, "  and {} tensors more\n", report.diffs.size() - kShownTensors);
  }
  for (const HashDiff& h : report.hash_diffs) {
    fmt::print(file, "  {}/{}: hash {} expected, {} found\n", GroupName(h.spec.role), h.spec.name,
               h.expected, h.actual);
  }
  std::fflush(file);
}

void Print(std::FILE* file, const Summary& summary) {
  fmt::print(file, "{} identical, {} divergent", summary.identical, summary.divergent);
  if (summary.unstable) fmt::print(file, ", {} unstable", summary.unstable);
  if (summary.skipped) fmt::print(file, ", {} skipped", summary.skipped);
  fmt::print(file, "\n");
  std::fflush(file);
}

}  // namespace samebits::harness
