#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<64>(bool taps);
template HostKernel HostHopperGate<64>(bool taps);
template HostKernel HostHopperDown<64>(bool taps);
template HostKernel HostBlackwellShared<64>(bool taps);
template HostKernel HostBlackwellFront<64>(bool taps);
template HostKernel HostBlackwellDown<64>(bool taps);

}  // namespace samebits::gpu::shared_expert
