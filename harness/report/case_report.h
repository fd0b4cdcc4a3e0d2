// What was found out about one case, and the same facts as text and as JSON.
#ifndef SAMEBITS_HARNESS_REPORT_CASE_REPORT_H_
#define SAMEBITS_HARNESS_REPORT_CASE_REPORT_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "golden/memory_image.h"
#include "harness/compare/compare_tensors.h"
#include "harness/report/json_writer.h"
#include "model/contract.h"

namespace samebits::harness {

/// A tensor known by its hash alone.
struct HashDiff {
  TensorSpec spec;
  std::string expected, actual;  // hex
};

/// A tensor that did not have the same bits in every launch.
struct Variation {
  TensorSpec spec;
  int runs = 0;          // launches that differ from the first
  int64_t elements = 0;  // elements that differ from the first launch in any of them
  ElementDiff first;     // lowest such index; expected: the first launch
};

struct CaseReport {
  std::string id;
  Settings config;  // axes that are not at their default
  std::string style;
  uint64_t seed = 0;
  int runs = 1;
  std::vector<TensorDiff>
      diffs;  // in dataflow order: taps, then outputs; of the first run that differs
  std::vector<HashDiff> hash_diffs;  // where only hashes could be compared
  std::vector<golden::Trespass> trespasses;
  std::vector<Variation> variations;  // between runs
  std::vector<std::string> notes;     // tensors that could not be compared, and why
  std::string skipped;                // why the case was not run; empty: it was
  int compared = 0;                   // tensors

  /// Puts `diffs`, in the order of the plan, into the order of the dataflow: inputs, then taps step
  /// by step (kTimeDim) and in the order of the plan within a step, then outputs.
  void SortByDataflow();
  bool identical() const {
    return diffs.empty() && hash_diffs.empty() && trespasses.empty() && variations.empty();
  }
  /// "identical", "divergent", "unstable" (varies from run to run) or "skipped".
  std::string verdict() const;
};

/// Totals of a command.
struct Summary {
  int identical = 0, divergent = 0, unstable = 0, skipped = 0;
  void Add(const CaseReport& report);
  /// kDivergent if any diverged, kSkipped if nothing was run, else kIdentical.
  int exit_status() const;
};

void Print(std::FILE* file, const CaseReport& report);
void Print(std::FILE* file, const Summary& summary);
/// As one object, at an array position of the writer.
void Write(const CaseReport& report, JsonWriter* json);
/// As the field "summary".
void Write(const Summary& summary, JsonWriter* json);

/// "tokens=4 record=1"
std::string SettingsText(const Settings& settings);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_REPORT_CASE_REPORT_H_
