#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<32>(bool taps);
template HostKernel HostHopperGate<32>(bool taps);
template HostKernel HostHopperDown<32>(bool taps);
template HostKernel HostBlackwellShared<32>(bool taps);
template HostKernel HostBlackwellFront<32>(bool taps);
template HostKernel HostBlackwellDown<32>(bool taps);

}  // namespace samebits::gpu::shared_expert
