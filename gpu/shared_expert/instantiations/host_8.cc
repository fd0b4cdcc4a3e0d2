#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<8>(bool taps);
template HostKernel HostHopperGate<8>(bool taps);
template HostKernel HostHopperDown<8>(bool taps);
template HostKernel HostBlackwellShared<8>(bool taps);
template HostKernel HostBlackwellFront<8>(bool taps);
template HostKernel HostBlackwellDown<8>(bool taps);

}  // namespace samebits::gpu::shared_expert
