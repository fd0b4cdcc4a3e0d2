#include "gpu/kda_decode/traffic.h"

namespace samebits::gpu::kda_ws {

using kda_decode::Config;
using kda_decode::kHeadDim;

int64_t BytesPerItem(const Config& config) {
  const int64_t tokens = config.tokens;
  const int64_t page = int64_t{kHeadDim} * kHeadDim * 4;
  const int64_t position = 3 * kHeadDim * (config.conv_type == kda_decode::ConvType::kBf16 ? 2 : 4);
  const bool dim_first = config.conv_layout == kda_decode::ConvLayout::kDimFirst;
  const int64_t read = dim_first ? config.window : 3;
  const int64_t written = dim_first ? config.window : tokens + 2;
  // x of three parts, output gate and output; the beta logit.
  const int64_t rows = tokens * (5 * kHeadDim * 2 + 2);
  const int64_t states = config.record ? page : page * (1 + tokens);
  const int64_t records = config.record ? tokens * (kHeadDim * 4 + 2 * kHeadDim * 2) : 0;
  return states + position * (read + written) + rows + records;
}

int64_t BytesPerLaunch(const Config& config) {
  const int64_t f_b = int64_t{kHeadDim} * kHeadDim * 2;
  const int64_t conv_weights = 3 * kda_decode::kConvWidth * kHeadDim * 4;
  const int64_t bias = config.has_bias ? 3 * kHeadDim * 4 : 0;
  const int64_t per_head = f_b + conv_weights + bias + kHeadDim * 4 + 4;  // dt_bias, a_log
  const int64_t slots = config.tokens == 1 ? 4 : config.record ? 8 : 4 * (config.tokens + 1);
  const int64_t per_request = int64_t{config.tokens} * kHeadDim * 2 + slots;
  return config.items() * BytesPerItem(config) + config.heads * per_head +
         config.requests * per_request + kHeadDim * 4;
}

}  // namespace samebits::gpu::kda_ws
