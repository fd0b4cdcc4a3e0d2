#include "harness/explain/read_evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/compare/element.h"
#include "harness/status.h"

namespace samebits::harness {

bool SameHashes(const golden::CaseEntry& expected, const golden::CaseEntry& actual) {
  return std::ranges::all_of(actual.tensors, [&](const golden::TensorEntry& tensor) {
    const golden::TensorEntry* golden = expected.Find(tensor.spec.role, tensor.spec.name);
    return golden != nullptr && golden->spec == tensor.spec && golden->xxh3 == tensor.xxh3;
  });
}

Evidence ReadEvidence(const golden::Reader& expected, const golden::CaseEntry& expected_case,
                      const golden::Reader& actual, const golden::CaseEntry& actual_case,
                      const Kernel& kernel, int threads) {
  if (!actual.has_values()) {
    throw UsageError(actual.path() + ": expected values, it holds hashes alone (store=hashes)");
  }
  Evidence evidence = {.kernel = &kernel,
                       .config = expected_case.config,
                       .contract = expected.info().contract,
                       .inputs = expected.Inputs(expected_case, kernel, threads),
                       .observed = {}};
  for (const golden::TensorEntry& entry : actual_case.tensors) {
    if (entry.spec.role != Role::kInput) continue;
    Tensor* input = evidence.inputs.Find(Role::kInput, entry.spec.name);
    const bool whole = actual.Covered(actual_case, entry) == golden::Everything(entry.spec);
    if (input != nullptr && input->spec == entry.spec && whole) {
      *input = actual.Read(actual_case, entry);
    }
  }
  for (const TensorSpec& spec : ResultsOf(kernel, evidence.config)) {
    const golden::TensorEntry* entry = actual_case.Find(spec.role, spec.name);
    if (entry == nullptr) continue;
    if (entry->spec != spec) {
      throw UsageError(
          fmt::format("{}: cases/{}/{}: expected the type, dimensions and shape of the "
                      "kernel",
                      actual.path(), actual_case.id, FullName(spec)));
    }
    evidence.observed.push_back(
        {actual.Read(actual_case, *entry), actual.Covered(actual_case, *entry)});
  }
  if (evidence.observed.empty()) {
    throw UsageError(fmt::format("{}: cases/{}: expected at least one tap or output of kernel {}",
                                 actual.path(), actual_case.id, kernel.name()));
  }
  return evidence;
}

}  // namespace samebits::harness
