#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<40>(bool taps);
template HostKernel HostHopperGate<40>(bool taps);
template HostKernel HostHopperDown<40>(bool taps);
template HostKernel HostBlackwellShared<40>(bool taps);
template HostKernel HostBlackwellFront<40>(bool taps);
template HostKernel HostBlackwellDown<40>(bool taps);

}  // namespace samebits::gpu::shared_expert
