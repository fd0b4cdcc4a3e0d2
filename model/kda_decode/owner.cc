#include "model/kda_decode/owner.h"

#include "model/kda_decode/config.h"

namespace samebits::kda_decode {
namespace {

constexpr int kWarp = 32;
constexpr int kKeyLanes = 8;  // threads side by side along the keys of a row

/// n = 8 b + l holds rows b + 32 r and keys 4 (l + 8 c) + e.
ThreadPlace StateOwner(int value, int key) {
  const int b = value % kWarp, r = value / kWarp;
  const int l = key / 4 % kKeyLanes, c = key / 4 / kKeyLanes, e = key % 4;
  const int n = kKeyLanes * b + l;
  return {n / kWarp, n % kWarp, 16 * r + 4 * c + e};
}

/// Row b + 32 r is owned by the threads l = 2r and 2r + 1; here the first.
ThreadPlace RowOwner(int value) {
  const int n = kKeyLanes * (value % kWarp) + 2 * (value / kWarp);
  return {n / kWarp, n % kWarp, 0};
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
  if (spec.name == "gate.acc" || spec.name == "gate.raw" || spec.name == "gate.arg" ||
      spec.name == "gate.sigmoid" || spec.name == "decay") {
    return GateOwner(inner, static_cast<int>(token));
  }
  if (spec.name == "dot" || spec.name == "correction" || spec.name == "out.acc" ||
      spec.name == "out.raw") {
    return RowOwner(inner);
  }
  if (spec.name.starts_with("out.")) return std::nullopt;  // channel n % 128 of the scan group
  // A prep thread per channel.
  return ThreadPlace{inner / kWarp, inner % kWarp, static_cast<int>(token)};
}

}  // namespace samebits::kda_decode
