// The operands of one K1 launch as pointers and strides (SPEC.md section 2.1), for whichever
// machine the addresses belong to. Plain data: passed to GPU kernels by value. Scratch, epoch and
// tags are the launcher's: no result depends on them.
#ifndef SAMEBITS_MODEL_KDA_PRE_OPERANDS_H_
#define SAMEBITS_MODEL_KDA_PRE_OPERANDS_H_

#include <cstdint>
#include <span>

#include "model/kda_pre/config.h"

namespace samebits::kda_pre {

/// Strides count elements; what has none is dense. Token row t = request * L + token.
struct Operands {
  uint16_t* prefix;         // bf16 [S][7168]; written if there is a delta
  const uint16_t* delta;    // bf16 [S][7168] with Delta::kMemory, else null
  const float* delta_lds;   // f32 [S][7168] with Delta::kLds, else null
  uint16_t* blocks;         // bf16 [S][block_slots][7168]; block write_idx is written
  int64_t blocks_token;     // blk_sm
  int64_t blocks_block;     // blk_sr
  const uint16_t* ares_nw;  // bf16 [7168]
  const uint16_t* ares_qk;  // bf16 [7168]
  const uint16_t* in_nw;    // bf16 [7168]
  const uint16_t* w_in;     // bf16 [6288][7168]
  const uint16_t* w_fb;     // bf16 [1536][128]
  const float* conv_w;      // [4608][4]; tap 0 is the oldest
  uint16_t* conv_state;     // bf16 [slots], channels and positions by the strides
  int64_t conv_slot;        // cs_seq
  int64_t conv_channel;     // cs_dim
  int64_t conv_position;    // cs_tok
  const float* a_log;       // [12]
  const float* dt_bias;     // [1536]
  const uint16_t* on_w;     // bf16 [128]
  float* rstate;            // [slots][12][128 value][128 key]
  int64_t rstate_slot;      // rs_seq
  const int32_t* st_idx;    // [R][L]
  int64_t st_idx_request;   // st_stride
  const int32_t* num_acc;   // [R]
  uint16_t* core_out;       // bf16 [S][1536]
};

/// Every hand-off and what explains it, dense, float32 but for x; null without taps. Of the last
/// step. Channels of heads are h*128 + d.
struct Taps {
  float* part;         // PART [56 slices][S][NS][2: squares, qk]                          (4.2)
  float* logit;        // [S][NS]                                                          (4.3)
  float* weight;       // WGT [S][NS + 1]: e of every source, then den                     (4.3)
  float* mixed;        // [S][7168]                                                        (4.4)
  float* msq;          // MSQ [56 slices][S]                                               (4.4)
  uint16_t* x;         // x, bf16 [S][7168]                                                (4.4)
  float* proj;         // PROJ [S][6288]                                                   (4.5)
  float* qk;           // QK [R][12][L][2: q, k][128], after SiLU                          (4.7)
  float* v;            // [R][12][L][128]                                                  (4.7)
  float* beta;         // [S][12]                                                          (4.8)
  float* gate_raw;     // [S][1536]: f_b's output, rounded, before the bias                (4.8)
  float* decay;        // [S][1536]                                                        (4.8)
  float* qkn;          // [S][12][2: q, k][128], normalised                                (4.9)
  float* dot;          // p [S][12][128 value]                                            (4.10)
  float* correction;   // vn [S][12][128 value]                                           (4.10)
  float* state_after;  // S after every token [S][12][128 value][128 key]                 (4.10)
  float* out_raw;      // o [S][12][128 value]; +0 where the recurrence is dead            (4.10)
  float* onrm;         // ONRM [R][12][L][8 chunks]                                       (4.11)
};

/// Resolves the plan of plan.h for `config` to pointers; addresses[i] belongs to allocation i.
/// The plan may be the one with taps or the one without.
Operands MakeOperands(const Config& config, std::span<void* const> addresses);
/// With `taps` false every pointer is null.
Taps MakeTaps(const Config& config, bool taps, std::span<void* const> addresses);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_OPERANDS_H_
