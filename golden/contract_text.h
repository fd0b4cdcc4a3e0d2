// Contracts as TOML:
//   kernel = "kda_decode"
//   name = "kda_ws.sm_90"
//   profile = "sm_90"
//   [choices]
//   mma = "sm90"
#ifndef SAMEBITS_GOLDEN_CONTRACT_TEXT_H_
#define SAMEBITS_GOLDEN_CONTRACT_TEXT_H_

#include <string>
#include <string_view>

#include "model/contract.h"

namespace samebits::golden {

/// Canonical: equal contracts have equal text; choices in order of their names.
std::string ContractText(const Contract& contract);
/// `source` names the text in errors. Throws ConfigError: no TOML, unknown, missing or mistyped
/// key. Whether the kernel knows the choices is for Kernel::CheckContract.
Contract ParseContract(std::string_view text, std::string_view source);
/// Throws ConfigError if the file cannot be read, else as ParseContract.
Contract LoadContract(const std::string& path);
/// XXH3-128 of the canonical text without the name: what the contract says, not what it is called.
std::string ContractHash(const Contract& contract);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_CONTRACT_TEXT_H_
