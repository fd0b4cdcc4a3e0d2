// The files of data/profiles, as they were when the program was built.
#ifndef SAMEBITS_HARNESS_PROFILE_EMBEDDED_H_
#define SAMEBITS_HARNESS_PROFILE_EMBEDDED_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace samebits::harness::profile {

struct EmbeddedFile {
  std::string_view name;  // "sm_90.toml"
  const unsigned char* data;
  size_t size;
};

std::span<const EmbeddedFile> EmbeddedFiles();

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_EMBEDDED_H_
