// The lane interface of AMD targets under the executor on the CPU: waves of 64 lanes. Operations:
// README.md of this folder.
#ifndef SAMEBITS_GPU_LANE_HOST_AMD_H_
#define SAMEBITS_GPU_LANE_HOST_AMD_H_

#include <cmath>
#include <cstdint>

#include "gpu/lane/amd_target.h"
#include "gpu/lane/host.h"
#include "gpu/lane/types.h"
#include "gpu/simt/messages.h"
#include "gpu/simt/wave.h"

namespace samebits::gpu {

/// The launch's matrix unit and LDS are those of kOf.
template <const AmdTarget& kOf>
class HostAmdLane : public HostLane {
 public:
  static constexpr AmdTarget kTarget = kOf;

  // Waves.
  template <int kMask>
  float ShuffleXor(float value, Where where = Where::current()) const {
    return HostLane::ShuffleXor(value, kMask, where);
  }
  int Uniform(int value) const { return value; }

  // Waits.
  void WaitStores(Where where = Where::current()) const { simt::WaitStores(self(), where); }
  template <int kPriority>
  void SetPriority() const {}

  // Matrix unit.
  void Mfma16(Float4& d, Word2 a, Word2 b, Where where = Where::current()) const {
    simt::Mfma16(self(), d, a, b, where);
  }
  void Mfma32(Float4& d, Word4 a, Word4 b, Where where = Where::current()) const {
    simt::Mfma32(self(), d, a, b, where);
  }

  // Arithmetic. What the chip's special functions return is not known: there are none here.
  float Div(float a, float b) const { return arith::Canonical(a / b); }
  float Maximum(float a, float b) const {
    if (arith::IsNan(a) || arith::IsNan(b)) return arith::FromBits(arith::kNanBits);
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
  double Fma64(double a, double b, double c) const { return std::fma(a, b, c); }
  double RoundEven64(double x) const { return std::nearbyint(x); }
  double Ldexp64(double x, int n) const { return std::ldexp(x, n); }
  double Sqrt64(double x) const { return std::sqrt(x); }

  // Memory.
  Word4 LoadNonTemporal(const Word4* global, Where where = Where::current()) const {
    return LoadGlobal(global, where);
  }
  Word4 LoadDevice(const void* base, int bytes, int offset, Where where = Where::current()) const {
    if (offset < 0 || offset + 16 > bytes) return {0, 0, 0, 0};
    return LoadGlobal(reinterpret_cast<const Word4*>(static_cast<const std::byte*>(base) + offset),
                      where);
  }
  void StoreDevice(Word2* global, Word2 value, Where where = Where::current()) const {
    simt::StoreDevice(self(), global, value, where);
  }

  // Messages between blocks.
  void PutMessage(Word2* global, uint32_t value, uint32_t tag,
                  Where where = Where::current()) const {
    simt::PutMessage(self(), global, value, tag, where);
  }
  /// Never gives up: who waits for ever is a deadlock.
  template <int kCount>
  bool PollMessages(const Word2* const (&at)[kCount], uint32_t tag, int, uint32_t (&values)[kCount],
                    Where where = Where::current()) const {
    simt::PollMessages(self(), at, kCount, tag, values, where);
    return true;
  }

  // Conversions.
  uint32_t ToBf16Pair(float low, float high) const {
    return ToBf16(low) | static_cast<uint32_t>(ToBf16(high)) << 16;
  }
};

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_LANE_HOST_AMD_H_
