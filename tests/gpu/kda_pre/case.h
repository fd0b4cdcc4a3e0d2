// kda_pre on the executor and on the model, for tests.
#ifndef SAMEBITS_TESTS_GPU_KDA_PRE_CASE_H_
#define SAMEBITS_TESTS_GPU_KDA_PRE_CASE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "gpu/kda_pre/simt.h"
#include "gpu/lane/amd_target.h"
#include "model/kda_pre/config.h"
#include "model/tensor.h"

namespace samebits::gpu::kda_pre {

/// What a GPU thread does instead of the kernel of this tree.
using ThreadBody = std::function<void(const Params&)>;

/// One configuration with its inputs and the model's results with taps.
struct Case {
  samebits::kda_pre::Config config;
  const AmdTarget& target;
  TensorSet inputs;
  TensorSet expected;

  Case(const samebits::kda_pre::Config& c, const AmdTarget& t);

  /// Runs config.steps launches on one scratch; "" if every output (and with `taps` every tap) is
  /// the model's and nothing else was written, else what is not. Throws simt::Fault.
  std::string Run(uint64_t schedule, bool taps, const ThreadBody& body = {},
                  HostScratch* scratch = nullptr) const;
};

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_TESTS_GPU_KDA_PRE_CASE_H_
