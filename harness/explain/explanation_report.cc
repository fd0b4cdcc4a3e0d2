#include "harness/explain/explanation_report.h"

#include <fmt/format.h>

#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

std::string VerdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kIdentical:
      return "identical";
    case Verdict::kLegalReordering:
      return "legal reordering";
    case Verdict::kDifferent:
      return "different computation";
  }
  return {};
}

void PrintFinding(std::FILE* file, size_t number, const Finding& finding) {
  fmt::print(file, "  {}. {}\n", number, finding.sentence);
  if (finding.changes.empty()) return;
  fmt::print(file, "     explains {} of {} differing elements", finding.explained,
             finding.differing);
  if (finding.alternatives.empty() && finding.more_alternatives == 0) {
    fmt::print(file, "; nothing else that was tried does\n");
    return;
  }
  fmt::print(file, "; as does");
  for (size_t i = 0; i < finding.alternatives.size(); ++i) {
    fmt::print(file, "{} {}", i ? "," : "", ChangesText(finding.alternatives[i]));
  }
  if (finding.more_alternatives > 0) {
    fmt::print(file, " and, in a sample, {} more", finding.more_alternatives);
  }
  fmt::print(file, "\n");
}

void WriteChanges(const Hypothesis& changes, JsonWriter* json) {
  json->BeginArray();
  for (const Deviation& change : changes) {
    json->BeginObject().Field("kind", Name(change.kind)).Field("name", change.name);
    json->Field("from", change.from).Field("to", change.to);
    if (change.tree) json->Field("tree", order::ToText(*change.tree));
    json->End();
  }
  json->End();
}

void WriteAxes(std::string_view key, const std::vector<AxisPattern>& axes, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const AxisPattern& axis : axes) {
    json->BeginObject().Field("axis", axis.axis).Field("extent", axis.extent);
    json->Field("affected", axis.affected).Field("text", axis.text).End();
  }
  json->End();
}

void WritePattern(const Pattern& pattern, JsonWriter* json) {
  json->Key("pattern").BeginObject().Field("text", Text(pattern));
  json->Field("differing", pattern.differing).Field("elements", pattern.elements);
  json->Field("dense", pattern.dense);
  WriteAxes("axes", pattern.axes, json);
  WriteAxes("places", pattern.places, json);
  if (pattern.max_ulp) json->Field("max_ulp", *pattern.max_ulp);
  json->Field("not_numbers", pattern.not_numbers);
  json->Key("flipped_bits").BeginObject();
  for (size_t bit = 0; bit < pattern.flips.size(); ++bit) {
    if (pattern.flips[bit] > 0) json->Field(std::to_string(bit), pattern.flips[bit]);
  }
  json->End().End();
}

void WriteBound(const OrderBound& bound, JsonWriter* json) {
  json->Key("bound").BeginObject().Field("sum", bound.sum).Field("terms", int64_t{bound.terms});
  json->Field("checked", bound.checked).Field("worst", bound.worst).End();
}

void WriteFinding(const Finding& finding, JsonWriter* json) {
  json->BeginObject().Field("sentence", finding.sentence);
  WriteChanges(finding.changes, &json->Key("changes"));
  json->Strings("tensors", finding.tensors);
  json->Field("explained", finding.explained).Field("differing", finding.differing);
  json->Field("in_part", finding.in_part).Field("rest", finding.rest);
  json->Field("recording_at_fault", finding.recording);
  json->Key("alternatives").BeginArray();
  for (const Hypothesis& alternative : finding.alternatives) WriteChanges(alternative, json);
  json->End();
  json->Field("more_alternatives", finding.more_alternatives);
  if (finding.bound) WriteBound(*finding.bound, json);
  if (finding.pattern) WritePattern(*finding.pattern, json);
  json->End();
}

}  // namespace

std::string ChangesText(const Hypothesis& changes) {
  std::string text;
  for (const Deviation& change : changes) {
    const bool value =
        change.kind == Deviation::Kind::kChoice || change.kind == Deviation::Kind::kAxis;
    if (change.kind == Deviation::Kind::kOrder) {
      text += fmt::format("{}{} summed {}", text.empty() ? "" : " and ", change.name, change.to);
      continue;
    }
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " and ", change.name, value ? "=" : " ",
                        change.to);
  }
  return text;
}

void Print(std::FILE* file, const CaseReport& report, const Explanation& explanation) {
  const std::string config = SettingsText(report.config);
  fmt::print(file, "{}  {}  {}{}{} seed={}\n", VerdictText(explanation.verdict), report.id, config,
             config.empty() ? "" : " ", report.style, report.seed);
  if (!explanation.named_contract.empty()) {
    fmt::print(file, "  these are the bits of contract {}\n", explanation.named_contract);
  }
  for (size_t i = 0; i < explanation.findings.size(); ++i) {
    PrintFinding(file, i + 1, explanation.findings[i]);
  }
  for (const std::string& what : explanation.not_tried) {
    fmt::print(file, "  stopped at the limit of work, without {} (--thorough has no limit)\n",
               what);
  }
  std::fflush(file);
}

void Write(const CaseReport& report, const Explanation& explanation, JsonWriter* json) {
  json->BeginObject().Field("id", report.id).Map("config", report.config);
  json->Field("inputs_style", report.style).Field("seed", report.seed);
  json->Field("verdict", Name(explanation.verdict));
  json->Field("named_contract", explanation.named_contract);
  json->Key("findings").BeginArray();
  for (const Finding& finding : explanation.findings) WriteFinding(finding, json);
  json->End().Key("tensors").BeginArray();
  for (const GuiltyTensor& tensor : explanation.tensors) {
    json->BeginObject().Field("tensor", FullName(tensor.spec));
    json->Field("differing", tensor.differing).Field("captured", tensor.captured);
    json->Field("unexplained", tensor.unexplained).End();
  }
  json->End().Field("model_runs", explanation.runs);
  json->Strings("not_tried", explanation.not_tried).End();
}

}  // namespace samebits::harness
