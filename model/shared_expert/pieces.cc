#include "model/shared_expert/pieces.h"

#include <algorithm>

namespace samebits::shared_expert {

PieceMap MapPieces(const Config& config, const TensorSpec& spec) {
  const auto at = std::ranges::find_if(
      spec.dims, [](const std::string& dim) { return dim == "rank" || dim == "source"; });
  if (at == spec.dims.end()) return {spec.elements(), {PieceMap::kNobody}};
  const size_t dim = at - spec.dims.begin();
  PieceMap map;
  for (size_t d = dim + 1; d < spec.shape.size(); ++d) map.block *= spec.shape[d];
  const int64_t blocks = spec.elements() / map.block;
  for (int64_t b = 0; b < blocks; ++b) {
    int64_t piece = b % spec.shape[dim];
    // A mailbox has a row for every source, the ranks that do not run among them.
    if (*at == "source" && config.rank != kAllRanks) {
      piece = piece == config.rank ? 0 : PieceMap::kNobody;
    }
    map.pieces.push_back(piece);
  }
  return map;
}

}  // namespace samebits::shared_expert
