// What one launch of the kda_decode kernel is given, by value.
#ifndef SAMEBITS_GPU_KDA_DECODE_PARAMS_H_
#define SAMEBITS_GPU_KDA_DECODE_PARAMS_H_

#include <cstdint>

#include "gpu/kda_decode/shared_layout.h"
#include "model/kda_decode/config.h"
#include "model/kda_decode/operands.h"

namespace samebits::gpu::kda_ws {

struct Params {
  kda_decode::Operands operands;
  kda_decode::Taps taps;
  int32_t heads;
  int32_t requests;
  int32_t window;
  int32_t store_page;    // byte offset of the page that states leave from; 0: there is none
  int32_t head_weights;  // byte offset of the resident weights; 0: they are read where they lie
  bool record;
  bool split_chains;  // gate_mode 1: four chains of two MMAs
  bool has_bias;
  bool conv_dim_first;
  bool conv_f32;
};

/// Whether the weights can be copied 16 bytes at a time (a missing bias is aligned).
inline bool WeightsAligned(const kda_decode::Operands& operands) {
  const auto bits = [](const void* address) { return reinterpret_cast<uintptr_t>(address); };
  return (bits(operands.f_b) | bits(operands.weights) | bits(operands.dt_bias) |
          bits(operands.bias)) %
             16 ==
         0;
}

inline Params MakeParams(const kda_decode::Config& config, const kda_decode::Operands& operands,
                         const kda_decode::Taps& taps) {
  const Extras extras = PlaceExtras(config);
  return {.operands = operands,
          .taps = taps,
          .heads = config.heads,
          .requests = config.requests,
          .window = config.window,
          .store_page = extras.store_page,
          .head_weights = WeightsAligned(operands) ? extras.weights : 0,
          .record = config.record,
          .split_chains = config.gate_mode == 1,
          .has_bias = config.has_bias,
          .conv_dim_first = config.conv_layout == kda_decode::ConvLayout::kDimFirst,
          .conv_f32 = config.conv_type == kda_decode::ConvType::kF32};
}

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_PARAMS_H_
