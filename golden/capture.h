// Observed files that were made by hand (schema.md, "Captures"): tensors of any implementation, or
// parts of them, in any order of dimensions, without seal, hashes and contract.
#ifndef SAMEBITS_GOLDEN_CAPTURE_H_
#define SAMEBITS_GOLDEN_CAPTURE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/hdf5.h"
#include "golden/ranges.h"
#include "model/tensor.h"

namespace samebits::golden {

/// A tensor of a kernel's plan, as far as it was captured.
struct CapturedTensor {
  Tensor values;               // PoisonBits where nothing was captured
  std::vector<Range> covered;  // ascending
};

class Capture {
 public:
  /// An HDF5 file without the user block that bears a seal.
  static bool Is(const std::string& path);

  /// One that says of itself that it was observed (attribute schema).
  static bool Claims(const std::string& path);

  /// All throw IntegrityError that names the file, the tensor and what was expected.
  explicit Capture(const std::string& path);
  const std::string& kernel() const { return kernel_; }
  /// Names of the groups of /cases, alphabetical.
  const std::vector<std::string>& cases() const { return cases_; }
  /// Every tensor of the case in the form that the plan has for it, in order of the plan. Refuses
  /// tensors that are not in the plan.
  std::vector<TensorSpec> Specs(const std::string& name, const std::vector<TensorSpec>& plan) const;
  CapturedTensor Read(const std::string& name, const TensorSpec& spec) const;

  /// A dataset as it is, whatever the kernel has.
  struct Stored {
    std::string name;  // "taps/dot"
    std::string dtype;
    std::vector<int64_t> extents;
    std::string dims;                // the attribute; empty: those of the golden tensor
    std::vector<std::string> parts;  // dimensions of which some indices were captured
  };
  std::vector<Stored> List(const std::string& name) const;

 private:
  H5Node CaseGroup(const std::string& name) const;

  H5File file_;
  std::string kernel_;
  std::vector<std::string> cases_;
};

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_CAPTURE_H_
