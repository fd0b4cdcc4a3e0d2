#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<24>(bool taps);
template HostKernel HostHopperGate<24>(bool taps);
template HostKernel HostHopperDown<24>(bool taps);
template HostKernel HostBlackwellShared<24>(bool taps);
template HostKernel HostBlackwellFront<24>(bool taps);
template HostKernel HostBlackwellDown<24>(bool taps);

}  // namespace samebits::gpu::shared_expert
