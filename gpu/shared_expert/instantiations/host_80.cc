#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<80>(bool taps);
template HostKernel HostHopperGate<80>(bool taps);
template HostKernel HostHopperDown<80>(bool taps);
template HostKernel HostBlackwellShared<80>(bool taps);
template HostKernel HostBlackwellFront<80>(bool taps);
template HostKernel HostBlackwellDown<80>(bool taps);

}  // namespace samebits::gpu::shared_expert
