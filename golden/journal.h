// The finished cases of a run that may be interrupted: an append-only file beside the dataset. A
// record is whole or, if the run died in it, recognised as torn and dropped.
#ifndef SAMEBITS_GOLDEN_JOURNAL_H_
#define SAMEBITS_GOLDEN_JOURNAL_H_

#include <cstdint>
#include <deque>
#include <string>

#include "golden/dataset.h"
#include "golden/posix_file.h"

namespace samebits::golden {

struct JournalEntry {
  CaseEntry entry;
  int64_t data = 0;  // offset of the first tensor's bytes; the others follow in order
};

class Journal {
 public:
  /// `command` identifies the run (a hash). With `resume`, the whole records of an earlier run are
  /// kept; else the journal starts empty. Throws ConfigError if the journal is in use, or is that
  /// of another command; StorageError.
  Journal(const std::string& path, const std::string& command, bool resume);

  const std::deque<JournalEntry>& entries() const { return entries_; }
  /// `set`: the values of entry.tensors in order, or nullptr where only hashes are kept.
  void Append(const CaseEntry& entry, const TensorSet* set);
  /// The values of tensor `t`.
  Tensor Read(const JournalEntry& entry, size_t t) const;

 private:
  void Recover(const std::string& header);
  /// Appends the record at `offset` to entries_; returns where the next one starts, -1 if torn.
  int64_t ReadRecord(int64_t offset);

  std::string path_;
  PosixFile file_;
  int64_t end_ = 0;
  std::deque<JournalEntry> entries_;
};

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_JOURNAL_H_
