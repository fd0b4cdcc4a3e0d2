// The host lane with the operations of the probes.
#ifndef SAMEBITS_GPU_PROBE_LANE_HOST_H_
#define SAMEBITS_GPU_PROBE_LANE_HOST_H_

#include "gpu/lane/host.h"
#include "gpu/probe/apply.h"
#include "gpu/probe/kernels.cuh"
#include "model/units/matrix_unit.h"

namespace samebits::gpu::probe {

class HostProbeLane : public HostLane {
 public:
  template <Unary kOperation>
  uint32_t Apply(uint32_t x) const {
    return probe::Apply(*self().team->units().special, kOperation, x);
  }
  template <Scalar kOperation>
  uint32_t Apply(float a, float b, float c) const {
    return probe::Apply(*self().team->units().special, kOperation, a, b, c);
  }

  /// d: (row, column), (row, column + 1), (row + 8, column), (row + 8, column + 1) of the tile.
  void WgmmaBf16(float (&d)[4], const uint16_t* a, const uint16_t* b) const {
    const int thread = ThreadIndex();
    for (int i = 0; i < 4; ++i) {
      const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 * 8;
      const int column = thread % 4 * 2 + i % 2;
      uint16_t row_a[16], column_b[16];
      for (int k = 0; k < 16; ++k) {
        row_a[k] = LoadShared(a + WgmmaOffset(row, k));
        column_b[k] = LoadShared(b + WgmmaOffset(column, k));
      }
      d[i] = units::Dot(self().team->units().matrix, row_a, column_b, 16, d[i]);
    }
  }

  /// Every lane sees every operand of the wavefront, by shuffles.
  template <int kM, int kK>
  void MfmaBf16(float (&d)[kM * kM / 64], const uint32_t (&a)[kK * kM / 128],
                const uint32_t (&b)[kK * kM / 128]) const {
    constexpr int kWords = kK * kM / 128;
    uint16_t rows[kM][kK], columns[kM][kK];
    for (int from = 0; from < 64; ++from) {
      for (int i = 0; i < kWords; ++i) {
        const uint32_t word_a = ShuffleIndex(a[i], from), word_b = ShuffleIndex(b[i], from);
        for (int half = 0; half < 2; ++half) {
          const int k = from / kM * kWords * 2 + 2 * i + half;
          rows[from % kM][k] = static_cast<uint16_t>(word_a >> (16 * half));
          columns[from % kM][k] = static_cast<uint16_t>(word_b >> (16 * half));
        }
      }
    }
    const int l = ThreadIndex();
    for (int i = 0; i < kM * kM / 64; ++i) {
      const int row = i / 4 * 8 + l / kM * 4 + i % 4;
      d[i] = units::Dot(self().team->units().matrix, rows[row], columns[l % kM], kK, d[i]);
    }
  }
};

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_LANE_HOST_H_
