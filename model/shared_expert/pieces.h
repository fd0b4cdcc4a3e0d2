// Which rank computes which elements (PieceMap in model/kernel.h).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_PIECES_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_PIECES_H_

#include "model/kernel.h"
#include "model/shared_expert/config.h"

namespace samebits::shared_expert {

/// Piece = index of the rank dimension. What all ranks publish together is nobody's.
PieceMap MapPieces(const Config& config, const TensorSpec& spec);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_PIECES_H_
