#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<128>(bool taps);
template HostKernel HostHopperGate<128>(bool taps);
template HostKernel HostHopperDown<128>(bool taps);
template HostKernel HostBlackwellShared<128>(bool taps);
template HostKernel HostBlackwellFront<128>(bool taps);
template HostKernel HostBlackwellDown<128>(bool taps);

}  // namespace samebits::gpu::shared_expert
