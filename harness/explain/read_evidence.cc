#include "harness/explain/read_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/compare/element.h"
#include "harness/status.h"

namespace samebits::harness {

bool SameHashes(const golden::CaseEntry& expected, const golden::CaseEntry& actual) {
  return std::ranges::all_of(actual.tensors, [&](const golden::TensorEntry& tensor) {
    const golden::TensorEntry* golden = expected.Find(tensor.spec.role, tensor.spec.name);
    return golden != nullptr && golden->spec == tensor.spec && golden->xxh3 == tensor.xxh3;
  });
}

namespace {

std::string Place(const golden::Reader& file, const golden::CaseEntry& entry,
                  const TensorSpec& spec) {
  return fmt::format("{}: cases/{}/{}", file.path(), entry.id, FullName(spec));
}

/// Captured inputs, or parts of them, take the place of the golden file's.
void TakeInputs(const golden::Reader& actual, const golden::CaseEntry& actual_case,
                Evidence* evidence) {
  for (const golden::TensorEntry& entry : actual_case.tensors) {
    if (entry.spec.role != Role::kInput) continue;
    Tensor* input = evidence->inputs.Find(Role::kInput, entry.spec.name);
    if (input == nullptr || input->spec != entry.spec) {
      throw UsageError(Place(actual, actual_case, entry.spec) +
                       ": expected the type, dimensions and shape of the kernel");
    }
    Tensor golden = *input;
    const Tensor captured = actual.Read(actual_case, entry);
    const size_t size = SizeOf(entry.spec.dtype);
    for (const Range& range : actual.Covered(actual_case, entry)) {
      std::memcpy(input->data.data() + range.begin * size,
                  captured.data.data() + range.begin * size, (range.end - range.begin) * size);
    }
    if (golden.data != input->data) evidence->golden_inputs.tensors.push_back(std::move(golden));
  }
  try {
    evidence->kernel->CheckInputs(evidence->config, evidence->inputs);
  } catch (const ConfigError& error) {
    throw UsageError(fmt::format("{}: cases/{}: {}", actual.path(), actual_case.id, error.what()));
  }
}

}  // namespace

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
                       .golden_inputs = {},
                       .observed = {}};
  TakeInputs(actual, actual_case, &evidence);
  for (const TensorSpec& spec : ResultsOf(kernel, evidence.config)) {
    const golden::TensorEntry* entry = actual_case.Find(spec.role, spec.name);
    if (entry == nullptr) continue;
    if (entry->spec != spec) {
      throw UsageError(Place(actual, actual_case, spec) +
                       ": expected the type, dimensions and shape of the kernel");
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
