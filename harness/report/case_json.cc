// Case reports for programs.
#include <string>

#include "harness/compare/element.h"
#include "harness/report/case_report.h"

namespace samebits::harness {
namespace {

void WriteSpec(const TensorSpec& spec, JsonWriter* json) {
  json->Field("tensor", spec.name).Field("group", GroupName(spec.role));
  json->Field("dtype", Name(spec.dtype)).Field("elements", spec.elements());
}

void WriteElement(std::string_view key, const TensorSpec& spec, const ElementDiff& element,
                  JsonWriter* json) {
  json->Key(key).BeginObject().Field("index", element.index);
  json->Key("coordinates").BeginObject();
  const std::vector<int64_t> coordinates = Coordinates(spec, element.index);
  for (size_t d = 0; d < spec.dims.size(); ++d) json->Field(spec.dims[d], coordinates[d]);
  json->End();
  json->Bits("expected", spec.dtype, element.expected);
  json->Bits("actual", spec.dtype, element.actual);
  json->Field("change", Name(element.change));
  if (element.ulp) json->Field("ulp", *element.ulp);
  json->End();
}

/// What is zero is left out: "ulp_histogram" by the lower end of the bucket, "flipped_bits" by
/// position, "classes" by the pair.
void WriteStatistics(const TensorDiff& diff, JsonWriter* json) {
  json->Key("ulp_histogram").BeginObject();
  for (size_t b = 0; b < diff.ulps.size(); ++b) {
    if (diff.ulps[b]) {
      json->Field(std::to_string(b == 0 ? 0 : uint64_t{1} << (b - 1)), diff.ulps[b]);
    }
  }
  json->End().Key("flipped_bits").BeginObject();
  for (size_t bit = 0; bit < diff.flips.size(); ++bit) {
    if (diff.flips[bit]) json->Field(std::to_string(bit), diff.flips[bit]);
  }
  json->End().Key("classes").BeginArray();
  for (int e = 0; e < kClasses; ++e) {
    for (int a = 0; a < kClasses; ++a) {
      const int64_t count = diff.classes[static_cast<size_t>(e)][static_cast<size_t>(a)];
      if (count == 0) continue;
      json->BeginObject().Field("expected", arith::Name(static_cast<arith::FloatClass>(e)));
      json->Field("actual", arith::Name(static_cast<arith::FloatClass>(a)));
      json->Field("count", count).End();
    }
  }
  json->End();
}

void WriteDiff(const TensorDiff& diff, JsonWriter* json) {
  json->BeginObject();
  WriteSpec(diff.spec, json);
  json->Field("step", diff.step).Field("differing", diff.differing).Field("max_abs", diff.max_abs);
  WriteElement("first", diff.spec, diff.first, json);
  WriteElement("worst", diff.spec, diff.worst, json);
  json->Key("changes").BeginObject();
  for (int c = 0; c < kChanges; ++c) {
    const int64_t count = diff.changes[static_cast<size_t>(c)];
    if (count) json->Field(Name(static_cast<Change>(c)), count);
  }
  json->End();
  WriteStatistics(diff, json);
  json->End();
}

void WriteVariation(const Variation& variation, JsonWriter* json) {
  json->BeginObject();
  WriteSpec(variation.spec, json);
  json->Field("runs_that_differ", variation.runs).Field("differing", variation.elements);
  WriteElement("first", variation.spec, variation.first, json);
  json->End();
}

}  // namespace

void Write(const CaseReport& report, JsonWriter* json) {
  json->BeginObject().Field("id", report.id).Field("verdict", report.verdict());
  json->Map("config", report.config).Field("inputs_style", report.style);
  json->Field("seed", report.seed).Field("runs", report.runs);
  json->Field("tensors_compared", report.compared);
  if (!report.skipped.empty()) json->Field("skipped", report.skipped);
  json->Strings("notes", report.notes);
  if (!report.diffs.empty()) json->Field("first_tensor", report.diffs.front().spec.name);
  json->Key("differences").BeginArray();
  for (const TensorDiff& diff : report.diffs) WriteDiff(diff, json);
  json->End().Key("hash_differences").BeginArray();
  for (const HashDiff& diff : report.hash_diffs) {
    json->BeginObject();
    WriteSpec(diff.spec, json);
    json->Field("expected", diff.expected).Field("actual", diff.actual).End();
  }
  json->End().Key("illegal_writes").BeginArray();
  for (const golden::Trespass& t : report.trespasses) {
    json->BeginObject().Field("where", t.where).Field("offset", t.offset);
    json->Field("bytes", t.bytes).End();
  }
  json->End().Key("variations").BeginArray();
  for (const Variation& variation : report.variations) WriteVariation(variation, json);
  json->End().End();
}

void Write(const Summary& summary, JsonWriter* json) {
  json->Key("summary").BeginObject();
  json->Field("identical", summary.identical).Field("divergent", summary.divergent);
  json->Field("unstable", summary.unstable).Field("skipped", summary.skipped).End();
}

}  // namespace samebits::harness
