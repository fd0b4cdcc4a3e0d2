#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<112>(bool taps);
template HostKernel HostHopperGate<112>(bool taps);
template HostKernel HostHopperDown<112>(bool taps);
template HostKernel HostBlackwellShared<112>(bool taps);
template HostKernel HostBlackwellFront<112>(bool taps);
template HostKernel HostBlackwellDown<112>(bool taps);

}  // namespace samebits::gpu::shared_expert
