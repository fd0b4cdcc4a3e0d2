#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<48>(bool taps);
template HostKernel HostHopperGate<48>(bool taps);
template HostKernel HostHopperDown<48>(bool taps);
template HostKernel HostBlackwellShared<48>(bool taps);
template HostKernel HostBlackwellFront<48>(bool taps);
template HostKernel HostBlackwellDown<48>(bool taps);

}  // namespace samebits::gpu::shared_expert
