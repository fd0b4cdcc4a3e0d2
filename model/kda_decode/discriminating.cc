#include "model/kda_decode/discriminating.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/arith/bfloat16.h"

namespace samebits::kda_decode {
namespace {

/// Arguments at which forms of silu part after their rounding to bf16. The first two: x / (1 +
/// exp(-x)) against x * sigmoid(x), which differ where the reciprocal is subnormal alone. The
/// others: an IEEE division against div.full.
constexpr std::array<uint32_t, 10> kSiluArguments = {0xC2B02F3C, 0xC2B1500F, 0xC2B15DE8, 0xC08CD0EA,
                                                     0x40AC4980, 0x40FA9978, 0xC01849E0, 0xC131BD62,
                                                     0xC0FF724C, 0x40177C80};

constexpr uint16_t kOne = 0x3F80, kMinus200 = 0xC348;

/// The inputs of one head.
class Head {
 public:
  Head(const Config& config, TensorSet* inputs, int head)
      : c_(config), inputs_(*inputs), head_(head) {}

  /// The convolution's sum is an argument of silu, exactly: the newest input is 1, its weight the
  /// argument.
  void PickSiluArguments() {
    ForChannels([this](int64_t channel, int c) {
      for (int64_t row = 0; row < c_.token_rows(); ++row) X(row, channel) = kOne;
      for (int tap = 0; tap < kConvWidth; ++tap) Weight(channel, tap) = 0.0f;
      Weight(channel, kConvWidth - 1) = arith::FromBits(kSiluArguments[c % kSiluArguments.size()]);
      ClearBias(channel);
    });
  }

  /// Subnormal sums of the convolution, and quotients that flush.
  void ShrinkConvolution() {
    ForChannels([this](int64_t channel, int) {
      for (int64_t row = 0; row < c_.token_rows(); ++row) Scale(0x1p-120f, &X(row, channel));
      for (int tap = 0; tap < kConvWidth; ++tap) Weight(channel, tap) *= 0x1p-8f;
      ScaleHistory(channel, 0x1p-120f);
      ClearBias(channel);
    });
  }

  /// Sigmoids of the gate below the normal range.
  void CloseGate() {
    inputs_.At(Role::kInput, "a_log").view<float>()[head_] = 0.0f;
    const auto dt_bias = inputs_.At(Role::kInput, "dt_bias").view<float>();
    std::ranges::fill(dt_bias.subspan(head_ * kHeadDim, kHeadDim), -88.0f);
  }

  /// Outputs of the recurrence whose squares are subnormal: where half of the smallest number is
  /// lost of a product, fused and rounded ones part. In even slots 64 outputs are equal and the
  /// others 0: many products ss/128 are such ties (3.10). Slots differ in scale, so that some meet
  /// them. The correction is 0, since beta is.
  void ShrinkState() {
    constexpr int64_t kPage = int64_t{kHeadDim} * kHeadDim;
    Tensor& state = inputs_.At(Role::kInput, "state");
    for (int64_t slot = 0; slot < state.spec.shape[0]; ++slot) {
      const auto page = state.view<float>().subspan((slot * c_.heads + head_) * kPage, kPage);
      const float factor = std::ldexp(0x1p-51f, -static_cast<int>(slot % 10));
      for (float& x : page) x *= factor;
      if (slot % 2 == 1) continue;
      for (int64_t i = kHeadDim; i < kPage; ++i) {
        page[i] = i < kPage / 2 ? page[i % kHeadDim] : 0.0f;
      }
    }
    const auto beta = inputs_.At(Role::kInput, "beta").view<uint16_t>();
    for (int64_t row = 0; row < c_.token_rows(); ++row) beta[row * c_.heads + head_] = kMinus200;
  }

 private:
  /// visit(channel of all three parts, channel of the head).
  template <typename Visit>
  void ForChannels(const Visit& visit) {
    for (int64_t part = 0; part < 3; ++part) {
      for (int c = 0; c < kHeadDim; ++c) visit(part * c_.dim() + head_ * kHeadDim + c, c);
    }
  }
  uint16_t& X(int64_t row, int64_t channel) {
    return inputs_.At(Role::kInput, "x").view<uint16_t>()[row * 3 * c_.dim() + channel];
  }
  float& Weight(int64_t channel, int tap) {
    const int64_t part = channel / c_.dim();
    return inputs_.At(Role::kInput, "weights")
        .view<float>()[(part * kConvWidth + tap) * c_.dim() + channel % c_.dim()];
  }
  void ClearBias(int64_t channel) {
    if (c_.has_bias) inputs_.At(Role::kInput, "bias").view<float>()[channel] = 0.0f;
  }
  static void Scale(float factor, uint16_t* x) {
    *x = arith::RoundToBf16(arith::Mul(arith::Widen(*x), factor));
  }
  void ScaleHistory(int64_t channel, float factor) {
    Tensor& state = inputs_.At(Role::kInput, "conv_state");
    const bool inner = c_.conv_layout == ConvLayout::kChannelInner;
    for (int64_t slot = 0; slot < state.spec.shape[0]; ++slot) {
      for (int64_t p = 0; p < c_.window; ++p) {
        const int64_t i = inner ? (slot * c_.window + p) * 3 * c_.dim() + channel
                                : (slot * 3 * c_.dim() + channel) * c_.window + p;
        if (c_.conv_type == ConvType::kF32) {
          state.view<float>()[i] *= factor;
        } else {
          Scale(factor, &state.view<uint16_t>()[i]);
        }
      }
    }
  }

  const Config& c_;
  TensorSet& inputs_;
  const int64_t head_;
};

}  // namespace

std::vector<Settings> DiscriminatingConfigs() {
  return {
      {{"tokens", "2"}, {"requests", "2"}, {"heads", "5"}, {"accepted", "full"}},
      {{"tokens", "1"}, {"requests", "2"}, {"heads", "5"}, {"gate_mode", "1"}},
      {{"tokens", "2"},
       {"requests", "2"},
       {"heads", "5"},
       {"record", "1"},
       {"accepted", "full"},
       {"bias", "1"}},
      {{"tokens", "2"}, {"requests", "1"}, {"heads", "2"}, {"lower_bound", "-100"}},
      {{"tokens", "1"}, {"requests", "8"}, {"heads", "5"}, {"eps", "4e-45"}},
  };
}

void Discriminate(const Config& config, TensorSet* inputs) {
  for (int h = 0; h < config.heads; ++h) {
    Head head(config, inputs, h);
    switch (h % 5) {
      case 1:
        head.PickSiluArguments();
        break;
      case 2:
        head.ShrinkConvolution();
        break;
      case 3:
        head.CloseGate();
        break;
      case 4:
        head.ShrinkState();
        break;
      default:  // realistic
        break;
    }
  }
}

}  // namespace samebits::kda_decode
