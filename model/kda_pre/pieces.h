// Which request computes which elements (PieceMap in model/kernel.h).
#ifndef SAMEBITS_MODEL_KDA_PRE_PIECES_H_
#define SAMEBITS_MODEL_KDA_PRE_PIECES_H_

#include "model/kda_pre/config.h"
#include "model/kernel.h"

namespace samebits::kda_pre {

/// Piece = request. `inputs` hold the slots.
PieceMap MapPieces(const Config& config, const TensorSet& inputs, const TensorSpec& spec);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_PIECES_H_
