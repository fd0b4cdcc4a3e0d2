#include "golden/temporary_file.h"

#include <unistd.h>

#include <filesystem>

#include "golden/posix_file.h"
#include "model/contract.h"

namespace samebits::golden {

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

void TemporaryFile::PutInPlace(const std::string& path) {
  RenameDurably(path_, path);
  path_.clear();
}

void RefuseExisting(const std::string& path, bool force) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, none);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_regular_file(status)) {
    throw ConfigError(path + ": expected a new name or a regular file");
  }
  if (!force) throw ConfigError(path + ": exists already (--force replaces it)");
}

}  // namespace samebits::golden
