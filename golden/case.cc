#include "golden/case.h"

#include "golden/xxh3.h"

namespace samebits::golden {

std::string CaseId(std::string_view kernel, const Settings& config, std::string_view contract_hash,
                   std::string_view style, uint64_t seed) {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value) {
    text.append(key).append("=").append(value).append("\n");
  };
  add("kernel", kernel);
  add("contract", contract_hash);
  add("style", style);
  add("seed", std::to_string(seed));
  for (const auto& [axis, value] : config) add("config." + axis, value);
  return HashHex(text);
}

std::string CaseId(const CaseSpec& spec, std::string_view contract_hash) {
  return CaseId(spec.kernel->name(), spec.config, contract_hash, spec.style, spec.seed);
}

}  // namespace samebits::golden
