// Operations that the lanes of a warp make together.
#ifndef SAMEBITS_GPU_SIMT_WARP_H_
#define SAMEBITS_GPU_SIMT_WARP_H_

#include <bit>
#include <cstdint>
#include <cstring>

#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

/// What lanes meet for; lanes that meet with different operations are a fault.
enum class Collective : uint8_t {
  kSync,
  kShuffle,
  kMma,
  kRegisters,
  kElect,
  kCluster,
  kAsyncMma,
  kTensorMemory
};

/// Computes the results of all lanes in `mask` from their operands.
using Combine = void (*)(void* const* operands, uint64_t mask, const Thread& last);

/// Waits until every lane of `mask` has come; the last one combines. `operand` lives until then.
void Meet(Thread& self, uint64_t mask, Collective operation, void* operand, Combine combine,
          Where where);

/// Every lane of the thread's warp.
uint64_t FullMask(const Thread& self);

/// __syncwarp: the only one of these that orders memory accesses.
void SyncWarp(Thread& self, uint64_t mask, Where where);

/// The value of lane `from` (modulo the warp's width), which must be in `mask`.
uint64_t ShuffleBits(Thread& self, uint64_t mask, uint64_t bits, int from, Where where);

template <typename T>
T Shuffle(Thread& self, uint64_t mask, T value, int from, Where where) {
  static_assert(sizeof(T) <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = ShuffleBits(self, mask, bits, from, where);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/// mma.sync.m16n8k16, bf16 onto f32; fragments as in gpu/lane/README.md. d is C and D.
void MmaBf16(Thread& self, float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
             Where where);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_WARP_H_
