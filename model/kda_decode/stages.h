// The stages of one item, one file each. A stage reads what the stages before it left in the item
// and the operands, and writes its own results.
#ifndef SAMEBITS_MODEL_KDA_DECODE_STAGES_H_
#define SAMEBITS_MODEL_KDA_DECODE_STAGES_H_

#include <cstdint>
#include <vector>

#include "model/kda_decode/config.h"
#include "model/kda_decode/contract.h"
#include "model/kda_decode/math.h"
#include "model/kda_decode/operands.h"
#include "model/kda_decode/page.h"
#include "model/kda_decode/raw_gate.h"
#include "model/kda_decode/trees.h"

namespace samebits::kda_decode {

/// Taps and outputs that are taken as given (StageRun in model/kernel.h); null where none is.
struct Given {
  Taps taps = {};
  Operands operands = {};
};

/// One launch; constant while its items run.
struct Launch {
  const Config& config;
  const Choices& choices;
  const Operands& operands;
  const Taps& taps;
  const Given& given;
  const Math& math;
  const Trees& trees;
  const std::vector<RawGate>& raw_gates;  // per head
};

/// One (request, head) pair that is not padded.
struct Place {
  int request = 0, head = 0;
  int offset = 0;         // num_accepted - 1
  int32_t slot = 0;       // s: the state before the first token
  int32_t conv_slot = 0;  // cs: history of the convolution

  int64_t channel(int c = 0) const { return int64_t{head} * kHeadDim + c; }
};

using Channels = float[kHeadDim];

/// Everything that an item computes, named as the taps.
struct alignas(64) Item {
  uint32_t history_bits[3][kConvWidth - 1][kHeadDim];  // as in conv_state
  Channels window[3][kConvWidth - 1 + kMaxTokens];     // z: history, then x
  Channels conv_acc[3][kMaxTokens];
  Channels conv[3][kMaxTokens];                             // u
  Channels norm[2][kMaxTokens];                             // qn, kn
  Channels gate_acc[kMaxTokens], gate_raw[kMaxTokens];      // raw, rg
  Channels gate_arg[kMaxTokens], gate_sigmoid[kMaxTokens];  // x2, sg
  Channels decay[kMaxTokens];                               // d
  float beta[kMaxTokens];
  alignas(64) BlockRow state[kHeadDim];  // [key][value], one block of values after the other
  Channels dot[kMaxTokens], correction[kMaxTokens];
  Channels out_acc[kMaxTokens], out_raw[kMaxTokens];      // o32, o
  Channels out_gate[kMaxTokens], out_scaled[kMaxTokens];  // y
};

/// [tokens][128] as one array: few calls of long arrays are fast.
inline Out AllTokens(const Launch& launch, Channels* values) {
  return {values[0], static_cast<size_t>(launch.config.tokens) * kHeadDim};
}

/// Index of a scalar tap, and of a vector tap divided by 128 (operands.h).
inline int64_t TapIndex(const Config& config, const Place& place, int token) {
  return (int64_t{place.request} * config.tokens + token) * config.heads + place.head;
}

/// Convolution and SiLU: window, conv_acc, conv (3.2); the new window to conv_state (5).
void Convolve(const Launch& launch, const Place& place, Item* item);
/// Normalised q and k: norm_sum, norm_inv, norm (3.3, 3.4).
void Normalise(const Launch& launch, const Place& place, Item* item);
/// Raw gate, decay and beta (3.5, 3.6, 3.7).
void Gate(const Launch& launch, const Place& place, Item* item);
/// The delta rule over all tokens: dot, correction, out_acc, out_raw (3.8); states to their slots,
/// or corrections, keys and raw gates to the records (2.4, 2.5).
void Recur(const Launch& launch, const Place& place, Item* item);
/// Gated RMSNorm: out_sum, out_inv, out_gate, out_scaled, and the output (3.9).
void Finish(const Launch& launch, const Place& place, Item* item);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_STAGES_H_
