// Files that a verb writes are never files that it reads.
#ifndef SAMEBITS_HARNESS_OUTPUT_FILE_H_
#define SAMEBITS_HARNESS_OUTPUT_FILE_H_

#include <string>
#include <vector>

namespace samebits::harness {

/// Throws UsageError if `output` is one of the files, under whatever name: --force replaces
/// results, not what they were made from. Empty names are no files.
void CheckOutput(const std::string& output, const std::vector<std::string>& read);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_OUTPUT_FILE_H_
