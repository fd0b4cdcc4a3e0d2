// The code objects that a program contains, as the HIP runtime loads them.
#ifndef SAMEBITS_GPU_HIP_CODE_OBJECTS_H_
#define SAMEBITS_GPU_HIP_CODE_OBJECTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace samebits::gpu {

struct CodeObject {
  std::string_view target;       // "gfx942"
  std::string_view name;         // "kda_pre/tokens_3"
  std::span<const uint8_t> elf;  // of one target, not bundled
};

/// Empty in a build without a compiler for AMD GPUs.
std::span<const CodeObject> CodeObjects();
/// nullptr if there is none.
const CodeObject* FindCodeObject(std::string_view target, std::string_view name);
/// Targets of the build: "gfx942, gfx950".
std::string CodeObjectTargets();
/// "fnv1a:" and 16 hexadecimal digits of its bytes.
std::string HashOf(const CodeObject& object);

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_HIP_CODE_OBJECTS_H_
