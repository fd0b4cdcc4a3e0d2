// What one memory, arithmetic or matrix instruction of a lane moves or names.
#ifndef SAMEBITS_GPU_LANE_TYPES_H_
#define SAMEBITS_GPU_LANE_TYPES_H_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/tensor_map.h"

namespace samebits::gpu {

struct alignas(8) Float2 {
  float x, y;
};
struct alignas(16) Float4 {
  float x, y, z, w;
};
struct alignas(8) Word2 {
  uint32_t x, y;
};
struct alignas(16) Word4 {
  uint32_t x, y, z, w;
};

/// Of atomic accesses to global memory: what they order, and for whom.
enum class Order : uint8_t { kRelaxed, kAcquire, kRelease, kAcquireRelease };
enum class Scope : uint8_t { kGpu, kSystem };

/// The same bytes at the same offset of several memories. A GPU stores through `address`, a
/// multicast object's; the executor stores to each of `peers`, in order.
struct Multicast {
  std::byte* address = nullptr;
  std::byte* const* peers = nullptr;
  int count = 0;
};

/// The instruction descriptor of Tcgen05Mma: bf16 times bf16 onto f32, 64 rows, `n` columns
/// (a multiple of 8, 8..256), both operands K-major.
consteval uint32_t Tcgen05Instruction(int n) {
  constexpr uint32_t kF32 = 1u << 4, kBf16A = 1u << 7, kBf16B = 1u << 10, kRows64 = 4u << 24;
  return kF32 | kBf16A | kBf16B | static_cast<uint32_t>(n / 8) << 17 | kRows64;
}

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_LANE_TYPES_H_
