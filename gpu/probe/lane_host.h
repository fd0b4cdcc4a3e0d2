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
};

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_LANE_HOST_H_
