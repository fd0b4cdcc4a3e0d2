// The lane interface on AMD GPUs with waves of 64 lanes (gfx942, gfx950): builtins of clang, no
// header of ROCm. Operations: README.md of this folder.
#ifndef SAMEBITS_GPU_LANE_HIP_H_
#define SAMEBITS_GPU_LANE_HIP_H_

#include <cstddef>
#include <cstdint>

#include "gpu/lane/amd_target.h"
#include "gpu/lane/annotate.h"
#include "gpu/lane/types.h"

namespace samebits::gpu {

struct HipLane {
#if defined(__gfx950__)
  static constexpr AmdTarget kTarget = kGfx950;
#else
  static constexpr AmdTarget kTarget = kGfx942;
#endif

  // Ids and shared memory.
  static SAMEBITS_DEVICE int ThreadIndex() { return __builtin_amdgcn_workitem_id_x(); }
  static SAMEBITS_DEVICE int BlockIndex() { return __builtin_amdgcn_workgroup_id_x(); }
  static SAMEBITS_DEVICE std::byte* shared() {
    extern __attribute__((shared)) __attribute__((aligned(16))) std::byte samebits_shared[];
    return samebits_shared;
  }

  // Waves.
  template <int kMask>
  static SAMEBITS_DEVICE float ShuffleXor(float value) {
    return FromBits(static_cast<uint32_t>(Exchange<kMask>(static_cast<int>(Bits(value)))));
  }
  /// The value of the wave's first active lane, known to be the same in all of them.
  static SAMEBITS_DEVICE int Uniform(int value) { return __builtin_amdgcn_readfirstlane(value); }

  // Barriers and waits.
  static SAMEBITS_DEVICE void BlockBarrier() {
    // Loads from and stores to global memory may stay under way.
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
    asm volatile("" ::: "memory");
  }
  static SAMEBITS_DEVICE void WaitStores() { asm volatile("s_waitcnt vmcnt(0)" ::: "memory"); }
  template <int kTicks>
  static SAMEBITS_DEVICE void Sleep() {
    __builtin_amdgcn_s_sleep(kTicks);
  }
  template <int kPriority>
  static SAMEBITS_DEVICE void SetPriority() {
    __builtin_amdgcn_s_setprio(kPriority);
  }

  // Matrix unit.
  static SAMEBITS_DEVICE void Mfma16(Float4& d, Word2 a, Word2 b) {
    using Operand = short __attribute__((ext_vector_type(4)));
    d = __builtin_bit_cast(
        Float4, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(__builtin_bit_cast(Operand, a),
                                                          __builtin_bit_cast(Operand, b),
                                                          __builtin_bit_cast(Vector4, d), 0, 0, 0));
  }
  static SAMEBITS_DEVICE void Mfma32(Float4& d, Word4 a, Word4 b) {
#if defined(__gfx950__)
    using Operand = __bf16 __attribute__((ext_vector_type(8)));
    d = __builtin_bit_cast(
        Float4, __builtin_amdgcn_mfma_f32_16x16x32_bf16(__builtin_bit_cast(Operand, a),
                                                        __builtin_bit_cast(Operand, b),
                                                        __builtin_bit_cast(Vector4, d), 0, 0, 0));
#else
    __builtin_trap();  // no such instruction
#endif
  }

  // Special functions of the chip.
  static SAMEBITS_DEVICE float Exp2Native(float x) { return __builtin_amdgcn_exp2f(x); }
  static SAMEBITS_DEVICE float RsqNative(float x) { return __builtin_amdgcn_rsqf(x); }
  static SAMEBITS_DEVICE float RcpNative(float x) { return __builtin_amdgcn_rcpf(x); }

  // Arithmetic.
  static SAMEBITS_DEVICE float Add(float a, float b) { return a + b; }
  static SAMEBITS_DEVICE float Sub(float a, float b) { return a - b; }
  static SAMEBITS_DEVICE float Mul(float a, float b) { return a * b; }
  static SAMEBITS_DEVICE float Fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static SAMEBITS_DEVICE float Div(float a, float b) { return a / b; }
  static SAMEBITS_DEVICE float Maximum(float a, float b) {
    return __builtin_elementwise_maximum(a, b);
  }
  static SAMEBITS_DEVICE double Fma64(double a, double b, double c) {
    return __builtin_fma(a, b, c);
  }
  static SAMEBITS_DEVICE double RoundEven64(double x) { return __builtin_roundeven(x); }
  static SAMEBITS_DEVICE double Ldexp64(double x, int n) { return __builtin_ldexp(x, n); }
  static SAMEBITS_DEVICE double Sqrt64(double x) { return __builtin_sqrt(x); }

  // Memory.
  template <typename V>
  static SAMEBITS_DEVICE V LoadGlobal(const V* global) {
    return *global;
  }
  template <typename V>
  static SAMEBITS_DEVICE void StoreGlobal(V* global, V value) {
    *global = value;
  }
  static SAMEBITS_DEVICE Word4 LoadNonTemporal(const Word4* global) {
    return __builtin_bit_cast(
        Word4, __builtin_nontemporal_load(reinterpret_cast<const Integers4*>(global)));
  }
  static SAMEBITS_DEVICE Word4 LoadDevice(const void* base, int bytes, int offset) {
    constexpr int kRawBuffer = 0x00020000;  // word 3 of a resource: data format 32
    constexpr int kDeviceScope = 16;        // sc1
    const auto resource =
        __builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(base), 0, bytes, kRawBuffer);
    return __builtin_bit_cast(
        Word4, __builtin_amdgcn_raw_buffer_load_b128(resource, offset, 0, kDeviceScope));
  }
  static SAMEBITS_DEVICE void StoreDevice(Word2* global, Word2 value) {
    __hip_atomic_store(reinterpret_cast<uint64_t*>(global), __builtin_bit_cast(uint64_t, value),
                       __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
  template <typename V>
  static SAMEBITS_DEVICE V LoadShared(const V* shared) {
    return *shared;
  }
  template <typename V>
  static SAMEBITS_DEVICE void StoreShared(V* shared, V value) {
    *shared = value;
  }

  // Atomic accesses: Order and Scope as on the other lanes.
  template <Order kOrder, Scope kScope = Scope::kGpu>
  static SAMEBITS_DEVICE uint32_t AtomicLoad(const uint32_t* global) {
    return kScope == Scope::kGpu
               ? __hip_atomic_load(global, Ordering<kOrder>(), __HIP_MEMORY_SCOPE_AGENT)
               : __hip_atomic_load(global, Ordering<kOrder>(), __HIP_MEMORY_SCOPE_SYSTEM);
  }
  template <Order kOrder, Scope kScope = Scope::kGpu>
  static SAMEBITS_DEVICE void AtomicStore(uint32_t* global, uint32_t value) {
    if constexpr (kScope == Scope::kGpu) {
      __hip_atomic_store(global, value, Ordering<kOrder>(), __HIP_MEMORY_SCOPE_AGENT);
    } else {
      __hip_atomic_store(global, value, Ordering<kOrder>(), __HIP_MEMORY_SCOPE_SYSTEM);
    }
  }

  // Messages between blocks of a co-resident grid.
  static SAMEBITS_DEVICE void PutMessage(Word2* global, uint32_t value, uint32_t tag) {
    StoreDevice(global, {value, tag});
  }
  /// The loads of one round are under way together; all are repeated until every tag is there.
  template <int kCount>
  static SAMEBITS_DEVICE bool PollMessages(const Word2* const (&at)[kCount], uint32_t tag,
                                           int rounds, uint32_t (&values)[kCount]) {
    SAMEBITS_ROLLED
    for (int round = 0; round != rounds; ++round) {
      uint32_t wrong = 0;
      Word2 pairs[kCount];
      SAMEBITS_UNROLL
      for (int i = 0; i < kCount; ++i) pairs[i] = LoadMessage(at[i]);
      SAMEBITS_UNROLL
      for (int i = 0; i < kCount; ++i) {
        values[i] = pairs[i].x;
        wrong |= pairs[i].y ^ tag;
      }
      if (wrong == 0) return true;
      Sleep<1>();
    }
    return false;
  }

  // Conversions.
  static SAMEBITS_DEVICE uint32_t ToBf16Pair(float low, float high) {
    using Floats = float __attribute__((ext_vector_type(2)));
    using Halves = __bf16 __attribute__((ext_vector_type(2)));
    return __builtin_bit_cast(uint32_t, __builtin_convertvector((Floats){low, high}, Halves));
  }
  static SAMEBITS_DEVICE uint16_t ToBf16(float value) {
    return __builtin_bit_cast(uint16_t, static_cast<__bf16>(value));
  }
  static SAMEBITS_DEVICE float FromBf16(uint16_t bits) {
    return FromBits(static_cast<uint32_t>(bits) << 16);
  }
  static SAMEBITS_DEVICE uint32_t Bits(float f) { return __builtin_bit_cast(uint32_t, f); }
  static SAMEBITS_DEVICE float FromBits(uint32_t u) { return __builtin_bit_cast(float, u); }

 private:
  using Vector4 = float __attribute__((ext_vector_type(4)));
  using Integers4 = uint32_t __attribute__((ext_vector_type(4)));

  static SAMEBITS_DEVICE Word2 LoadMessage(const Word2* global) {
    return __builtin_bit_cast(Word2, __hip_atomic_load(reinterpret_cast<const uint64_t*>(global),
                                                       __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
  }

  template <Order kOrder>
  static constexpr SAMEBITS_DEVICE int Ordering() {
    switch (kOrder) {
      case Order::kRelaxed:
        return __ATOMIC_RELAXED;
      case Order::kAcquire:
        return __ATOMIC_ACQUIRE;
      case Order::kRelease:
        return __ATOMIC_RELEASE;
      case Order::kAcquireRelease:
        return __ATOMIC_ACQ_REL;
    }
  }

  /// Within rows of 16 lanes a move that permutes, within 32 one of the LDS crossbar without an
  /// address; across halves of the wave the crossbar needs one.
  template <int kMask>
  static SAMEBITS_DEVICE int Exchange(int value) {
    constexpr int kQuad1 = 0xB1, kQuad2 = 0x4E, kRotate8 = 0x128;  // DPP: [1,0,3,2], [2,3,0,1]
    constexpr int kAllLanes = 0x1F;
    if constexpr (kMask == 1) {
      return __builtin_amdgcn_update_dpp(value, value, kQuad1, 0xF, 0xF, true);
    } else if constexpr (kMask == 2) {
      return __builtin_amdgcn_update_dpp(value, value, kQuad2, 0xF, 0xF, true);
    } else if constexpr (kMask == 8) {
      return __builtin_amdgcn_update_dpp(value, value, kRotate8, 0xF, 0xF, true);
    } else if constexpr (kMask < 32) {
      return __builtin_amdgcn_ds_swizzle(value, kMask << 10 | kAllLanes);
    } else {
      const int lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
      return __builtin_amdgcn_ds_bpermute((lane ^ kMask) << 2, value);
    }
  }
};

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_LANE_HIP_H_
