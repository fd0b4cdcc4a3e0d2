// kda_decode in host memory twice: for the model and for the kernel on the executor.
#ifndef SAMEBITS_TESTS_GPU_SIMT_KDA_DECODE_CASE_H_
#define SAMEBITS_TESTS_GPU_SIMT_KDA_DECODE_CASE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gpu/kda_decode/simt.h"
#include "model/contract.h"
#include "model/kernel.h"

namespace samebits::gpu::kda_ws {

/// Memory of a plan: inputs in place, everything else poisoned.
class Image {
 public:
  Image(const MemoryPlan& plan, const TensorSet& inputs);
  std::vector<void*> addresses();
  /// Where the first byte differs, as a tensor's name and element; "" if all bytes are equal.
  std::string FirstDifference(const Image& other) const;

 private:
  std::string NameOf(size_t allocation, int64_t offset) const;
  const MemoryPlan* plan_;
  std::vector<std::vector<std::byte>> memory_;  // 256 bytes larger, for alignment
  std::byte* start(size_t allocation);
  const std::byte* start(size_t allocation) const;
};

struct Case {
  Settings settings;
  kda_decode::Config config;
  bool taps = false;
  MemoryPlan plan;
  TensorSet inputs;

  /// Axes that `partial` lacks have their defaults. Inputs are drawn from `seed`.
  Case(const Settings& partial, bool with_taps, uint64_t seed);
  Image RunModel() const;
  /// Throws simt::Fault. Without `kernel` the one of this configuration.
  Image RunSimt(uint64_t schedule, int ctas,
                const std::function<void(const Params&)>& kernel = {}) const;
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_TESTS_GPU_SIMT_KDA_DECODE_CASE_H_
