#include "model/kda_pre/pieces.h"

#include <algorithm>

namespace samebits::kda_pre {
namespace {

/// Request of every slot that the slots of a request name.
std::vector<int64_t> RequestOfSlot(const Config& config, const TensorSet& inputs, int64_t slots) {
  std::vector<int64_t> request(slots, PieceMap::kNobody);
  const auto table = inputs.At(Role::kInput, "st_idx").view<int32_t>();
  for (int64_t r = 0; r < config.requests; ++r) {
    for (int64_t t = 0; t < config.tokens; ++t) {
      const int32_t slot = table[r * config.tokens + t];
      if (slot > 0 && slot < slots) request[slot] = r;
    }
  }
  return request;
}

}  // namespace

PieceMap MapPieces(const Config& config, const TensorSet& inputs, const TensorSpec& spec) {
  const auto at = std::ranges::find_if(spec.dims, [](const std::string& dim) {
    return dim == "request" || dim == "token_row" || dim == "slot";
  });
  const size_t dim = at - spec.dims.begin();
  PieceMap map;
  for (size_t d = dim + 1; d < spec.shape.size(); ++d) map.block *= spec.shape[d];
  std::vector<int64_t> owner;
  if (*at == "slot") owner = RequestOfSlot(config, inputs, spec.shape[dim]);
  for (int64_t i = 0; *at != "slot" && i < spec.shape[dim]; ++i) {
    owner.push_back(*at == "request" ? i : i / config.tokens);
  }
  const int64_t repeats = spec.elements() / (map.block * spec.shape[dim]);
  for (int64_t r = 0; r < repeats; ++r) {
    map.pieces.insert(map.pieces.end(), owner.begin(), owner.end());
  }
  return map;
}

}  // namespace samebits::kda_pre
