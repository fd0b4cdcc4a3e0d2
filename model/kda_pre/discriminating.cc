#include "model/kda_pre/discriminating.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "model/arith/bfloat16.h"
#include "model/kda_pre/constants.h"

namespace samebits::kda_pre {
namespace {

constexpr uint16_t kNan = 0x7FC0;
/// Its exponential lies so near a tie that the portable one, in float64, rounds to the other side.
constexpr uint32_t kNearTie = 0xBCA8E497;
constexpr uint16_t kOne = 0x3F80;

/// A head whose variance ss/128 + onorm_eps (4.11) rounds to another number where the product is
/// not rounded first, and whose result shows it in bf16. ss/128 is inexact below 2^-126 alone:
/// outputs 2^-71 and 2^-72 make it 1.25 * 2^-149. From 2^-125 on epsilons and sums are multiples of
/// 2^-148: 1 is a tie, which goes down, and 1.25 is none. Outputs of about 2^-80, which add nothing
/// to ss, with these weights and an output gate of 1/2 give results on either side of a tie of bf16
/// under the two reciprocal roots of this epsilon. A few pairs of bf16 numbers do; these were found
/// by trying all of them for epsilons of three digits.
constexpr int kTieHead = 10;
constexpr const char* kTieEps = "3.72e-38";
struct TieOutput {
  float output, weight;
};
constexpr std::array<TieOutput, 6> kTieOutputs = {{{0x1.0ap-80f, 0x1.b8p0f},
                                                   {0x1.18p-80f, 0x1.a2p0f},
                                                   {0x1.34p-80f, 0x1.7cp0f},
                                                   {0x1.7cp-80f, 0x1.34p0f},
                                                   {0x1.a2p-80f, 0x1.18p0f},
                                                   {0x1.b8p-80f, 0x1.0ap0f}}};

uint16_t Scaled(uint16_t x, float factor) {
  return arith::RoundToBf16(arith::Mul(arith::Widen(x), factor));
}

/// Rows of a tensor whose first dimension is the token row.
void ScaleRows(Tensor* tensor, int64_t first, int64_t count, float factor) {
  const int64_t inner = tensor->spec.elements() / tensor->spec.shape[0];
  if (tensor->spec.dtype == DType::kBf16) {
    for (uint16_t& x : tensor->view<uint16_t>().subspan(first * inner, count * inner)) {
      x = Scaled(x, factor);
    }
    return;
  }
  for (float& x : tensor->view<float>().subspan(first * inner, count * inner)) x *= factor;
}

void ShrinkSources(const Config& config, int request, TensorSet* inputs) {
  for (const char* name : {"prefix", "delta", "blocks"}) {
    Tensor* tensor = inputs->Find(Role::kInput, name);
    if (tensor == nullptr) continue;
    ScaleRows(tensor, int64_t{request} * config.tokens, config.tokens, 0x1p-70f);
  }
}

/// Token rows whose sums over slices depend on the order of the slices by several ulps. 1, 5, 9,
/// ...: all slices are equal, so that each addition to a sum of many rounds the same way. 3, 7, 11,
/// ...: one slice in eight is large, so that what the others add is lost in part.
void ShapeSlices(const Config& config, TensorSet* inputs) {
  for (const char* name : {"prefix", "delta", "blocks"}) {
    Tensor* tensor = inputs->Find(Role::kInput, name);
    if (tensor == nullptr || tensor->spec.dtype != DType::kBf16) continue;
    const int64_t lines = tensor->spec.elements() / kHidden;
    for (int64_t line = 0; line < lines; ++line) {
      const int64_t row = line / (lines / config.token_rows());
      if (row % 2 == 0) continue;
      const auto values = tensor->view<uint16_t>().subspan(line * kHidden, kHidden);
      for (int column = 0; column < kHidden; ++column) {
        if (row % 8 == 1) {
          values[column] = values[column % kSliceColumns];
        } else if (column < kSliceColumns) {
          values[column] = Scaled(values[column], 0x1p12f);
        }
      }
    }
  }
}

/// One element of the last token's first source: its logit is NaN, the others' are not.
void SpoilSource(TensorSet* inputs) {
  Tensor& blocks = inputs->At(Role::kInput, "blocks");
  const int64_t rows = blocks.spec.shape[0];
  blocks.view<uint16_t>()[(rows - 1) * blocks.spec.elements() / rows] = kNan;
}

/// Values and states of a head so small that the squares of its outputs are subnormal.
void ShrinkHead(int head, float factor, TensorSet* inputs) {
  const auto weights = inputs->At(Role::kInput, "conv_w").view<float>();
  const int64_t first = (2 * kProjection + int64_t{head} * kHeadDim) * kConvWidth;
  for (float& w : weights.subspan(first, int64_t{kHeadDim} * kConvWidth)) w *= factor;
  Tensor& state = inputs->At(Role::kInput, "rstate");
  constexpr int64_t kPage = int64_t{kHeadDim} * kHeadDim;
  for (int64_t slot = 0; slot < state.spec.shape[0]; ++slot) {
    for (float& s : state.view<float>().subspan((slot * kHeads + head) * kPage, kPage)) s *= factor;
  }
}

/// Sigmoids of the gate near 1: decays near exp(lower_bound).
void OpenGate(int head, TensorSet* inputs) {
  inputs->At(Role::kInput, "a_log").view<float>()[head] = 0.0f;
  const auto dt_bias = inputs->At(Role::kInput, "dt_bias").view<float>();
  std::ranges::fill(dt_bias.subspan(int64_t{head} * kHeadDim, kHeadDim), 4.0f);
}

/// The inputs that the convolution remembers.
class History {
 public:
  History(const Config& config, TensorSet* inputs)
      : config_(config), tensor_(inputs->At(Role::kInput, "conv_state")) {}

  int64_t slots() const { return tensor_.spec.shape[0]; }
  uint16_t& At(int64_t slot, int64_t channel, int64_t position) const {
    const auto values = tensor_.view<uint16_t>();
    return config_.conv_layout == ConvLayout::kDimFirst
               ? values[(slot * kConvChannels + channel) * config_.state_len + position]
               : values[(slot * config_.state_len + position) * kConvChannels + channel];
  }

 private:
  const Config& config_;
  Tensor& tensor_;
};

/// The first token's convolution of a head is a difference of two nearly equal products: what is
/// lost of the first shows.
void CancelConvolution(const Config& config, int head, TensorSet* inputs) {
  const auto weights = inputs->At(Role::kInput, "conv_w").view<float>();
  const History history(config, inputs);
  for (int part = 0; part < 3; ++part) {
    for (int d = 0; d < kHeadDim; ++d) {
      const int64_t channel = int64_t{part} * kProjection + head * kHeadDim + d;
      float* taps = weights.data() + channel * kConvWidth;
      taps[1] = arith::Mul(taps[0], -1.0f - 0x1p-20f);
      taps[2] = taps[3] = 0.0f;
      for (int64_t slot = 0; slot < history.slots(); ++slot) {
        for (int64_t position = 1; position < config.state_len; ++position) {
          history.At(slot, channel, position) = history.At(slot, channel, 0);
        }
      }
    }
  }
}

/// q, k or v (part 0, 1, 2) of a head is SiLU of the arguments, and 0 beyond them: the convolution
/// remembers inputs of 1, which the arguments weigh.
void SetConvolution(const Config& config, int head, int part, std::span<const float> arguments,
                    TensorSet* inputs) {
  const auto weights = inputs->At(Role::kInput, "conv_w").view<float>();
  const History history(config, inputs);
  const int64_t first = int64_t{part} * kProjection + head * kHeadDim;
  std::ranges::fill(weights.subspan(first * kConvWidth, kHeadDim * kConvWidth), 0.0f);
  for (size_t d = 0; d < arguments.size(); ++d) {
    weights[(first + d) * kConvWidth] = arguments[d];
    for (int64_t slot = 0; slot < history.slots(); ++slot) {
      for (int64_t i = 0; i < config.state_len; ++i) history.At(slot, first + d, i) = kOne;
    }
  }
}

/// Channels of q and k whose squares sum to a tie of the addition of 1e-6, or to a little more
/// where squares are not rounded (4.9, T14). What the rounding of the first square takes away is
/// below 2^-149: it decides a tie, whose ulp decides the next tie, and so on up through the halves
/// of the lanes. 0 and 64: (65 * 2^-80)^2 is 2.06 * 2^-149, 2^-124 has ulps of 4 * 2^-149. Lanes
/// 32, 16, 8 and 4: each sum so far is half an ulp of the next square. 1, 2 and 65: with the square
/// of 4 they are 1.5 ulps of 1e-6 beyond an even number of them, and 1e-6 is odd.
struct Channel {
  int channel;
  float value;
};
constexpr int kCascadeHead = 9;
constexpr std::array<Channel, 9> kCascade = {{{0, 65 * 0x1p-80f},
                                              {64, 0x1p-62f},
                                              {32, 0x1p-50f},
                                              {16, 0x1p-38f},
                                              {8, 0x1p-26f},
                                              {4, 0x1p-14f},
                                              {2, 0x1p-22f},
                                              {1, 0x1p-22f},
                                              {65, 0x1p-22f}}};

void CascadeSquares(const Config& config, TensorSet* inputs) {
  std::array<float, kHeadDim> arguments = {};
  for (const Channel& c : kCascade) arguments[c.channel] = 2 * c.value;  // SiLU of these: half
  for (int part = 0; part < 2; ++part) {
    SetConvolution(config, kCascadeHead, part, arguments, inputs);
  }
}

/// The states of a head hold `outputs` under key 0, which q picks, and k changes nothing.
void SetOutputs(int head, std::span<const float> outputs, TensorSet* inputs) {
  Tensor& state = inputs->At(Role::kInput, "rstate");
  constexpr int64_t kPage = int64_t{kHeadDim} * kHeadDim;
  for (int64_t slot = 0; slot < state.spec.shape[0]; ++slot) {
    const auto page = state.view<float>().subspan((slot * kHeads + head) * kPage, kPage);
    std::ranges::fill(page, 0.0f);
    // The rounding to bf16 takes the inexactness of the quotient away.
    for (int v = 0; v < kHeadDim; ++v) page[v * kHeadDim] = outputs[v] / kQueryScale;
  }
}

/// No decay, output gate 1/2.
void CloseGates(int head, TensorSet* inputs) {
  const int64_t first = int64_t{head} * kHeadDim;
  const auto dt_bias = inputs->At(Role::kInput, "dt_bias").view<float>();
  std::ranges::fill(dt_bias.subspan(first, kHeadDim), -1e30f);
  const auto w_in = inputs->At(Role::kInput, "w_in").view<uint16_t>();
  std::ranges::fill(w_in.subspan((kGateRow + first) * kHidden, int64_t{kHeadDim} * kHidden),
                    uint16_t{0});
}

void TieVariance(const Config& config, TensorSet* inputs) {
  std::array<float, kHeadDim> outputs = {0x1p-71f, 0x1p-72f};
  const auto weights = inputs->At(Role::kInput, "on_w").view<uint16_t>();
  for (size_t i = 0; i < kTieOutputs.size(); ++i) {
    outputs[2 + i] = kTieOutputs[i].output;
    weights[2 + i] = arith::RoundToBf16(kTieOutputs[i].weight);
  }
  SetConvolution(config, kTieHead, 0, std::array{64.0f}, inputs);  // q is 64 in channel 0
  for (int part = 1; part < 3; ++part) SetConvolution(config, kTieHead, part, {}, inputs);
  CloseGates(kTieHead, inputs);
  SetOutputs(kTieHead, outputs, inputs);
}

}  // namespace

std::vector<Settings> DiscriminatingConfigs() {
  // Half an ulp of the variances that realistic inputs have is in these epsilons, so that a rounded
  // product and an unrounded one often part.
  return {
      {{"tokens", "8"},
       {"requests", "2"},
       {"nblocks", "7"},
       {"accepted", "full"},
       {"eps", "9.95398e-06"},
       {"out_eps", "1.00061e-05"}},
      // Rows enough for an ulp of the sum of squares to round some bf16 result the other way.
      {{"tokens", "1"},
       {"requests", "16"},
       {"nblocks", "1"},
       {"eps", "4e-45"},
       {"out_eps", "4e-45"},
       {"onorm_eps", "4e-45"},
       {"lower_bound", "-100"}},
      {{"tokens", "1"}, {"requests", "1"}, {"nblocks", "1"}, {"onorm_eps", kTieEps}},
  };
}

void Discriminate(const Config& config, TensorSet* inputs) {
  ShapeSlices(config, inputs);
  if (config.token_rows() > 1) SpoilSource(inputs);
  if (config.requests > 2) ShrinkSources(config, config.requests - 2, inputs);
  inputs->At(Role::kInput, "a_log").view<float>()[0] = arith::FromBits(kNearTie);
  for (int head = 1; head < kTieHead; head += 3) {
    ShrinkHead(head, std::ldexp(0x1p-66f, -2 * (head / 3)), inputs);
    OpenGate(head + 1, inputs);
    if (head + 2 != kCascadeHead) CancelConvolution(config, head + 2, inputs);
  }
  CascadeSquares(config, inputs);
  OpenGate(kTieHead + 1, inputs);
  TieVariance(config, inputs);
}

}  // namespace samebits::kda_pre
