#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<96>(bool taps);
template HostKernel HostHopperGate<96>(bool taps);
template HostKernel HostHopperDown<96>(bool taps);
template HostKernel HostBlackwellShared<96>(bool taps);
template HostKernel HostBlackwellFront<96>(bool taps);
template HostKernel HostBlackwellDown<96>(bool taps);

}  // namespace samebits::gpu::shared_expert
