#include "gpu/hip/code_objects.h"

#include <fmt/format.h>

namespace samebits::gpu {

const CodeObject* FindCodeObject(std::string_view target, std::string_view name) {
  for (const CodeObject& object : CodeObjects()) {
    if (object.target == target && object.name == name) return &object;
  }
  return nullptr;
}

std::string CodeObjectTargets() {
  std::string targets;
  for (const CodeObject& object : CodeObjects()) {
    if (targets.find(object.target) != std::string::npos) continue;
    if (!targets.empty()) targets += ", ";
    targets += object.target;
  }
  return targets;
}

std::string HashOf(const CodeObject& object) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const uint8_t byte : object.elf) hash = (hash ^ byte) * 0x100000001B3u;
  return fmt::format("fnv1a:{:016x}", hash);
}

}  // namespace samebits::gpu
