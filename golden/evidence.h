// What a backend computed for the cases of a matrix, as hashes alone: small enough to live beside
// the source, so that the model can be held against a device that is not there. schema.md documents
// the file.
#ifndef SAMEBITS_GOLDEN_EVIDENCE_H_
#define SAMEBITS_GOLDEN_EVIDENCE_H_

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/case.h"
#include "model/contract.h"
#include "model/kernel.h"
#include "model/tensor.h"

namespace samebits::golden {

/// What the run said of a case.
enum class Verdict : uint8_t {
  kIdentical = 0,
  kDivergent = 1,  // other bits than the dataset, or bytes changed that are not the kernel's
  kVaries = 2,     // from launch to launch
};
/// "identical", "divergent", "varies".
std::string_view Name(Verdict verdict);

/// What was launched.
struct KernelBinary {
  std::string symbol;
  std::string hash;  // of its machine code
  auto operator<=>(const KernelBinary&) const = default;
};

/// The attributes of the root.
struct EvidenceInfo {
  std::string tool_version, commit;
  std::string kernel;
  Contract contract;  // that the run was compared with
  std::string device, architecture, driver, runtime;
  int64_t devices = 1;  // that shared the ranks of each case
  bool taps = false;
  int64_t repeat = 1;  // launches per case
  int64_t ctas = 0;    // thread blocks asked for; 0: the kernel's choice
  std::string matrix;  // TOML
  bool operator==(const EvidenceInfo&) const = default;
};

struct EvidenceCase {
  std::string id;     // CaseId
  size_t binary = 0;  // of Evidence::binaries
  Verdict verdict = Verdict::kIdentical;
  /// HashHex per Evidence::tensors; empty: the case has no such tensor.
  std::vector<std::string> hashes;
  bool operator==(const EvidenceCase&) const = default;
};

struct Evidence {
  EvidenceInfo info;
  std::vector<std::string> tensors;  // "taps/u", "outputs/y"; in order of their first case
  std::vector<KernelBinary> binaries;
  std::vector<EvidenceCase> cases;  // some or all of the matrix, in its order
  bool operator==(const Evidence&) const = default;
};

/// "outputs/y"
std::string TensorPath(const TensorSpec& spec);

/// Collects a run; the evidence does not depend on the order of Add.
class EvidenceBuilder {
 public:
  /// `kernel` is info.kernel. Throws ConfigError for the matrix.
  EvidenceBuilder(EvidenceInfo info, const Kernel& kernel);
  /// `results`: taps and outputs that the backend computed. Throws ConfigError for a case that the
  /// matrix does not have, std::invalid_argument for one that was added before.
  void Add(const std::string& id, const KernelBinary& binary, Verdict verdict,
           const TensorSet& results);
  bool empty() const { return cases_.empty(); }
  Evidence Finish() const;

 private:
  struct Observed {
    std::string id;
    KernelBinary binary;
    Verdict verdict;
    std::vector<std::pair<std::string, std::string>> hashes;  // by tensor
  };
  EvidenceInfo info_;
  std::map<std::string, size_t> indices_;  // of the matrix, by id
  std::map<size_t, Observed> cases_;
};

/// The configuration and inputs of every case, found in the matrix by its id. Throws ConfigError:
/// the matrix is not one of `kernel`, lacks a case, or has it earlier than the case before.
std::vector<CaseSpec> SpecsOf(const Evidence& evidence, const Kernel& kernel);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_EVIDENCE_H_
