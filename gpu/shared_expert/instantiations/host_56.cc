#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<56>(bool taps);
template HostKernel HostHopperGate<56>(bool taps);
template HostKernel HostHopperDown<56>(bool taps);
template HostKernel HostBlackwellShared<56>(bool taps);
template HostKernel HostBlackwellFront<56>(bool taps);
template HostKernel HostBlackwellDown<56>(bool taps);

}  // namespace samebits::gpu::shared_expert
