// Where a token's row of a source rank lies in a peer's RS mailbox (SPEC.md 4.7).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_MAILBOX_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_MAILBOX_H_

#include <cstdint>

#include "model/shared_expert/config.h"
#include "model/shared_expert/derived.h"
#include "model/shared_expert/operands.h"

namespace samebits::shared_expert {

/// `shard` elements: columns peer * shard.. of the output.
inline uint16_t* MailboxRow(const Operands& operands, const Config& config, const Derived& derived,
                            int peer, int parity, int source, int64_t token) {
  const int64_t slot = int64_t{parity} * config.tp + source;
  return operands.peer(peer) + (slot * config.capacity + token) * derived.shard;
}

/// Element i of an empty row: words of kSentinel, low half first.
constexpr uint16_t SentinelBf16(int64_t i) {
  return static_cast<uint16_t>(i % 2 == 0 ? kSentinel & 0xFFFF : kSentinel >> 16);
}

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_MAILBOX_H_
