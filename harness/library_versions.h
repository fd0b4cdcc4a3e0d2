// The libraries that this program runs with, and what of the processor they use.
#ifndef SAMEBITS_HARNESS_LIBRARY_VERSIONS_H_
#define SAMEBITS_HARNESS_LIBRARY_VERSIONS_H_

#include <string>
#include <vector>

#include "model/contract.h"

namespace samebits::harness {

/// Library -> version.
Settings LibraryVersions();

/// Highway's targets that this build contains and this processor has, best first: "AVX3", "AVX2".
/// Empty: the SIMD code cannot run here.
std::vector<std::string> SimdTargets();

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_LIBRARY_VERSIONS_H_
