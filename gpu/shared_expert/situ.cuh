// SiTU, form S0 (SPEC.md 4.6), and the other arithmetic that the kernels share.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_SITU_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_SITU_CUH_

#include "gpu/lane/annotate.h"
#include "gpu/shared_expert/params.h"

namespace samebits::gpu::shared_expert {

/// Both ways, then a choice: a branch would keep the two of a thread one behind the other.
template <class Lane>
SAMEBITS_DEVICE float Tanh(const Lane& lane, float a) {
  const uint32_t bits = lane.Bits(a);
  const float t = lane.FromBits(bits & 0x7FFFFFFFu);
  const float e = lane.Ex2Ftz(lane.Mul(t, lane.FromBits(0x4038AA3Bu)));  // 2 log2(e)
  const float r = lane.RcpFtz(lane.Add(e, 1.0f));
  float v = lane.Fma(r, -2.0f, 1.0f);
  if (t >= lane.FromBits(0x41102CB4u)) v = 1.0f;
  const float large = lane.FromBits(lane.Bits(v) | (bits & 0x80000000u));
  const float s = lane.Mul(a, a);
  float p = lane.Fma(lane.FromBits(0x3C80F082u), s, lane.FromBits(0xBD563CAEu));
  p = lane.Fma(p, s, lane.FromBits(0x3E085941u));
  p = lane.Fma(p, s, lane.FromBits(0xBEAAA9EDu));
  p = lane.Fma(p, s, 0.0f);
  const float small = lane.Fma(p, a, a);
  return t >= lane.FromBits(0x3F19999Au) ? large : small;
}

template <class Lane>
SAMEBITS_DEVICE float Exp(const Lane& lane, float a) {
  const float v = lane.FmaSaturate(a, lane.FromBits(0x3BBB989Du), 0.5f);
  const float m = lane.FmaDown(v, 252.0f, lane.FromBits(0x4B400001u));
  const float j = lane.Add(m, lane.FromBits(0xCB40007Fu));
  float f = lane.Fma(a, lane.FromBits(0x3FB8AA3Bu), -j);
  f = lane.Fma(a, lane.FromBits(0x32A57060u), f);
  return lane.Mul(lane.Ex2Ftz(f), lane.FromBits(lane.Bits(m) << 23));
}

template <class Lane>
SAMEBITS_DEVICE float SituGate(const Lane& lane, const Params& params, float g) {
  const float capped = lane.Mul(params.beta, Tanh(lane, lane.Mul(g, params.inverse_beta)));
  return lane.Div(capped, lane.Add(1.0f, Exp(lane, -g)));
}
template <class Lane>
SAMEBITS_DEVICE float SituUp(const Lane& lane, const Params& params, float u) {
  if (!(params.linear_beta > 0.0f)) return u;
  return lane.Mul(params.linear_beta, Tanh(lane, lane.Mul(u, params.inverse_linear_beta)));
}

/// -0 becomes +0 (4.7); both halves of a bf16 pair.
SAMEBITS_DEVICE uint16_t PositiveZero(uint16_t bits) { return bits == 0x8000u ? 0 : bits; }
SAMEBITS_DEVICE uint32_t PositiveZeroPair(uint32_t pair) {
  if ((pair & 0xFFFFu) == 0x8000u) pair &= 0xFFFF0000u;
  if (pair >> 16 == 0x8000u) pair &= 0xFFFFu;
  return pair;
}

/// Byte offset of (row, column) in a tile of the matrix unit: 128-byte swizzle (6.1).
SAMEBITS_DEVICE int TileOffset(int row, int column) {
  return row / 8 * 1024 + row % 8 * 128 + ((column / 8 ^ row % 8) * 16) + column % 8 * 2;
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_SITU_CUH_
