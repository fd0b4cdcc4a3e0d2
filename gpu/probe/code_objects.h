// The probe kernels as AMD code objects, made at build time.
#ifndef SAMEBITS_GPU_PROBE_CODE_OBJECTS_H_
#define SAMEBITS_GPU_PROBE_CODE_OBJECTS_H_

#include <span>

namespace samebits::gpu::probe {

struct CodeObject {
  const char* architecture;  // "gfx942"
  const unsigned char* data;
};
std::span<const CodeObject> CodeObjects();

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_CODE_OBJECTS_H_
