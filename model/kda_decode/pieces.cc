#include "model/kda_decode/pieces.h"

#include <algorithm>

namespace samebits::kda_decode {
namespace {

/// Request of every slot that the slots of a request name.
std::vector<int64_t> RequestOfSlot(const Config& config, const TensorSet& inputs, int64_t slots) {
  std::vector<int64_t> request(slots, PieceMap::kNobody);
  const auto table = inputs.At(Role::kInput, "slots").view<int32_t>();
  const int64_t columns = static_cast<int64_t>(table.size()) / config.requests;
  for (int64_t r = 0; r < config.requests; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const int32_t slot = table[r * columns + c];
      if (slot > 0 && slot < slots) request[slot] = r;
    }
  }
  return request;
}

int64_t Trailing(const TensorSpec& spec, size_t dims) {
  int64_t elements = 1;
  for (size_t d = dims; d < spec.shape.size(); ++d) elements *= spec.shape[d];
  return elements;
}

/// [slot][head]...
PieceMap OfHeads(const Config& config, const TensorSet& inputs, const TensorSpec& spec) {
  PieceMap map = {Trailing(spec, 2), {}};
  for (const int64_t r : RequestOfSlot(config, inputs, spec.shape[0])) {
    for (int h = 0; h < config.heads; ++h) map.pieces.push_back(r < 0 ? r : r * config.heads + h);
  }
  return map;
}

/// conv_state [slot][position][3 D] or [slot][3 D][position].
PieceMap OfWindows(const Config& config, const TensorSet& inputs, const TensorSpec& spec) {
  const bool channel_inner = spec.dims[1] == "position";
  PieceMap map = {channel_inner ? kHeadDim : kHeadDim * spec.shape[2], {}};
  const int64_t blocks = Trailing(spec, 1) / map.block;
  for (const int64_t r : RequestOfSlot(config, inputs, spec.shape[0])) {
    for (int64_t b = 0; b < blocks; ++b) {
      map.pieces.push_back(r < 0 ? r : r * config.heads + b % config.heads);
    }
  }
  return map;
}

/// output [request * tokens + token][head * 128 + value].
PieceMap OfRows(const Config& config) {
  PieceMap map = {kHeadDim, {}};
  for (int64_t row = 0; row < config.token_rows(); ++row) {
    for (int h = 0; h < config.heads; ++h) {
      map.pieces.push_back(row / config.tokens * config.heads + h);
    }
  }
  return map;
}

/// [request][token][head]...
PieceMap OfTap(const Config& config, const TensorSpec& spec) {
  PieceMap map = OfRows(config);
  map.block = Trailing(spec, 3);
  return map;
}

}  // namespace

PieceMap MapPieces(const Config& config, const TensorSet& inputs, const TensorSpec& spec) {
  if (spec.role == Role::kTap) return OfTap(config, spec);
  if (spec.name == "output") return OfRows(config);
  if (spec.name == "conv_state") return OfWindows(config, inputs, spec);
  return OfHeads(config, inputs, spec);
}

}  // namespace samebits::kda_decode
