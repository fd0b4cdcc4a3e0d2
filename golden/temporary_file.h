// A file under a temporary name that is put in place when it is whole.
#ifndef SAMEBITS_GOLDEN_TEMPORARY_FILE_H_
#define SAMEBITS_GOLDEN_TEMPORARY_FILE_H_

#include <string>
#include <utility>

namespace samebits::golden {

/// Removes the file unless it was put in place. Whoever owns it creates the file.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  /// RenameDurably. Throws StorageError.
  void PutInPlace(const std::string& path);

 private:
  std::string path_;
};

/// Throws ConfigError if there is such a file and not `force`, or if it is no regular file (a
/// device, a folder, a link), which nothing may replace.
void RefuseExisting(const std::string& path, bool force);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_TEMPORARY_FILE_H_
