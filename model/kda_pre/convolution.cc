#include <algorithm>
#include <vector>

#include "model/kda_pre/stages.h"
#include "model/settle.h"

namespace samebits::kda_pre {
namespace {

/// One channel of conv_state in one slot.
class Window {
 public:
  Window(const Operands& o, int32_t slot, int64_t channel)
      : base_(o.conv_state + slot * o.conv_slot + channel * o.conv_channel),
        stride_(o.conv_position) {}
  uint16_t& operator[](int position) const { return base_[position * stride_]; }

 private:
  uint16_t* base_;
  int64_t stride_;
};

/// new[i] = old[a + 1 + i], then the inputs of this step (2.3). Reads ascend before writes.
void StoreWindow(const Config& config, int offset, const uint16_t* inputs, const Window& window) {
  const int kept = config.state_len - config.tokens;
  for (int i = 0; i < kept; ++i) window[i] = window[offset + 1 + i];
  for (int j = 0; j < config.tokens; ++j) window[kept + j] = inputs[j];
}

void SettleTaps(const Launch& launch, const Place& place, Item* item) {
  const int tokens = launch.config.tokens;
  const Taps& taps = launch.taps;
  const Taps& given = launch.given.taps;
  const int64_t pair = (int64_t{place.request} * kHeads + place.head) * tokens;
  for (int j = 0; j < tokens; ++j) {
    for (int part = 0; part < 2; ++part) {
      Settle({taps.qk, given.qk}, ((pair + j) * 2 + part) * kHeadDim, kHeadDim,
             item->conv[part][j]);
    }
    Settle({taps.v, given.v}, (pair + j) * kHeadDim, kHeadDim, item->conv[2][j]);
  }
}

}  // namespace

void Convolve(const Launch& launch, const Seam& seam, const Place& place, Item* item) {
  const Config& c = launch.config;
  float sequence[kConvWidth - 1 + kMaxTokenRows];
  uint16_t inputs[kMaxTokenRows];
  for (int part = 0; part < 3; ++part) {
    for (int d = 0; d < kHeadDim; ++d) {
      const int64_t channel = int64_t{part} * kProjection + place.channel() + d;
      const Window window(launch.operands, std::max(place.conv_slot, 0), channel);
      for (int i = 0; i < kConvWidth - 1; ++i) {
        sequence[i] = arith::Widen(window[place.offset + i]);
      }
      for (int j = 0; j < c.tokens; ++j) {
        inputs[j] = Projected(seam, place.row(c, j))[channel];
        sequence[kConvWidth - 1 + j] = arith::Widen(inputs[j]);
      }
      if (place.conv_slot > 0) StoreWindow(c, place.offset, inputs, window);
      const float* taps = launch.operands.conv_w + channel * kConvWidth;
      for (int j = 0; j < c.tokens; ++j) {
        const float acc = order::SumProducts(launch.trees.convolution, taps, sequence + j);
        item->conv[part][j][d] =
            Round(launch.choices.conv_rounding, arith::Mul(acc, launch.math.Sigmoid(acc)));
      }
    }
  }
  SettleTaps(launch, place, item);
}

}  // namespace samebits::kda_pre
