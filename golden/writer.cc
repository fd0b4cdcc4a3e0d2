#include "golden/writer.h"

#include <unistd.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "golden/contract_text.h"
#include "golden/integrity_error.h"
#include "golden/journal.h"
#include "golden/layout.h"
#include "golden/seal.h"
#include "golden/temporary_file.h"
#include "golden/xxh3.h"

namespace samebits::golden {
struct Writer::Impl {
  Impl(const std::string& file_path, const FileInfo& file_info, const WriterOptions& options)
      : path(file_path),
        info(file_info),
        contract_hash(file_info.contract_hash()),
        journal(file_path + ".partial", HashHex(InfoText(file_info)), options.resume) {
    for (const JournalEntry& entry : journal.entries()) known[entry.entry.id] = &entry;
  }

  std::string path;
  FileInfo info;
  std::string contract_hash;
  Journal journal;
  std::map<std::string, const JournalEntry*, std::less<>> known;  // of an earlier run, by id
  std::map<int64_t, const JournalEntry*> chosen;                  // of the file, by index
  std::map<std::string, int64_t, std::less<>> indices;            // of chosen, by id
  std::mutex mutex;

  /// Under the mutex.
  void Choose(const JournalEntry* entry, int64_t index) {
    if (!indices.emplace(entry->entry.id, index).second || !chosen.emplace(index, entry).second) {
      throw std::invalid_argument("case " + entry->entry.id +
                                  ": expected a new id and a new index");
    }
  }
};

Writer::Writer(const std::string& path, const FileInfo& info, const WriterOptions& options) {
  RefuseExisting(path, options.force);
  if (info.matrix.size() > kMaxMatrixBytes) {
    throw ConfigError("matrix: expected at most " + std::to_string(kMaxMatrixBytes) +
                      " bytes, which are stored in " + path);
  }
  if ((info.schema == Schema::kObserved) != info.device.has_value()) {
    throw std::invalid_argument("expected a device for observed results, and none for golden ones");
  }
  impl_ = std::make_unique<Impl>(path, info, options);
}

Writer::~Writer() = default;

bool Writer::Reuse(const CaseSpec& spec, int64_t index) {
  const std::lock_guard lock(impl_->mutex);
  const auto found = impl_->known.find(CaseId(spec, impl_->contract_hash));
  if (found == impl_->known.end()) return false;
  impl_->Choose(found->second, index);
  return true;
}

void Writer::Add(const CaseSpec& spec, int64_t index, const TensorSet& tensors) {
  CaseEntry entry;
  entry.id = CaseId(spec, impl_->contract_hash);
  entry.index = index;
  entry.config = spec.config;
  entry.style = spec.style;
  entry.seed = spec.seed;
  for (const Tensor& tensor : tensors.tensors) {
    entry.tensors.push_back({tensor.spec, HashHex(tensor)});
  }
  const std::lock_guard lock(impl_->mutex);
  impl_->journal.Append(entry, impl_->info.store == Store::kFull ? &tensors : nullptr);
  impl_->Choose(&impl_->journal.entries().back(), index);
}

void Writer::Finish() {
  const std::lock_guard lock(impl_->mutex);
  std::vector<CaseEntry> cases;
  for (const auto& [index, journal_entry] : impl_->chosen) {
    cases.push_back(journal_entry->entry);
    cases.back().index = index;
  }
  TemporaryFile temporary(impl_->path + ".writing");
  H5File file = H5File::Create(temporary.path());
  {
    H5Node root = file.Root();
    WriteInfo(impl_->info, FileDigest(impl_->info, cases), &root);
    H5Node group = root.CreateGroup(kCasesGroup);
    for (const CaseEntry& entry : cases) {
      const JournalEntry& source = *impl_->chosen.at(entry.index);
      WriteCase(
          entry, impl_->info.store, [&](size_t t) { return impl_->journal.Read(source, t); },
          &group);
    }
  }
  file.Close();
  WriteSeal(temporary.path());
  temporary.PutInPlace(impl_->path);
  unlink((impl_->path + ".partial").c_str());
}

}  // namespace samebits::golden
