#include "gpu/cuda/issue_rate.h"

#include <cuda_runtime_api.h>

#include "gpu/cuda/check.h"

namespace samebits::gpu {

double Fp32IssueRate() {
  constexpr double kLanes = 128;  // sm_90 and sm_100
  int device = 0, processors = 0, kilohertz = 0;
  CheckCuda(cudaGetDevice(&device), "current device");
  CheckCuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
            "number of multiprocessors");
  CheckCuda(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device), "clock rate");
  return kLanes * processors * kilohertz * 1e3;
}

}  // namespace samebits::gpu
