// Scalar functions of kda_pre on a lane (SPEC.md 0.2, 7.3, appendix B).
#ifndef SAMEBITS_GPU_KDA_PRE_MATH_H_
#define SAMEBITS_GPU_KDA_PRE_MATH_H_

#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/lane/types.h"

namespace samebits::gpu::kda_pre {

/// Where the bits of 2^x and 1/sqrt(x) come from: binary64, the same on every machine, or the
/// chip's v_exp_f32 and v_rsq_f32.
enum class Form : uint8_t { kExact, kNative };

template <class Lane, Form kForm>
class Math {
 public:
  SAMEBITS_DEVICE explicit Math(const Lane& lane) : lane_(lane) {}

  SAMEBITS_DEVICE float Log2E() const { return lane_.FromBits(0x3FB8AA3Bu); }

  SAMEBITS_DEVICE float Exp2(float x) const {
    if constexpr (kForm == Form::kNative) {
      return lane_.Exp2Native(x);
    } else {
      if (x != x) return lane_.Add(x, x);  // a quiet NaN
      if (x >= 128.0f) return lane_.FromBits(0x7F800000u);
      if (x < -126.0f) return 0.0f;
      const double wide = x;
      const double n = lane_.RoundEven64(wide);
      const double f = wide - n;  // exact
      double r = 0x1.314964D5878A9p-44;
      // RN64((ln 2)^k / k!), k = 13 .. 0.
      r = lane_.Fma64(r, f, 0x1.816193166D0F9p-40);
      r = lane_.Fma64(r, f, 0x1.C3BD650FC2986p-36);
      r = lane_.Fma64(r, f, 0x1.E8CAC7351BB25p-32);
      r = lane_.Fma64(r, f, 0x1.E4CF5158B8ECAp-28);
      r = lane_.Fma64(r, f, 0x1.B5253D395E7C4p-24);
      r = lane_.Fma64(r, f, 0x1.62C0223A5C824p-20);
      r = lane_.Fma64(r, f, 0x1.FFCBFC588B0C7p-17);
      r = lane_.Fma64(r, f, 0x1.430912F86C787p-13);
      r = lane_.Fma64(r, f, 0x1.5D87FE78A6731p-10);
      r = lane_.Fma64(r, f, 0x1.3B2AB6FBA4E77p-7);
      r = lane_.Fma64(r, f, 0x1.C6B08D704A0C0p-5);
      r = lane_.Fma64(r, f, 0x1.EBFBDFF82C58Fp-3);
      r = lane_.Fma64(r, f, 0x1.62E42FEFA39EFp-1);
      r = lane_.Fma64(r, f, 1.0);
      return static_cast<float>(lane_.Ldexp64(r, static_cast<int>(n)));
    }
  }

  SAMEBITS_DEVICE float Rsq(float x) const {
    if constexpr (kForm == Form::kNative) {
      return lane_.RsqNative(x);
    } else {
      if (x != x) return lane_.Add(x, x);
      const uint32_t bits = lane_.Bits(x);
      if ((bits & 0x7FFFFFFFu) < 0x00800000u)
        return lane_.FromBits((bits & 0x80000000u) | 0x7F800000u);
      if (x < 0.0f) return lane_.FromBits(0x7FFFFFFFu);
      return static_cast<float>(1.0 / lane_.Sqrt64(static_cast<double>(x)));
    }
  }

  /// SIG.
  SAMEBITS_DEVICE float Sigmoid(float z) const {
    const float e = Exp2(lane_.Mul(z, lane_.FromBits(0xBFB8AA3Bu)));
    return lane_.Div(1.0f, lane_.Add(1.0f, e));
  }

  /// BF: to bf16 and back.
  SAMEBITS_DEVICE float Bf(float x) const { return lane_.FromBf16(lane_.ToBf16(x)); }

  /// HALF_32 of each half of the wave, in all its lanes.
  SAMEBITS_DEVICE float HalfWaveSum(float v) const {
    v = lane_.Add(v, lane_.template ShuffleXor<16>(v));
    v = lane_.Add(v, lane_.template ShuffleXor<8>(v));
    v = lane_.Add(v, lane_.template ShuffleXor<4>(v));
    v = lane_.Add(v, lane_.template ShuffleXor<2>(v));
    return lane_.Add(v, lane_.template ShuffleXor<1>(v));
  }
  /// HALF_64.
  SAMEBITS_DEVICE float WaveSum(float v) const {
    return HalfWaveSum(lane_.Add(v, lane_.template ShuffleXor<32>(v)));
  }
  SAMEBITS_DEVICE float WaveMaximum(float v) const {
    v = lane_.Maximum(v, lane_.template ShuffleXor<32>(v));
    v = lane_.Maximum(v, lane_.template ShuffleXor<16>(v));
    v = lane_.Maximum(v, lane_.template ShuffleXor<8>(v));
    v = lane_.Maximum(v, lane_.template ShuffleXor<4>(v));
    v = lane_.Maximum(v, lane_.template ShuffleXor<2>(v));
    return lane_.Maximum(v, lane_.template ShuffleXor<1>(v));
  }

  /// DOT4: the products one after the other.
  SAMEBITS_DEVICE float Dot4(const float (&a)[4], const float (&b)[4]) const {
    float sum = lane_.Mul(a[0], b[0]);
    SAMEBITS_UNROLL
    for (int i = 1; i < 4; ++i) sum = lane_.Add(sum, lane_.Mul(a[i], b[i]));
    return sum;
  }

  /// MFMA32: 32 products of 16 rows and 16 columns. Lane group g holds slots 8g..8g+7 (4.6).
  SAMEBITS_DEVICE void MultiplyStep(Float4& d, Word4 a, Word4 b) const {
    if constexpr (Lane::kTarget.mfma_k == 32) {
      lane_.Mfma32(d, a, b);
    } else {
      lane_.Mfma16(d, Word2{a.x, a.y}, Word2{b.x, b.y});
      lane_.Mfma16(d, Word2{a.z, a.w}, Word2{b.z, b.w});
    }
  }

 private:
  const Lane& lane_;
};

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_GPU_KDA_PRE_MATH_H_
