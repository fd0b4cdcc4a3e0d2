#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<16>(bool taps);
template HostKernel HostHopperGate<16>(bool taps);
template HostKernel HostHopperDown<16>(bool taps);
template HostKernel HostBlackwellShared<16>(bool taps);
template HostKernel HostBlackwellFront<16>(bool taps);
template HostKernel HostBlackwellDown<16>(bool taps);

}  // namespace samebits::gpu::shared_expert
