// One case against one backend: run, compare, run again.
#ifndef SAMEBITS_HARNESS_VERIFY_CASE_H_
#define SAMEBITS_HARNESS_VERIFY_CASE_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/compare/compare_tensors.h"
#include "harness/report/case_report.h"
#include "harness/run_on_backend.h"

namespace samebits::harness {

/// What the dataset says that a case computes. A tensor is looked up in `tensors`, then in
/// `hashes`; one that is in neither, or whose hash differs, is recomputed.
struct Expectation {
  TensorSet tensors;
  std::map<std::pair<Role, std::string>, std::string> hashes;
  std::function<TensorSet()> recompute;  // every tap and output, with the dataset's contract
};

struct VerifyRequest {
  gpu::LaunchOptions launch;
  int repeat = 1;  // launch i has the schedule launch.schedule + i
  NanPolicy nan = NanPolicy::kBits;
};

struct VerifiedCase {
  CaseReport report;               // what comparing can know: no id, configuration or style
  RunResult observed;              // of the first launch
  std::optional<TensorSet> later;  // taps and outputs of the last launch, if it is not the first

  const TensorSet& last() const { return later ? *later : observed.tensors; }
};

/// Every tap (with request.launch.taps) and output, in dataflow order. ConfigError of the launch
/// becomes CaseReport::skipped; gpu::EnvironmentError passes.
VerifiedCase VerifyCase(const Kernel& kernel, const Target& target, const Settings& config,
                        const TensorSet& inputs, const Expectation& expected,
                        const VerifyRequest& request);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_VERIFY_CASE_H_
