// Which (request, head) pair computes which elements (PieceMap in model/kernel.h).
#ifndef SAMEBITS_MODEL_KDA_DECODE_PIECES_H_
#define SAMEBITS_MODEL_KDA_DECODE_PIECES_H_

#include "model/kda_decode/config.h"
#include "model/kernel.h"

namespace samebits::kda_decode {

/// Piece request * heads + head. `inputs` hold the slots.
PieceMap MapPieces(const Config& config, const TensorSet& inputs, const TensorSpec& spec);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_PIECES_H_
