#include "gpu/shared_expert/instantiate_host.h"

namespace samebits::gpu::shared_expert {

template HostKernel HostHopperFused<72>(bool taps);
template HostKernel HostHopperGate<72>(bool taps);
template HostKernel HostHopperDown<72>(bool taps);
template HostKernel HostBlackwellShared<72>(bool taps);
template HostKernel HostBlackwellFront<72>(bool taps);
template HostKernel HostBlackwellDown<72>(bool taps);

}  // namespace samebits::gpu::shared_expert
