#include "harness/output_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "harness/status.h"

namespace samebits::harness {
namespace {

bool SameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

}  // namespace

void CheckOutput(const std::string& output, const std::vector<std::string>& read) {
  if (output.empty()) return;
  for (const std::string& file : read) {
    if (!file.empty() && SameFile(output, file)) {
      throw UsageError(
          fmt::format("{}: expected another file to write than those that are read", output));
    }
  }
}

}  // namespace samebits::harness
