// The probes as templates over a lane (gpu/lane) that has the operations of operations.h as well:
//   uint32_t Apply<Unary>(uint32_t), uint32_t Apply<Scalar>(float, float, float),
//   void WgmmaBf16(float (&d)[4], shared a, shared b), void MfmaBf16<m, k>(d, a, b)  where there is
//   such an instruction.
#ifndef SAMEBITS_GPU_PROBE_KERNELS_CUH_
#define SAMEBITS_GPU_PROBE_KERNELS_CUH_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/probe/fingerprint.h"
#include "gpu/probe/operations.h"

namespace samebits::gpu::probe {

inline constexpr int kThreads = 256;  // of every probe but those of matrix instructions

/// Thread block i: sums[i] = fingerprint of block blocks[i]. Shared memory: 8 bytes per thread.
template <Unary kOperation, typename Lane>
SAMEBITS_DEVICE void FingerprintBlock(const Lane& lane, const uint16_t* blocks, uint64_t* sums) {
  const uint32_t block = lane.LoadGlobal(blocks + lane.BlockIndex());
  uint64_t sum = 0;
  SAMEBITS_ROLLED
  for (uint32_t low = static_cast<uint32_t>(lane.ThreadIndex()); low < 65536; low += kThreads) {
    sum += Contribution(low, lane.template Apply<kOperation>(block << 16 | low));
  }
  uint64_t* partial = reinterpret_cast<uint64_t*>(lane.shared());
  lane.StoreShared(partial + lane.ThreadIndex(), sum);
  lane.BlockBarrier();
  if (lane.ThreadIndex() != 0) return;
  SAMEBITS_ROLLED
  for (int i = 1; i < kThreads; ++i) sum += lane.LoadShared(partial + i);
  lane.StoreGlobal(sums + lane.BlockIndex(), sum);
}

/// y[i] = operation(x[i]), i < n.
template <Unary kOperation, typename Lane>
SAMEBITS_DEVICE void EvaluateUnary(const Lane& lane, const uint32_t* x, uint32_t* y, int n) {
  const int i = lane.BlockIndex() * kThreads + lane.ThreadIndex();
  if (i >= n) return;
  lane.StoreGlobal(y + i, lane.template Apply<kOperation>(lane.LoadGlobal(x + i)));
}

/// y[i] = operation(a[i], b[i], c[i]), i < n.
template <Scalar kOperation, typename Lane>
SAMEBITS_DEVICE void EvaluateScalar(const Lane& lane, const float* a, const float* b,
                                    const float* c, uint32_t* y, int n) {
  const int i = lane.BlockIndex() * kThreads + lane.ThreadIndex();
  if (i >= n) return;
  lane.StoreGlobal(y + i,
                   lane.template Apply<kOperation>(lane.LoadGlobal(a + i), lane.LoadGlobal(b + i),
                                                   lane.LoadGlobal(c + i)));
}

/// One warp per tile of mma.sync m16n8k16: a [tiles][16][16], b [tiles][8][16], c and d
/// [tiles][16][8].
template <typename Lane>
SAMEBITS_DEVICE void MmaTile(const Lane& lane, const uint16_t* a, const uint16_t* b, const float* c,
                             float* d) {
  const int tile = lane.BlockIndex();
  const int g = lane.ThreadIndex() / 4, q = lane.ThreadIndex() % 4;
  const auto* rows = reinterpret_cast<const uint32_t*>(a + tile * 256);  // 8 words per row
  const auto* columns = reinterpret_cast<const uint32_t*>(b + tile * 128);
  const uint32_t fragment_a[4] = {
      lane.LoadGlobal(rows + g * 8 + q), lane.LoadGlobal(rows + (g + 8) * 8 + q),
      lane.LoadGlobal(rows + g * 8 + q + 4), lane.LoadGlobal(rows + (g + 8) * 8 + q + 4)};
  const uint32_t fragment_b[2] = {lane.LoadGlobal(columns + g * 8 + q),
                                  lane.LoadGlobal(columns + g * 8 + q + 4)};
  float sum[4];
  SAMEBITS_UNROLL
  for (int i = 0; i < 4; ++i) {
    sum[i] = lane.LoadGlobal(c + tile * 128 + (g + i / 2 * 8) * 8 + 2 * q + i % 2);
  }
  lane.MmaBf16(sum, fragment_a, fragment_b);
  SAMEBITS_UNROLL
  for (int i = 0; i < 4; ++i) {
    lane.StoreGlobal(d + tile * 128 + (g + i / 2 * 8) * 8 + 2 * q + i % 2, sum[i]);
  }
}

/// Where element (row, k) of an operand of wgmma lies in shared memory, in elements: matrices of 8
/// rows and 16 bytes, the two along k side by side.
SAMEBITS_DEVICE int WgmmaOffset(int row, int k) {
  return row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8;
}
inline constexpr int kWgmmaBOffset = 64 * 16;  // elements: b behind a
inline constexpr int kWgmmaSharedBytes = (64 * 16 + 8 * 16) * 2;

/// One warpgroup per tile of wgmma m64n8k16: a [tiles][64][16], b [tiles][8][16], c and d
/// [tiles][64][8].
template <typename Lane>
SAMEBITS_DEVICE void WgmmaTile(const Lane& lane, const uint16_t* a, const uint16_t* b,
                               const float* c, float* d) {
  const int tile = lane.BlockIndex(), thread = lane.ThreadIndex();
  uint16_t* shared_a = reinterpret_cast<uint16_t*>(lane.shared());
  uint16_t* shared_b = shared_a + kWgmmaBOffset;
  SAMEBITS_ROLLED
  for (int i = thread; i < 64 * 16; i += 128) {
    lane.StoreShared(shared_a + WgmmaOffset(i / 16, i % 16), lane.LoadGlobal(a + tile * 1024 + i));
  }
  lane.StoreShared(shared_b + WgmmaOffset(thread / 16, thread % 16),
                   lane.LoadGlobal(b + tile * 128 + thread));
  lane.FenceProxyAsync();
  lane.BlockBarrier();
  const int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
  float sum[4];
  SAMEBITS_UNROLL
  for (int i = 0; i < 4; ++i) {
    sum[i] = lane.LoadGlobal(c + tile * 512 + (row + i / 2 * 8) * 8 + column + i % 2);
  }
  lane.WgmmaBf16(sum, shared_a, shared_b);
  SAMEBITS_UNROLL
  for (int i = 0; i < 4; ++i) {
    lane.StoreGlobal(d + tile * 512 + (row + i / 2 * 8) * 8 + column + i % 2, sum[i]);
  }
}

/// One wavefront of 64 per tile of an AMD matrix instruction of kM x kM x kK: a and b
/// [tiles][kM][kK], c and d [tiles][kM][kM]. Lane l holds row (column) l % kM at kK * kM / 64
/// consecutive k, and of d rows 8 (i / 4) + 4 (l / kM) + i % 4 of column l % kM.
template <int kM, int kK, typename Lane>
SAMEBITS_DEVICE void MfmaTile(const Lane& lane, const uint16_t* a, const uint16_t* b,
                              const float* c, float* d) {
  constexpr int kWords = kK * kM / 128, kResults = kM * kM / 64;
  const int tile = lane.BlockIndex(), l = lane.ThreadIndex();
  const int operand = (tile * kM + l % kM) * kK + l / kM * kWords * 2;
  uint32_t fragment_a[kWords], fragment_b[kWords];
  SAMEBITS_UNROLL
  for (int i = 0; i < kWords; ++i) {
    fragment_a[i] = lane.LoadGlobal(reinterpret_cast<const uint32_t*>(a + operand) + i);
    fragment_b[i] = lane.LoadGlobal(reinterpret_cast<const uint32_t*>(b + operand) + i);
  }
  const auto place = [&](int i) {
    return (tile * kM + i / 4 * 8 + l / kM * 4 + i % 4) * kM + l % kM;
  };
  float sum[kResults];
  SAMEBITS_UNROLL
  for (int i = 0; i < kResults; ++i) sum[i] = lane.LoadGlobal(c + place(i));
  lane.template MfmaBf16<kM, kK>(sum, fragment_a, fragment_b);
  SAMEBITS_UNROLL
  for (int i = 0; i < kResults; ++i) lane.StoreGlobal(d + place(i), sum[i]);
}

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_KERNELS_CUH_
