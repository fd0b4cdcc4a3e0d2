// Which build this is.
#ifndef SAMEBITS_HARNESS_VERSION_H_
#define SAMEBITS_HARNESS_VERSION_H_

#include <string>

namespace samebits::harness {

std::string ToolVersion();  // "0.1.0"
std::string Commit();       // of the source at build time, "unknown" without git
std::string NvccVersion();  // at build time, "" without CUDA
/// "samebits 0.1.0 (8d4bbe8)"
std::string VersionText();

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_VERSION_H_
