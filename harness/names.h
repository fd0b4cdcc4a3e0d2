// Names that the user typed, turned into what they stand for; an unknown one suggests the nearest.
#ifndef SAMEBITS_HARNESS_NAMES_H_
#define SAMEBITS_HARNESS_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "model/kernel.h"

namespace samebits::harness {

/// Throws UsageError.
const Kernel& KernelNamed(std::string_view name);

/// The words of an option ("--config"), each axis=value, not yet completed; 0 and 1 stand for false
/// and true. Throws UsageError: no '=', an axis twice, an unknown axis, or a value that is no word
/// of its axis.
Settings ParseAxes(const Kernel& kernel, std::string_view option,
                   const std::vector<std::string>& words);

/// The contract of that name ("" is the default) or in that TOML file, with "choice=value" words
/// applied; each that changes something is appended to the name. Throws UsageError or ConfigError.
Contract ParseContract(const Kernel& kernel, const std::string& name_or_file,
                       const std::vector<std::string>& changes);

/// Applies "choice=value" words to a contract of `kernel`.
void ChangeContract(const Kernel& kernel, const std::vector<std::string>& changes,
                    Contract* contract);

/// The settings that differ from the kernel's defaults: what a report shows of a configuration.
Settings NonDefault(const Kernel& kernel, const Settings& config);

std::vector<std::string> InputStyles();
/// Throws UsageError.
void CheckStyle(const std::string& style);

/// `threads`, or the number of processors for 0.
int ThreadCount(int threads);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_NAMES_H_
