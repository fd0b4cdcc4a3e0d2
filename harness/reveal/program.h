// A user's executable as the one who is probed: a folder of plain files in, results out
// (harness/reveal/README.md).
#ifndef SAMEBITS_HARNESS_REVEAL_PROGRAM_H_
#define SAMEBITS_HARNESS_REVEAL_PROGRAM_H_

#include <filesystem>
#include <string>

#include "model/kernel.h"

namespace samebits::harness {

/// A folder of its own, removed at the end.
class ProgramLauncher {
 public:
  /// Throws gpu::EnvironmentError: no such program, no folder can be made.
  ProgramLauncher(const Kernel& kernel, const Settings& config, std::string program);
  ~ProgramLauncher();
  ProgramLauncher(const ProgramLauncher&) = delete;
  ProgramLauncher& operator=(const ProgramLauncher&) = delete;

  /// Writes the request, runs the program, reads the results that it wrote. Throws
  /// gpu::EnvironmentError: the program failed, or wrote nothing; ConfigError: a result of another
  /// size.
  TensorSet Launch(const TensorSet& inputs) const;

 private:
  const Kernel& kernel_;
  Settings config_;
  std::string program_;
  std::filesystem::path folder_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_REVEAL_PROGRAM_H_
