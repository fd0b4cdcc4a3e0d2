// A text file that appears whole or not at all.
#ifndef SAMEBITS_HARNESS_TEXT_FILE_H_
#define SAMEBITS_HARNESS_TEXT_FILE_H_

#include <string>

namespace samebits::harness {

/// Writes PATH.writing and renames it. Throws UsageError (the file exists and `force` is false) or
/// gpu::EnvironmentError (cannot be written).
void WriteTextFile(const std::string& path, const std::string& text, bool force);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_TEXT_FILE_H_
