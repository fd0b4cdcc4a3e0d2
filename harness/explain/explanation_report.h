// An explanation as text and as JSON.
#ifndef SAMEBITS_HARNESS_EXPLAIN_EXPLANATION_REPORT_H_
#define SAMEBITS_HARNESS_EXPLAIN_EXPLANATION_REPORT_H_

#include <cstdio>

#include "harness/explain/explain.h"
#include "harness/report/case_report.h"
#include "harness/report/json_writer.h"

namespace samebits::harness {

/// `report`: what identifies the case.
void Print(std::FILE* file, const CaseReport& report, const Explanation& explanation);
/// As one object, at an array position of the writer.
void Write(const CaseReport& report, const Explanation& explanation, JsonWriter* json);
/// "key_dot_tree=triton_1warp", "inputs/state transposed (value, key)", joined by " and ".
std::string ChangesText(const Hypothesis& changes);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_EXPLANATION_REPORT_H_
