// Runs the program under test as a user would.
#ifndef SAMEBITS_TESTS_HARNESS_COMMAND_H_
#define SAMEBITS_TESTS_HARNESS_COMMAND_H_

#include <filesystem>
#include <string>

namespace samebits::testing {

struct CommandResult {
  int status = -1;  // exit status; 128 + signal if killed
  std::string out, err;
};

/// `samebits ARGUMENTS` through the shell, in `directory`.
CommandResult RunSamebits(const std::string& arguments, const std::filesystem::path& directory);

/// A folder that is removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string ReadFile(const std::filesystem::path& file);
void WriteFile(const std::filesystem::path& file, const std::string& content);

}  // namespace samebits::testing

#endif  // SAMEBITS_TESTS_HARNESS_COMMAND_H_
