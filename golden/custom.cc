#include "golden/custom.h"

#include <string>

#include "golden/case_text.h"
#include "golden/xxh3.h"

namespace samebits::golden {

uint64_t CustomSeed(const CaseEntry& entry) {
  std::string lines;
  for (const TensorEntry& tensor : entry.tensors) {
    if (tensor.spec.role == Role::kInput) lines += TensorLine(tensor) + "\n";
  }
  return std::stoull(HashHex(lines).substr(0, 16), nullptr, 16);
}

uint64_t CustomSeed(const TensorSet& tensors) {
  CaseEntry entry;
  for (const Tensor& tensor : tensors.tensors) {
    entry.tensors.push_back({tensor.spec, HashHex(tensor)});
  }
  return CustomSeed(entry);
}

}  // namespace samebits::golden
