#include "model/kda_pre/discriminating.h"

#include <algorithm>
#include <cmath>

#include "model/arith/bfloat16.h"

namespace samebits::kda_pre {
namespace {

constexpr uint16_t kNan = 0x7FC0;
/// Its exponential lies so near a tie that the portable one, in float64, rounds to the other side.
constexpr uint32_t kNearTie = 0xBCA8E497;

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

/// The first token's convolution of a head is a difference of two nearly equal products: what is
/// lost of the first shows.
void CancelConvolution(const Config& config, int head, TensorSet* inputs) {
  const auto weights = inputs->At(Role::kInput, "conv_w").view<float>();
  Tensor& state = inputs->At(Role::kInput, "conv_state");
  const auto history = state.view<uint16_t>();
  const bool dim_first = config.conv_layout == ConvLayout::kDimFirst;
  for (int part = 0; part < 3; ++part) {
    for (int d = 0; d < kHeadDim; ++d) {
      const int64_t channel = int64_t{part} * kProjection + head * kHeadDim + d;
      float* taps = weights.data() + channel * kConvWidth;
      taps[1] = arith::Mul(taps[0], -1.0f - 0x1p-20f);
      taps[2] = taps[3] = 0.0f;
      for (int64_t slot = 0; slot < state.spec.shape[0]; ++slot) {
        const auto at = [&](int64_t position) -> uint16_t& {
          return dim_first
                     ? history[(slot * kConvChannels + channel) * config.state_len + position]
                     : history[(slot * config.state_len + position) * kConvChannels + channel];
        };
        for (int64_t position = 1; position < config.state_len; ++position) at(position) = at(0);
      }
    }
  }
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
  };
}

void Discriminate(const Config& config, TensorSet* inputs) {
  ShapeSlices(config, inputs);
  if (config.token_rows() > 1) SpoilSource(inputs);
  if (config.requests > 2) ShrinkSources(config, config.requests - 2, inputs);
  inputs->At(Role::kInput, "a_log").view<float>()[0] = arith::FromBits(kNearTie);
  for (int head = 1; head < kHeads; head += 3) {
    ShrinkHead(head, std::ldexp(0x1p-66f, -2 * (head / 3)), inputs);
    OpenGate(head + 1, inputs);
    if (head + 2 < kHeads) CancelConvolution(config, head + 2, inputs);
  }
}

}  // namespace samebits::kda_pre
