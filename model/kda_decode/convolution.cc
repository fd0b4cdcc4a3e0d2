// Causal convolution of width 4, SiLU and the new window (SPEC.md 2.3, 3.2, 5).
#include <bit>
#include <cstring>

#include "model/arith/bfloat16.h"
#include "model/kda_decode/record.h"
#include "model/kda_decode/settle.h"
#include "model/kda_decode/stages.h"
#include "model/order/evaluate.h"

namespace samebits::kda_decode {
namespace {

constexpr int kHistory = kConvWidth - 1;

/// conv_state[slot][...] of one part and head, elements of type T: channel c at position p.
template <typename T>
class ConvState {
 public:
  ConvState(const Launch& launch, const Place& place, int part)
      : position_stride_(
            launch.config.conv_layout == ConvLayout::kChannelInner ? 3 * launch.config.dim() : 1),
        channel_stride_(
            launch.config.conv_layout == ConvLayout::kChannelInner ? 1 : launch.config.window),
        first_(static_cast<T*>(launch.operands.conv_state) +
               place.conv_slot * launch.operands.conv_slot_stride +
               (part * launch.config.dim() + place.channel()) * channel_stride_) {}

  /// function(c, element) for the channels at a position; simple loops, which compilers vectorise.
  template <typename Function>
  void ForChannels(int position, const Function& function) const {
    T* const row = first_ + position * position_stride_;
    if (channel_stride_ == 1) {
      for (int c = 0; c < kHeadDim; ++c) function(c, row[c]);
    } else {
      for (int c = 0; c < kHeadDim; ++c) function(c, row[c * channel_stride_]);
    }
  }

 private:
  const int64_t position_stride_, channel_stride_;
  T* const first_;
};

float Value(uint16_t bits) { return arith::Widen(bits); }
float Value(uint32_t bits) { return std::bit_cast<float>(bits); }

/// x enters as bf16; an f32 state holds it widened.
template <typename T>
T StateBits(uint16_t x) {
  if constexpr (sizeof(T) == 2) return x;
  return std::bit_cast<uint32_t>(arith::Widen(x));
}

const uint16_t* NewInput(const Launch& launch, const Place& place, int part, int token) {
  const int64_t row = int64_t{place.request} * launch.config.tokens + token;
  return launch.operands.x + row * launch.operands.x_stride + part * launch.config.dim() +
         place.channel();
}

/// z = history at positions off, off+1, off+2, then the new inputs.
template <typename T>
void Load(const Launch& launch, const Place& place, int part, Item* item) {
  const ConvState<T> state(launch, place, part);
  for (int i = 0; i < kHistory; ++i) {
    uint32_t* const history = item->history_bits[part][i];
    float* const window = item->window[part][i];
    state.ForChannels(place.offset + i, [=](int c, T bits) {
      history[c] = bits;
      window[c] = Value(bits);
    });
  }
  for (int t = 0; t < launch.config.tokens; ++t) {
    const uint16_t* x = NewInput(launch, place, part, t);
    for (int c = 0; c < kHeadDim; ++c) item->window[part][kHistory + t][c] = arith::Widen(x[c]);
  }
}

/// Positions 0 .. T+1 become the last two history entries, with their bits, and the new inputs.
template <typename T>
void StoreWindow(const Launch& launch, const Place& place, int part, const Item& item) {
  const ConvState<T> state(launch, place, part);
  for (int i = 1; i < kHistory; ++i) {
    const uint32_t* const history = item.history_bits[part][i];
    state.ForChannels(i - 1, [=](int c, T& element) { element = static_cast<T>(history[c]); });
  }
  for (int t = 0; t < launch.config.tokens; ++t) {
    const uint16_t* x = NewInput(launch, place, part, t);
    state.ForChannels(kHistory - 1 + t, [=](int c, T& element) { element = StateBits<T>(x[c]); });
  }
}

void Accumulate(const Launch& launch, const Place& place, int part, Item* item) {
  const int64_t d = launch.config.dim();
  Channels start = {};
  if (launch.config.has_bias) {
    std::memcpy(start, launch.operands.bias + part * d + place.channel(), sizeof(start));
  }
  for (int t = 0; t < launch.config.tokens; ++t) {
    const order::Columns products = {
        .a = item->window[part][t],
        .a_stride = kHeadDim,
        .b = launch.operands.weights + part * kConvWidth * d + place.channel(),
        .b_stride = static_cast<size_t>(d),
        .broadcast = false,
        .start = start};
    launch.math.SumColumns(launch.trees.convolution, products, item->conv_acc[part][t]);
  }
}

template <typename T>
void ConvolveAs(const Launch& launch, const Place& place, Item* item) {
  const Taps& taps = launch.taps;
  const Taps& given = launch.given.taps;
  for (int part = 0; part < 3; ++part) {
    Load<T>(launch, place, part, item);
    Accumulate(launch, place, part, item);
    SettleChannels(launch, place, {taps.conv_acc[part], given.conv_acc[part]},
                   item->conv_acc[part]);
    const Out conv = AllTokens(launch, item->conv[part]);
    launch.math.Silu(AllTokens(launch, item->conv_acc[part]), conv);
    launch.math.RoundToBf16(launch.choices.silu_rounding, conv, conv);
    SettleChannels(launch, place, {taps.conv[part], given.conv[part]}, item->conv[part]);
    if (part == 1) TakeRecordedKeys(launch, place, item->conv[part]);
    StoreWindow<T>(launch, place, part, *item);
  }
}

}  // namespace

void Convolve(const Launch& launch, const Place& place, Item* item) {
  if (launch.config.conv_type == ConvType::kBf16) {
    ConvolveAs<uint16_t>(launch, place, item);
  } else {
    ConvolveAs<uint32_t>(launch, place, item);
  }
}

}  // namespace samebits::kda_decode
