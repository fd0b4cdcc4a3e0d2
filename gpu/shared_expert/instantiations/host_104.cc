#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<104>(bool taps);
template HostKernel HostHopperGate<104>(bool taps);
template HostKernel HostHopperDown<104>(bool taps);
template HostKernel HostBlackwellShared<104>(bool taps);
template HostKernel HostBlackwellFront<104>(bool taps);
template HostKernel HostBlackwellDown<104>(bool taps);

}  // namespace samebits::gpu::shared_expert
