// What the verbs ask of a golden or observed file.
#ifndef SAMEBITS_HARNESS_DATASET_H_
#define SAMEBITS_HARNESS_DATASET_H_

#include <string>
#include <vector>

#include "golden/reader.h"
#include "harness/compare/element.h"
#include "harness/report/case_report.h"
#include "model/kernel.h"

namespace samebits::harness {

/// Where results come from: "NVIDIA H200", "2 x NVIDIA H200".
std::string DevicesText(int64_t count, const std::string& name);

/// The kernel of the file. Throws golden::IntegrityError if this build has none of that name.
const Kernel& KernelOf(const golden::Reader& reader);

/// By id or the start of one. Throws UsageError (none) or ConfigError (several).
const golden::CaseEntry& CaseNamed(const golden::Reader& reader, const std::string& id);

/// The case of the same configuration and inputs; the contract, and so the id, may differ. nullptr
/// if there is none.
const golden::CaseEntry* Counterpart(const golden::Reader& reader, const golden::CaseEntry& wanted);

/// Tensors that a user named, "[GROUP/]NAME" each.
class TensorSelection {
 public:
  /// Empty: all. Throws UsageError for a name that no case of the file has; suggests the nearest.
  TensorSelection(const golden::Reader& reader, std::vector<std::string> names);
  bool Has(const TensorSpec& spec) const;

 private:
  std::vector<std::string> names_;
};

/// A tensor of an observed case; what was not captured is as in `truth`.
Tensor ReadCaptured(const golden::Reader& reader, const golden::CaseEntry& entry,
                    const golden::TensorEntry& tensor, const Tensor& truth);

/// Id, configuration, style and seed of the entry.
CaseReport ReportOf(const golden::CaseEntry& entry, const Kernel& kernel);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_DATASET_H_
