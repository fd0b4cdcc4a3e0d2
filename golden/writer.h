// Writes a dataset so that equal contents give equal bytes, whatever the order of the cases, and so
// that an interrupted run leaves either nothing under the final name or a complete file.
#ifndef SAMEBITS_GOLDEN_WRITER_H_
#define SAMEBITS_GOLDEN_WRITER_H_

#include <memory>
#include <string>
#include <string_view>

#include "golden/dataset.h"

namespace samebits::golden {

struct WriterOptions {
  bool force = false;   // replace an existing file
  bool resume = false;  // take over the cases that an interrupted run of the same command finished
};

/// Finished cases go to the journal PATH.partial; Finish() turns it into PATH. The journal of an
/// interrupted run stays for --resume; without it, it is replaced.
class Writer {
 public:
  /// Throws ConfigError: `path` exists (without force), or the journal belongs to another command.
  /// Throws StorageError: cannot create.
  Writer(const std::string& path, const FileInfo& info, const WriterOptions& options = {});
  /// Without Finish: the journal stays.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Takes the case over from the interrupted run; false if it was not finished there. Cases of
  /// that run that nobody takes over are not written.
  bool Reuse(const CaseSpec& spec, int64_t index);
  /// Adds a case; it survives an interruption from then on. `tensors`: inputs, taps, outputs (an
  /// observed file: any subset). `index` orders the cases of the file; ids and indices are unique.
  /// May be called by several threads. Throws StorageError.
  void Add(const CaseSpec& spec, int64_t index, const TensorSet& tensors);
  /// Writes PATH (temporary name, fsync, rename) and removes the journal. Throws StorageError.
  void Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_WRITER_H_
