// The operands of one case as pointers, for whichever machine the addresses belong to
// (SPEC.md 2.1, 2.2). Plain data: passed to GPU kernels by value.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_OPERANDS_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_OPERANDS_H_

#include <cstdint>
#include <span>

#include "model/shared_expert/config.h"

namespace samebits::shared_expert {

/// Dense, row-major. The rank dimension counts the ranks that run (Config::ranks, rank_of); peers
/// are always all tp. Every row starts at a multiple of 16 bytes, every allocation at one of 256.
struct Operands {
  const uint16_t* x;        // bf16 [steps][B][width], the same for all ranks
  const uint16_t* gate_up;  // bf16 [ranks][2 * hidden][width]: gate rows, then up rows
  const uint16_t* down;     // bf16 [ranks][width][hidden]
  const uint16_t* front;    // FRONT: bf16 [ranks][front.rows][width], else null
  int32_t* counters;        // FUSED: [ranks][kCounters], zero before the first step and after every
                            // launch (6.6), else null
  /// RS mailboxes (4.7): peer p's starts at mailbox + p * mailbox_stride elements and is bf16
  /// [2 parities][tp sources][capacity][shard]. Full of kSentinel before the first step.
  uint16_t* mailbox;
  int64_t mailbox_stride;
  /// FRONT, else null (4.8): peer p's front mailbox starts at front_mailbox + p *
  /// front_mailbox_stride elements and has B rows of front.pitch bf16 elements: latent columns,
  /// then float32 logits. What a rank publishes goes to all peers alike. Full of kSentinel before
  /// the first step; steps overwrite each other.
  uint16_t* front_mailbox;
  int64_t front_mailbox_stride;
  uint16_t* h;        // bf16 [ranks][B][hidden], steps overwrite each other
  uint16_t* reduced;  // consumer: bf16 [steps][B][width], else null

  uint16_t* peer(int p) const { return mailbox + p * mailbox_stride; }
  uint16_t* front_peer(int p) const { return front_mailbox + p * front_mailbox_stride; }
};

/// Addresses of the intermediates, all null without taps; dense, row-major. i is the index of the
/// rank, m the tile (front tiles follow gate tiles), c the CTA in the cluster, r the row in the
/// tile, t the token. [..] stands for [steps][ranks].
struct Taps {
  float* part;             // [..][tiles][ks][64 r][B]                              (4.2)
  float* sum;              // [..][tiles][64 r][B]: owner sums                      (4.3)
  uint16_t* gate;          // bf16 [..][B][hidden]: g                               (4.4)
  uint16_t* up;            // bf16 [..][B][hidden]: u                               (4.4)
  float* situ_gate;        // situ.gate [..][B][hidden]: A(g)                       (4.6)
  float* situ_up;          // situ.up [..][B][hidden]: U(u)                         (4.6)
  float* situ;             // [..][B][hidden]: A(g) * U(u)                          (4.6)
  uint16_t* h;             // bf16 [..][B][hidden]                                  (4.4)
  float* down_acc;         // down.acc [..][B][width]: Y                            (4.7)
  uint16_t* push;          // bf16 [..][B][width]: what goes to the mailboxes       (4.7)
  float* front_logits;     // front.logits [..][B][front.valid], FRONT with valid > 0   (4.8)
  uint16_t* front_latent;  // front.latent bf16 [..][B][latent/tp], FRONT           (4.8)
};

/// Resolves MakePlan(config, ...) to pointers; addresses[i] belongs to allocation i. Throws
/// std::invalid_argument if their number is that of no plan.
Operands MakeOperands(const Config& config, std::span<void* const> addresses);
/// With `taps` false every pointer is null.
Taps MakeTaps(const Config& config, bool taps, std::span<void* const> addresses);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_OPERANDS_H_
