// The operands of one KdaWS launch as pointers and strides (SPEC.md section 2.1), for whichever
// machine the addresses belong to. Plain data: passed to GPU kernels by value.
#ifndef SAMEBITS_MODEL_KDA_DECODE_OPERANDS_H_
#define SAMEBITS_MODEL_KDA_DECODE_OPERANDS_H_

#include <cstdint>
#include <span>

#include "model/kda_decode/config.h"

namespace samebits::kda_decode {

/// Strides count elements. D = heads * 128; token row i = request * T + t.
struct Operands {
  const uint16_t* x;  // bf16 [R*T][3*D]: q | k | v, each head * 128 + c
  int64_t x_stride;
  const float* weights;  // [3][4][D]; weights[part][0] multiplies the oldest tap
  const float* bias;     // [3*D], null without bias
  void* conv_state;      // bf16 or f32, layout Config::conv_layout
  int64_t conv_slot_stride;
  const uint16_t* f_a;  // bf16 [R*T][128]
  int64_t f_a_stride;
  const uint16_t* beta;  // bf16 [R*T][H], logits
  int64_t beta_stride;
  const float* a_log;    // [H]
  const float* dt_bias;  // [D]
  const int32_t* slots;  // [R][slot columns]
  int64_t slots_stride;
  const int32_t* num_accepted;  // [R], null for T == 1
  float* state;                 // [slots][H][128 v][128 k]
  int64_t state_slot_stride;
  const uint16_t* gate;  // bf16 [R*T][D], logits of the output gate
  int64_t gate_stride;
  const float* norm_weight;  // [128]
  const uint16_t* f_b;       // bf16 [D][128]
  float lower_bound, scale, eps;
  uint16_t* output;  // bf16 [R*T][D]
  int64_t output_stride;
  float* correction_record;   // record: [slots][H][T][128]
  uint16_t* key_gate_record;  // record: bf16 [slots][H][T][256]
};

/// Addresses of the intermediates, all null in a launch without taps. Index of a vector tap:
/// ((request * T + t) * H + head) * 128 + channel; of a scalar tap: (request * T + t) * H + head;
/// of `state_after`: vector index of value row v, times 128, plus key. Padded rows stay unwritten.
struct Taps {
  float* conv_acc[3];   // conv.acc.{q,k,v}: accumulator before SiLU                    (3.2)
  float* conv[3];       // conv.{q,k,v}: u = f32(bf(silu(acc)))                         (3.2)
  float* norm_sum[2];   // norm.{q,k}.sum: n = NORM128 + 1e-6, scalar                   (3.3)
  float* norm_inv[2];   // norm.{q,k}.inv: f = RCP(SQRT(n)), scalar                     (3.3)
  float* norm[2];       // norm.{q,k}: qn, kn                                           (3.4)
  float* gate_acc;      // gate.acc: F_B F_A before rounding                            (3.6)
  float* gate_raw;      // gate.raw: rg                                                 (3.6)
  float* gate_arg;      // gate.arg: x2 = A * (rg + dt_bias)                            (3.7)
  float* gate_sigmoid;  // gate.sigmoid: sg                                            (3.7)
  float* decay;         // decay: d                                                    (3.7)
  float* beta;          // beta: sigmoid of the logit, scalar                          (3.5)
  float* dot;           // dot: KEYDOT(S, kn) per value row                            (3.8 b)
  float* correction;    // correction                                                  (3.8 c)
  float* out_acc;       // out.acc: o32                                                (3.8 e)
  float* out_raw;       // out.raw: o = f32(bf(o32))                                   (3.8 e)
  float* state_after;   // state.after: S after the token                              (3.8 d)
  float* out_sum;       // out.sum: ss, scalar                                         (3.9)
  float* out_inv;       // out.inv: rstd, scalar                                       (3.9)
  float* out_gate;      // out.gate: sigmoid of the output gate                        (3.9)
  float* out_scaled;    // out.scaled: y before rounding                               (3.9)
};

/// Resolves the plan of kernel.h for `config` to pointers; addresses[i] belongs to allocation i.
Operands MakeOperands(const Config& config, std::span<void* const> addresses);
/// With `taps` false every pointer is null.
Taps MakeTaps(const Config& config, bool taps, std::span<void* const> addresses);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_OPERANDS_H_
