// A kernel's CPU model on one configuration, again and again.
#ifndef SAMEBITS_HARNESS_BENCH_MODEL_RUN_H_
#define SAMEBITS_HARNESS_BENCH_MODEL_RUN_H_

#include "golden/memory_image.h"
#include "model/kernel.h"

namespace samebits::harness {

class ModelRun {
 public:
  /// Default contract, realistic inputs, no taps. `config` may be partial.
  ModelRun(const Kernel& kernel, const Settings& config, int threads);
  /// State that is updated in place drifts from call to call, which changes no timing: what decays
  /// stays finite.
  void Run();

 private:
  const Kernel& kernel_;
  const Settings config_;
  const Contract contract_;
  const int threads_;
  golden::MemoryImage image_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_MODEL_RUN_H_
