// Which thread of the kernel holds which element (SPEC.md 3.1, "ours").
#ifndef SAMEBITS_MODEL_KDA_DECODE_OWNER_H_
#define SAMEBITS_MODEL_KDA_DECODE_OWNER_H_

#include <optional>

#include "model/kernel.h"

namespace samebits::kda_decode {

/// Of a tap, by its dimensions. Scan threads hold the state (register 16 r + 4 c + e) and, per
/// value, the row r that they own after the exchange (the even one of the two threads); prep
/// threads hold one channel or feature each; gate.acc is accumulator 4 m + e of the MMA fragments.
std::optional<ThreadPlace> OwnerOf(const TensorSpec& spec, int64_t index);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_OWNER_H_
