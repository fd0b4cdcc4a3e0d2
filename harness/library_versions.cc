#include "harness/library_versions.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <hwy/targets.h>

namespace samebits::harness {

Settings LibraryVersions() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return {{"compiler", __VERSION__},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                              FMT_VERSION % 100)},
          {"hdf5", fmt::format("{}.{}.{}", major, minor, release)},
          {"highway", SAMEBITS_HIGHWAY_VERSION}};
}

std::vector<std::string> SimdTargets() {
  std::vector<std::string> names;
  for (int64_t target : {int64_t{HWY_AVX3}, int64_t{HWY_AVX2}}) {
    if (hwy::SupportedTargets() & target) names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

}  // namespace samebits::harness
