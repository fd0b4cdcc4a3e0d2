#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<88>(bool taps);
template HostKernel HostHopperGate<88>(bool taps);
template HostKernel HostHopperDown<88>(bool taps);
template HostKernel HostBlackwellShared<88>(bool taps);
template HostKernel HostBlackwellFront<88>(bool taps);
template HostKernel HostBlackwellDown<88>(bool taps);

}  // namespace samebits::gpu::shared_expert
