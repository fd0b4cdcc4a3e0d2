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

void RefuseExisting(const std::string& path) {
  if (std::filesystem::exists(path)) {
    throw ConfigError(path + ": exists already (--force replaces it)");
  }
}

}  // namespace samebits::golden
