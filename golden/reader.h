// Reads golden and observed files.
#ifndef SAMEBITS_GOLDEN_READER_H_
#define SAMEBITS_GOLDEN_READER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "golden/dataset.h"
#include "golden/ranges.h"
#include "model/tensor.h"

namespace samebits::golden {

/// An open file whose every byte has been compared with its seal (seal.h) and whose structure has
/// been checked. Not for several threads at once.
class Reader {
 public:
  /// Throws IntegrityError: not a file of ours, a future schema version, damaged, truncated.
  /// Throws ConfigError if there is no such file, or if it is a capture (OpenObserved).
  explicit Reader(const std::string& path);
  /// An observed file that goes with `golden`: as above, or a capture that was made by hand
  /// (capture.h), which has the cases of the golden file by their ids. A capture of one case for a
  /// file of one case may call it anything.
  static Reader OpenObserved(const std::string& path, const Reader& golden, const Kernel& kernel);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  const std::string& path() const;
  const FileInfo& info() const;
  /// In order of their index.
  std::span<const CaseEntry> cases() const;
  /// By id, or by the start of one if that is unique; nullptr if there is none. Throws ConfigError
  /// if several cases start so.
  const CaseEntry* FindCase(std::string_view id) const;

  /// Are the values in the file?
  bool has_values() const { return info().store == Store::kFull; }
  /// One tensor of a file with values, compared with its stored hash. Throws IntegrityError.
  Tensor Read(const CaseEntry& entry, const TensorEntry& tensor) const;
  /// The elements of the tensor that the file has: all of them, but for a part that was captured.
  std::vector<Range> Covered(const CaseEntry& entry, const TensorEntry& tensor) const;
  /// All tensors of one role; those of a file without values are absent.
  TensorSet Read(const CaseEntry& entry, Role role) const;
  /// Throws IntegrityError if a golden case lacks a tensor of the kernel's plan, or has another
  /// one. Observed cases may have any subset.
  void RequirePlan(const CaseEntry& entry, const Kernel& kernel) const;
  /// Every input, read or (file without values, or inputs not stored) regenerated, and compared
  /// with the stored hashes. `kernel` is info().kernel. Throws IntegrityError if a hash differs.
  TensorSet Inputs(const CaseEntry& entry, const Kernel& kernel, int threads = 1) const;

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_READER_H_
