// The verbs. Each prints its result, human or JSON, on standard output and returns the exit status;
// errors are thrown (status.h, model/contract.h, gpu/device_kernel.h, golden/).
#ifndef SAMEBITS_HARNESS_VERBS_VERBS_H_
#define SAMEBITS_HARNESS_VERBS_VERBS_H_

#include <cstdio>

#include "harness/options.h"

namespace samebits::harness {

int Generate(const GenerateOptions& options);
int Inspect(const InspectOptions& options);
/// Inspect, for a file of evidence.
int InspectEvidence(const InspectOptions& options);
/// Inspect, for a capture that was made by hand.
int InspectCapture(const InspectOptions& options);
int Check(const CheckOptions& options);
int Verify(const VerifyOptions& options);
int Compare(const CompareOptions& options);
/// The same, printed to `out`.
int Compare(const CompareOptions& options, std::FILE* out);
int ExplainVerb(const ExplainOptions& options);
/// The same, printed to `out`.
int ExplainVerb(const ExplainOptions& options, std::FILE* out);
int List(const ListOptions& options);
int Doctor(const DoctorOptions& options);
int Bench(const BenchOptions& options);
int ProfileVerb(const ProfileOptions& options);
int Reveal(const RevealOptions& options);
int Report(const ReportOptions& options);
int SliceVerb(const SliceOptions& options);
int MinimizeVerb(const MinimizeOptions& options);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_VERBS_VERBS_H_
