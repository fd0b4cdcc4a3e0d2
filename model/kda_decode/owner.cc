#include "model/kda_decode/owner.h"

#include "model/kda_decode/config.h"

namespace samebits::kda_decode {
namespace {

constexpr int kWarp = 32;
constexpr int kKeyLanes = 8;  // threads side by side along the keys of a row

constexpr int kWarpRows = 16;

/// Lane 8 b + l of warp w holds rows 16 w + b + 4 r and keys 4 (l + 8 c) + e.
ThreadPlace StateOwner(int value, int key) {
  const int b = value % 4, r = value % kWarpRows / 4;
  const int l = key / 4 % kKeyLanes, c = key / 4 / kKeyLanes, e = key % 4;
  return {value / kWarpRows, kKeyLanes * b + l, 16 * r + 4 * c + e};
}

/// Row 16 w + b + 4 r is owned by the lanes l = 2r and 2r + 1; here the first.
ThreadPlace RowOwner(int value) {
  return {value / kWarpRows, kKeyLanes * (value % 4) + 2 * (value % kWarpRows / 4), 0};
}

/// Feature 32 warp + 16 m + g + 8 (e >> 1), token 2q + (e & 1), lane 4g + q, accumulator 4m + e.
ThreadPlace GateOwner(int feature, int token) {
  const int within = feature % kWarp, m = within / 16, g = within % 8;
  const int e = 2 * (within % 16 / 8) + token % 2;
  return {feature / kWarp, 4 * g + token / 2, 4 * m + e};
}

}  // namespace

std::optional<ThreadPlace> OwnerOf(const TensorSpec& spec, int64_t index) {
  if (spec.role != Role::kTap || spec.shape.size() < 4) return std::nullopt;
  const int inner = static_cast<int>(index % kHeadDim);
  if (spec.name == "state.after") {
    return StateOwner(static_cast<int>(index / kHeadDim % kHeadDim), inner);
  }
  const int64_t token = index / (kHeadDim * spec.shape[2]) % spec.shape[1];
  if (spec.name == "gate.acc") return GateOwner(inner, static_cast<int>(token));
  if (spec.name == "dot" || spec.name == "correction" || spec.name == "out.acc" ||
      spec.name == "out.raw") {
    return RowOwner(inner);
  }
  // A prep thread per channel or feature.
  return ThreadPlace{inner / kWarp, inner % kWarp, static_cast<int>(token)};
}

}  // namespace samebits::kda_decode
