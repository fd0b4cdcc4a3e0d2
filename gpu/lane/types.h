// Vectors that one memory or arithmetic instruction of a lane moves.
#ifndef SAMEBITS_GPU_LANE_TYPES_H_
#define SAMEBITS_GPU_LANE_TYPES_H_

#include <cstdint>

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

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_LANE_TYPES_H_
