// The configurations that the device test runs.
#ifndef SAMEBITS_TESTS_GPU_DEVICE_MATRIX_H_
#define SAMEBITS_TESTS_GPU_DEVICE_MATRIX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/contract.h"

namespace samebits::gpu {

struct DeviceCase {
  Settings config;  // partial
  std::string style;
  uint64_t seed = 0;
  int ctas = 0;
  bool taps = false;
};

/// Every number of tokens with every conv layout and type, gate mode and record mode; the other
/// axes, styles and grids in turn. Small enough for the CPU model.
std::vector<DeviceCase> DeviceCases();

}  // namespace samebits::gpu

#endif  // SAMEBITS_TESTS_GPU_DEVICE_MATRIX_H_
