// The configuration of one KdaWS launch (SPEC.md section 2.2). Shared by the model and the GPU
// code.
#ifndef SAMEBITS_MODEL_KDA_DECODE_CONFIG_H_
#define SAMEBITS_MODEL_KDA_DECODE_CONFIG_H_

#include <cstdint>

namespace samebits::kda_decode {

inline constexpr int kHeadDim = 128;  // K: keys and values of a head
inline constexpr int kMaxTokens = 8;
inline constexpr int kConvWidth = 4;  // taps of the convolution, the new input included
inline constexpr int kMaxRequests = 4096;
inline constexpr int kMaxHeads = 256;
inline constexpr int kMaxWindow = 1024;

enum class ConvLayout : uint8_t {
  kChannelInner,  // "sd": per slot [window][3*D]
  kDimFirst,      // "ds": per slot [3*D][window]
};
enum class ConvType : uint8_t { kBf16, kF32 };

/// How the slots of a case are laid out (SPEC.md section 2.4).
enum class Padding : uint8_t { kNone, kFirst, kLast, kAlternate, kAll };
enum class Accepted : uint8_t { kOne, kFull, kMixed };  // num_accepted: 1, T, or 1..T in turn
/// Which slots the states of the tokens go to. The current token's slot is always the source (s is
/// slots[r][off] = w_off).
enum class Targets : uint8_t {
  kDistinct,  // every token has a slot of its own
  kSource,    // the last token's target is the source slot too, or the first's if that is current
  kRepeated,  // the last two tokens share a target: the last one wins
  kNull,      // targets that are neither the source nor the convolution's slot are 0 or negative
};
enum class Rows : uint8_t { kDense, kPadded, kPacked };  // strides of x, gate, f_a, beta, output
enum class Pages : uint8_t { kDense, kGapped };          // slot strides of state and conv_state

struct Config {
  int tokens = 1;    // T
  int requests = 1;  // R, padded rows included
  int heads = 1;     // H
  bool record = false;
  int gate_mode = 0;  // 0: one chain of 8 MMAs, 1: four chains of 2 (SPEC.md section 3.6)
  bool has_bias = false;
  ConvLayout conv_layout = ConvLayout::kChannelInner;
  ConvType conv_type = ConvType::kBf16;
  int window = 3;  // entries per channel of the convolution state, >= T + 2
  Padding padding = Padding::kNone;
  Accepted accepted = Accepted::kOne;
  Targets targets = Targets::kDistinct;
  Rows rows = Rows::kDense;
  Pages pages = Pages::kDense;
  float lower_bound = -5.0f;
  float scale = 0.088388346f;  // 0x3DB504F3 = RN(128^-0.5)
  float eps = 1e-5f;           // 0x3727C5AC

  int64_t dim() const { return int64_t{heads} * kHeadDim; }          // D
  int64_t token_rows() const { return int64_t{requests} * tokens; }  // R*T
  int64_t items() const { return int64_t{requests} * heads; }
  /// Throws ConfigError (model/contract.h) that names the field.
  void validate() const;
};

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_CONFIG_H_
