// Operations of AMD's waves of 64 lanes beyond those of warp.h.
#ifndef SAMEBITS_GPU_SIMT_WAVE_H_
#define SAMEBITS_GPU_SIMT_WAVE_H_

#include <cstdint>

#include "gpu/lane/types.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

/// v_mfma_f32_16x16x16_bf16 and v_mfma_f32_16x16x32_bf16; operands as in gpu/lane/README.md. The
/// launch's matrix unit must be the instruction's (MatrixUnit::instruction_k).
void Mfma16(Thread& self, Float4& d, Word2 a, Word2 b, Where where);
void Mfma32(Thread& self, Float4& d, Word4 a, Word4 b, Where where);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_WAVE_H_
