#include "golden/dataset.h"

#include "golden/case_text.h"
#include "golden/contract_text.h"
#include "golden/xxh3.h"

namespace samebits::golden {

std::string_view Name(Schema schema) {
  return schema == Schema::kGolden ? "samebits-golden" : "samebits-observed";
}

std::string_view Name(Store store) { return store == Store::kFull ? "full" : "hashes"; }

std::string FileInfo::contract_hash() const { return ContractHash(contract); }

const TensorEntry* CaseEntry::Find(Role role, std::string_view name) const {
  for (const TensorEntry& entry : tensors) {
    if (entry.spec.role == role && entry.spec.name == name) return &entry;
  }
  return nullptr;
}

CaseSpec SpecOf(const CaseEntry& entry, const Kernel& kernel) {
  return {&kernel, entry.config, entry.style, entry.seed};
}

std::string InfoText(const FileInfo& info) {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value) {
    text.append(key).append("=").append(value).append("\n");
  };
  add("schema", Name(info.schema));
  add("schema_version", std::to_string(kSchemaVersion));
  add("store", Name(info.store));
  add("kernel", info.kernel);
  add("taps", info.taps ? "1" : "0");
  add("tool_version", info.tool_version);
  add("commit", info.commit);
  add("contract", ContractText(info.contract));
  if (info.device) {
    add("device", info.device->name);
    add("architecture", info.device->architecture);
    add("driver", info.device->driver);
    add("kernel_symbol", info.device->kernel_symbol);
    add("kernel_hash", info.device->kernel_hash);
    if (info.device->count != 1) add("devices", std::to_string(info.device->count));
  }
  if (!info.matrix.empty()) add("matrix", HashHex(info.matrix));
  return text;
}

std::string CaseDigest(const CaseEntry& entry) { return HashHex(CaseText(entry)); }

std::string FileDigest(const FileInfo& info, const std::vector<CaseEntry>& cases) {
  std::string text = InfoText(info);
  for (const CaseEntry& entry : cases) text += "case=" + CaseDigest(entry) + "\n";
  return HashHex(text);
}

}  // namespace samebits::golden
