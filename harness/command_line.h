// argv to options: the one place that knows CLI11.
#ifndef SAMEBITS_HARNESS_COMMAND_LINE_H_
#define SAMEBITS_HARNESS_COMMAND_LINE_H_

#include <optional>
#include <string>
#include <vector>

#include "harness/options.h"

namespace samebits::harness {

/// The verbs in the order of --help.
std::vector<std::string> Verbs();

/// nullopt: help or the version was asked for and is printed. Throws UsageError.
std::optional<Options> ParseCommandLine(int argc, const char* const* argv);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_COMMAND_LINE_H_
