#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<120>(bool taps);
template HostKernel HostHopperGate<120>(bool taps);
template HostKernel HostHopperDown<120>(bool taps);
template HostKernel HostBlackwellShared<120>(bool taps);
template HostKernel HostBlackwellFront<120>(bool taps);
template HostKernel HostBlackwellDown<120>(bool taps);

}  // namespace samebits::gpu::shared_expert
