#include "harness/text_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "gpu/device_kernel.h"
#include "harness/status.h"

namespace samebits::harness {

void WriteTextFile(const std::string& path, const std::string& text, bool force) {
  if (!force && std::filesystem::exists(path)) {
    throw UsageError(fmt::format("{}: exists (--force replaces it)", path));
  }
  const std::string temporary = path + ".writing";
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw gpu::EnvironmentError(fmt::format("{}: cannot be written", path));
  }
}

}  // namespace samebits::harness
