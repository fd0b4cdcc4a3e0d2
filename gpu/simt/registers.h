// setmaxnreg: the warps of a block pass registers to each other.
#ifndef SAMEBITS_GPU_SIMT_REGISTERS_H_
#define SAMEBITS_GPU_SIMT_REGISTERS_H_

#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

// By one thread of a warp that makes it together, for `registers` per thread: 24 to 256, a multiple
// of 8. No effect in a launch whose LaunchShape::registers is 0.

/// Gives what the warp holds beyond `registers` to its block. Faults if it holds fewer.
void DecreaseRegisters(Thread& self, int registers, Where where);
/// Waits until the block has what the warp lacks. Faults if it holds more than `registers`.
void IncreaseRegisters(Thread& self, int registers, Where where);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_REGISTERS_H_
