// What differs between the AMD targets as far as kernels see it.
#ifndef SAMEBITS_GPU_LANE_AMD_TARGET_H_
#define SAMEBITS_GPU_LANE_AMD_TARGET_H_

#include <string_view>

namespace samebits::gpu {

/// A chip with waves of 64 lanes, four of them for the waves of a block of 256.
struct AmdTarget {
  std::string_view name;  // "gfx942"
  int lds_bytes;          // of a compute unit, and so of a block
  int mfma_k;             // bf16 products of the longest v_mfma_f32_16x16xK_bf16
};

inline constexpr AmdTarget kGfx942 = {"gfx942", 64 << 10, 16};
inline constexpr AmdTarget kGfx950 = {"gfx950", 160 << 10, 32};

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_LANE_AMD_TARGET_H_
