#include "golden/posix_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "golden/integrity_error.h"
#include "model/contract.h"

namespace samebits::golden {
namespace {

int Flags(PosixFile::Mode mode) {
  switch (mode) {
    case PosixFile::Mode::kRead:
      return O_RDONLY;
    case PosixFile::Mode::kReadWrite:
      return O_RDWR;
    case PosixFile::Mode::kCreate:
      return O_RDWR | O_CREAT;
  }
  return O_RDONLY;
}

}  // namespace

PosixFile::PosixFile(const std::string& path, Mode mode) : path_(path) {
  descriptor_ = open(path.c_str(), Flags(mode) | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) return;
  const std::string message = path + ": " + std::strerror(errno);
  if (mode == Mode::kRead) throw ConfigError(message);
  throw StorageError(message);
}

PosixFile::~PosixFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void PosixFile::Fail(const char* what) const {
  throw StorageError(path_ + ": " + what + ": " + std::strerror(errno));
}

int64_t PosixFile::size() const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) Fail("cannot be examined");
  return status.st_size;
}

size_t PosixFile::ReadAt(int64_t offset, std::span<std::byte> bytes) const {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = pread(descriptor_, bytes.data() + done, bytes.size() - done,
                            offset + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail("cannot be read");
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

void PosixFile::WriteAt(int64_t offset, std::span<const std::byte> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
                             offset + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail("cannot be written");
    done += static_cast<size_t>(n);
  }
}

void PosixFile::Truncate(int64_t size) {
  if (ftruncate(descriptor_, size) != 0) Fail("cannot be truncated");
}

void PosixFile::Sync() {
  if (fsync(descriptor_) != 0) Fail("cannot be written to disk");
}

bool PosixFile::Lock() {
  return flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void RenameDurably(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw StorageError(to + ": cannot be put in place: " + std::strerror(errno));
  }
  const std::filesystem::path folder = std::filesystem::path(to).parent_path();
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that may be entered but not listed
  fsync(descriptor);
  close(descriptor);
}

}  // namespace samebits::golden
