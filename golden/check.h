// Is a file whole, and does the model still say the same?
#ifndef SAMEBITS_GOLDEN_CHECK_H_
#define SAMEBITS_GOLDEN_CHECK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kernel.h"

namespace samebits::golden {

struct Finding {
  enum class Kind : uint8_t {
    kIntegrity,  // damaged or foreign: status 4
    kResult,     // --recompute: the model computes other bits: status 1
  };
  Kind kind = Kind::kIntegrity;
  std::string place;     // "seal", "cases/ID/outputs/y", "attribute contract"
  std::string expected;  // what was expected, and what was found
  bool operator==(const Finding&) const = default;
};

struct CheckOptions {
  bool recompute = false;
  int threads = 1;
  std::function<void(size_t done, size_t total)> progress;  // cases
};

struct CheckReport {
  std::vector<Finding> findings;  // empty: whole
  size_t cases = 0;
  size_t tensors = 0;
};

/// Checks the seal, the schema, every attribute, every checksum, and that each case has exactly the
/// tensors of the kernel's plan. Evidence: see CheckEvidence. A damaged file gives findings, never an exception; ConfigError if
/// there is no such file. `find` is FindKernel, or a test's.
CheckReport Check(const std::string& path,
                  const std::function<const Kernel*(std::string_view)>& find,
                  const CheckOptions& options = {});

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_CHECK_H_
