// What the executor reports when a kernel breaks a rule of its machine.
#ifndef SAMEBITS_GPU_SIMT_FAULT_H_
#define SAMEBITS_GPU_SIMT_FAULT_H_

#include <cstdint>
#include <source_location>

#include "gpu/device_kernel.h"

namespace samebits::gpu::simt {

using Where = std::source_location;

enum class FaultKind : uint8_t {
  kDeadlock,       // threads remain and none can run
  kOutOfBounds,    // of shared or of allocated global memory
  kMisaligned,     // address or size
  kUninitialised,  // shared memory, or a barrier, that no one wrote
  kRace,           // two accesses that no synchronisation orders
  kProxy,          // ordered, but without a fence between the generic and the async proxy
  kBarrier,        // wrong id, count, phase or participants
  kOperand,        // of an instruction that does not exist
  kUnfinished,     // a thread ends with asynchronous work that it never waited for
};

/// One line: what, which thread, which source line. The launch has no result.
class Fault : public EnvironmentError {
 public:
  Fault(FaultKind kind, const std::string& what) : EnvironmentError(what), kind_(kind) {}
  FaultKind kind() const { return kind_; }

 private:
  FaultKind kind_;
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_FAULT_H_
