// Where the tensors of one case live (SPEC.md 2.1, 4.7, 4.8). operands.h says what they are.
//
// inputs   x, gate_up, down, [front], [counters], mailbox, [front_latent, front_logits]
// taps     part, sum, gate, up, situ.gate, situ.up, situ, h, down.acc, push, [front.logits],
//          [front.latent]
// outputs  counters, mailbox, front_latent and front_logits in place; h; [reduced]
//
// Mailboxes are inputs full of sentinel words that are updated in place, so that a word that must
// not be written is compared too. kPeerGap bytes that nobody may touch follow every peer's.
// front_latent and front_logits are the two parts of the rows of one allocation, front_mailbox.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_PLAN_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_PLAN_H_

#include "model/kernel.h"
#include "model/shared_expert/config.h"

namespace samebits::shared_expert {

inline constexpr int64_t kPeerGap = 4096;

MemoryPlan MakePlan(const Config& config, bool taps);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_PLAN_H_
