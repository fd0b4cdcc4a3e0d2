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
  int32_t pages;        // state pages in shared memory, 1 or 2
  int32_t second_page;  // byte offset of the second one
  bool record;
  bool split_chains;  // gate_mode 1: four chains of two MMAs
  bool has_bias;
  bool conv_dim_first;
  bool conv_f32;
};

inline Params MakeParams(const kda_decode::Config& config, const kda_decode::Operands& operands,
                         const kda_decode::Taps& taps) {
  const Pages pages =
      PlacePages(config.tokens, config.conv_layout, config.conv_type, config.window);
  return {.operands = operands,
          .taps = taps,
          .heads = config.heads,
          .requests = config.requests,
          .window = config.window,
          .pages = pages.count,
          .second_page = pages.second,
          .record = config.record,
          .split_chains = config.gate_mode == 1,
          .has_bias = config.has_bias,
          .conv_dim_first = config.conv_layout == kda_decode::ConvLayout::kDimFirst,
          .conv_f32 = config.conv_type == kda_decode::ConvType::kF32};
}

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_PARAMS_H_
