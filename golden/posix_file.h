// Files by descriptor: whole reads and writes, errors that name the file.
#ifndef SAMEBITS_GOLDEN_POSIX_FILE_H_
#define SAMEBITS_GOLDEN_POSIX_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace samebits::golden {

class PosixFile {
 public:
  enum class Mode : uint8_t {
    kRead,
    kReadWrite,
    kCreate
  };  // kCreate: read and write, made if absent
  PosixFile() = default;
  /// Throws StorageError, in mode kRead ConfigError.
  PosixFile(const std::string& path, Mode mode);
  ~PosixFile();
  PosixFile(PosixFile&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  PosixFile& operator=(PosixFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  int64_t size() const;
  /// Bytes read: fewer than asked for only at the end of the file. Throws StorageError.
  size_t ReadAt(int64_t offset, std::span<std::byte> bytes) const;
  void WriteAt(int64_t offset, std::span<const std::byte> bytes);
  void Truncate(int64_t size);
  /// To disk.
  void Sync();
  /// False if another process holds it.
  bool Lock();

 private:
  [[noreturn]] void Fail(const char* what) const;
  std::string path_;
  int descriptor_ = -1;
};

/// Renames and forces the folder to disk. Throws StorageError.
void RenameDurably(const std::string& from, const std::string& to);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_POSIX_FILE_H_
