// The configuration of one K1 launch (SPEC.md sections 2.2 to 2.4, 3). Shared by the model and the
// GPU code.
#ifndef SAMEBITS_MODEL_KDA_PRE_CONFIG_H_
#define SAMEBITS_MODEL_KDA_PRE_CONFIG_H_

#include <cstdint>

namespace samebits::kda_pre {

// Shapes of the layer and of the sums, fixed by the kernel (SPEC.md section 3).
inline constexpr int kHidden = 7168;
inline constexpr int kSliceColumns = 128;                    // COLS: columns of a slice
inline constexpr int kSlices = kHidden / kSliceColumns;      // NA = 56
inline constexpr int kSliceGroups = 8;                       // partials of slices meet in 8 groups
inline constexpr int kGroupSlices = kSlices / kSliceGroups;  // GSL = 7
inline constexpr int kHeadDim = 128;                         // HD: keys and values of a head
inline constexpr int kHeads = 12;                            // NH
inline constexpr int kProjection = kHeads * kHeadDim;        // PROJ = 1536
inline constexpr int kConvChannels = 3 * kProjection;        // QKV = 4608: q | k | v, h*128 + d
inline constexpr int kGateRow = kConvChannels;               // G2_0: rows of the output gate
inline constexpr int kRankRow = 4 * kProjection;             // FA_0 = 6144: rows of f_a
inline constexpr int kBetaRow = kRankRow + kHeadDim;         // BETA_0 = 6272
inline constexpr int kInProjRows = 6288;                     // NPROJ; the last 4 rows are zeros
inline constexpr int kUsedRows = kBetaRow + kHeads;          // 6284
inline constexpr int kChunkColumns = 128;                    // KCH: columns of a chunk of in_proj
inline constexpr int kChunks = kHidden / kChunkColumns;      // NKCH = 56
inline constexpr int kWaves = 8;                             // chunks w, w + 8, ... are wave w's
inline constexpr int kMatrixStep = 32;                       // slots of one MFMA32
inline constexpr int kValueChunk = 16;                       // VCH: state rows of a task
inline constexpr int kValueChunks = kHeadDim / kValueChunk;  // NVCH = 8
inline constexpr int kConvWidth = 4;                         // taps, the new input included
inline constexpr int kModelBlockSlots = 8;                   // stored blocks per token in the model

// Limits of the mapping (SPEC.md section 2.2). A device takes less: LDS allows S <= 10 on gfx950.
inline constexpr int kMaxTokenRows = 16;    // S
inline constexpr int kMaxSources = 32;      // NS
inline constexpr int kMaxSourceRows = 304;  // S * NS
inline constexpr int kMaxWeights = 512;     // S * (NS + 1)
inline constexpr int kMaxStateLength = 1024;
inline constexpr int kMaxSteps = 8;
inline constexpr int kTagSlots = 256;

/// Where the addend of the prefix comes from (SPEC.md section 2.4).
enum class Delta : uint8_t {
  kNone,    // prefix is read only
  kMemory,  // bf16 operand `delta`
  kLds,     // float32 operand `delta` whose values are bf16 values (K2's seam, not K1's launcher)
};
enum class ConvLayout : uint8_t {
  kDimFirst,      // "ds": [slots][4608][SL]
  kChannelInner,  // "sd": [slots][SL][4608]
};
/// Padded requests: every entry of their row of st_idx is 0 or negative (section 2.3).
enum class Padding : uint8_t { kNone, kFirst, kLast, kAlternate, kAll };
enum class Accepted : uint8_t { kOne, kFull, kMixed };  // num_acc: 1, L, or 1..L in turn
/// Slots of requests that are not padded; a = num_acc - 1 (section 2.3, E-8 to E-10).
enum class Targets : uint8_t {
  kDistinct,   // every token has a slot of its own; the initial state is token a's slot
  kSource,     // the last token's target is the source slot too, or the first's if that is current
  kRepeated,   // all tokens share one slot: the last one wins
  kNull,       // targets that are neither the source nor the convolution's slot are 0 or negative
  kDeadState,  // token a's entry is 0: convolution live, recurrence dead (needs a > 0)
  kDeadConv,   // the first entry is 0: recurrence live, convolution not stored (needs a > 0)
};
/// Strides beyond the dense ones: slots of both caches, rows of st_idx, tokens and blocks of
/// `blocks`.
enum class Pages : uint8_t { kDense, kGapped };

struct Config {
  int tokens = 1;    // L: tokens per request
  int requests = 1;  // R, padded ones included
  int nblocks = 1;   // NB: stored blocks among the sources; the prefix is source NB
  Delta delta = Delta::kMemory;
  bool reset = false;  // prefix = addend, the old prefix is ignored (needs delta)
  int write_idx = -1;  // block that receives the new prefix: -1 or at least NB
  ConvLayout conv_layout = ConvLayout::kDimFirst;
  int state_len = 3;  // SL: entries per channel of conv_state, at least L + 2
  Padding padding = Padding::kNone;
  Accepted accepted = Accepted::kOne;
  Targets targets = Targets::kDistinct;
  Pages pages = Pages::kDense;
  // How it is launched; none of these changes a bit of a step.
  int steps = 1;  // launches one after the other on the same memory and the same scratch, the epoch
                  // bumped before each: what is updated in place (prefix, blocks, conv_state,
                  // rstate) is input of the next. Taps and core_out are the last step's.
  int64_t epoch = 1;        // of the first step (section 6.1)
  int layer = 0;            // tag slot
  int kda0 = 0;             // CTA of the first KDA task
  float eps = 1e-5f;        // AttnRes norm, 0x3727C5AC
  float out_eps = 1e-5f;    // input RMSNorm
  float onorm_eps = 1e-5f;  // gated RMSNorm
  float lower_bound = -5.0f;

  int token_rows() const { return requests * tokens; }  // S; row t = request * L + token
  int sources() const { return nblocks + 1; }           // NS
  int block_slots() const {                             // blocks stored per token
    const int needed = nblocks > write_idx ? nblocks : write_idx + 1;
    return needed > kModelBlockSlots ? needed : kModelBlockSlots;
  }
  bool updates_prefix() const { return delta != Delta::kNone; }
  bool updates_blocks() const { return write_idx >= 0; }
  /// Throws ConfigError (model/contract.h) that names the field.
  void validate() const;
};

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_CONFIG_H_
