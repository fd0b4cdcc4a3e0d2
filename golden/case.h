// One case: which kernel, in which configuration, on which inputs.
#ifndef SAMEBITS_GOLDEN_CASE_H_
#define SAMEBITS_GOLDEN_CASE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "model/contract.h"
#include "model/kernel.h"

namespace samebits::golden {

struct CaseSpec {
  const Kernel* kernel = nullptr;
  Settings config;  // complete (Kernel::Complete)
  std::string style = "realistic";
  uint64_t seed = 0;
};

/// 32 hex digits: XXH3-128 of the lines "kernel=NAME", "contract=HASH", "style=STYLE", "seed=N" and
/// "config.AXIS=VALUE" in order of the axis names, each ended by a newline.
std::string CaseId(std::string_view kernel, const Settings& config, std::string_view contract_hash,
                   std::string_view style, uint64_t seed);
std::string CaseId(const CaseSpec& spec, std::string_view contract_hash);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_CASE_H_
