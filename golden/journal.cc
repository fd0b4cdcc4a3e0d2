#include "golden/journal.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "golden/case_text.h"
#include "golden/integrity_error.h"
#include "golden/xxh3.h"
#include "model/contract.h"

namespace samebits::golden {
namespace {

/// In front of a record's text and data.
struct RecordHead {
  uint64_t text_bytes = 0;
  uint64_t data_bytes = 0;
  char hash[32] = {};  // of text and data
};

std::span<const std::byte> Bytes(const RecordHead& head) {
  return std::as_bytes(std::span(&head, 1));
}

}  // namespace

Journal::Journal(const std::string& path, const std::string& command, bool resume)
    : path_(path), file_(path, PosixFile::Mode::kCreate) {
  if (!file_.Lock()) throw ConfigError(path + ": in use by another process");
  const std::string header = "samebits-journal 1 " + command + "\n";
  if (resume && file_.size() > 0) {
    Recover(header);
    return;
  }
  file_.Truncate(0);
  file_.WriteAt(0, std::as_bytes(std::span(header)));
  end_ = static_cast<int64_t>(header.size());
}

void Journal::Recover(const std::string& header) {
  std::string found(header.size(), '\0');
  found.resize(file_.ReadAt(0, std::as_writable_bytes(std::span(found))));
  if (found != header) {
    throw ConfigError(path_ +
                      ": expected the journal of the same command (kernel, contract, store, "
                      "taps, version); run without --resume to start anew");
  }
  end_ = static_cast<int64_t>(header.size());
  for (int64_t next = end_; (next = ReadRecord(next)) >= 0;) end_ = next;
  file_.Truncate(end_);
}

int64_t Journal::ReadRecord(int64_t offset) {
  RecordHead head;
  const int64_t left = file_.size() - offset - static_cast<int64_t>(sizeof(head));
  if (left < 0) return -1;
  file_.ReadAt(offset, std::as_writable_bytes(std::span(&head, 1)));
  const uint64_t limit = static_cast<uint64_t>(left);
  if (head.text_bytes > limit || head.data_bytes > limit - head.text_bytes) return -1;

  const int64_t at = offset + static_cast<int64_t>(sizeof(head));
  std::string text(head.text_bytes, '\0');
  file_.ReadAt(at, std::as_writable_bytes(std::span(text)));
  Hasher hasher;
  hasher.Update(text);
  const int64_t data = at + static_cast<int64_t>(head.text_bytes);
  std::vector<std::byte> piece(size_t{1} << 20);
  for (uint64_t done = 0; done < head.data_bytes;) {
    const std::span part = std::span(piece).first(std::min(piece.size(), head.data_bytes - done));
    file_.ReadAt(data + static_cast<int64_t>(done), part);
    hasher.Update(part);
    done += part.size();
  }
  if (hasher.Hex() != std::string_view(head.hash, sizeof(head.hash))) return -1;
  entries_.push_back({ParseCaseText(text), data});
  return data + static_cast<int64_t>(head.data_bytes);
}

void Journal::Append(const CaseEntry& entry, const TensorSet* set) {
  const std::string text = CaseText(entry);
  RecordHead head;
  head.text_bytes = text.size();
  Hasher hasher;
  hasher.Update(text);
  if (set != nullptr) {
    for (const Tensor& tensor : set->tensors) {
      hasher.Update(tensor.data);
      head.data_bytes += tensor.data.size();
    }
  }
  std::memcpy(head.hash, hasher.Hex().data(), sizeof(head.hash));
  file_.WriteAt(end_, Bytes(head));
  int64_t at = end_ + static_cast<int64_t>(sizeof(head));
  file_.WriteAt(at, std::as_bytes(std::span(text)));
  const int64_t data = at += static_cast<int64_t>(text.size());
  if (set != nullptr) {
    for (const Tensor& tensor : set->tensors) {
      file_.WriteAt(at, tensor.data);
      at += static_cast<int64_t>(tensor.data.size());
    }
  }
  end_ = at;
  entries_.push_back({entry, data});
}

Tensor Journal::Read(const JournalEntry& entry, size_t t) const {
  int64_t at = entry.data;
  for (size_t i = 0; i < t; ++i) {
    at += static_cast<int64_t>(entry.entry.tensors[i].spec.bytes());
  }
  Tensor tensor(entry.entry.tensors[t].spec);
  if (file_.ReadAt(at, tensor.data) != tensor.data.size() ||
      HashHex(tensor) != entry.entry.tensors[t].xxh3) {
    throw StorageError(path_ + ": " + tensor.spec.name + ": changed since it was written");
  }
  return tensor;
}

}  // namespace samebits::golden
