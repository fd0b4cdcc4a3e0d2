#include "gpu/lane/host.h"
#include "gpu/shared_expert/host_kernel.h"

namespace samebits::gpu::shared_expert {

void HostConsumer(const ConsumerParams& params) { Consume(HostLane(), params); }

}  // namespace samebits::gpu::shared_expert
