// The evidence of a case from a golden and an observed file.
#ifndef SAMEBITS_HARNESS_EXPLAIN_READ_EVIDENCE_H_
#define SAMEBITS_HARNESS_EXPLAIN_READ_EVIDENCE_H_

#include "golden/reader.h"
#include "harness/explain/evidence.h"

namespace samebits::harness {

/// Every tensor that was observed has the hash of the golden one.
bool SameHashes(const golden::CaseEntry& expected, const golden::CaseEntry& actual);

/// Inputs that `actual` holds take the place of the golden ones. Throws golden::IntegrityError, and
/// UsageError where the observed file has no values or no tensor.
Evidence ReadEvidence(const golden::Reader& expected, const golden::CaseEntry& expected_case,
                      const golden::Reader& actual, const golden::CaseEntry& actual_case,
                      const Kernel& kernel, int threads);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_READ_EVIDENCE_H_
