// Parts of the gate/up and front rows, and the owners' sums of them (SPEC.md 4.2, 4.3).
#include <algorithm>
#include <vector>

#include "model/parallel.h"
#include "model/settle.h"
#include "model/shared_expert/spans.h"
#include "model/shared_expert/stages.h"

namespace samebits::shared_expert {
namespace {

constexpr int kHalfRows = kTileRows / 2;

/// Rows of one half of a tile, from the span's first k on. Missing rows of the front weight are
/// zeros, which are multiplied all the same.
units::PackedMatrix PackHalf(const Launch& launch, const Place& place, int tile, int half,
                             const Span& span) {
  const Derived& d = launch.derived;
  const int64_t width = launch.config.geometry.width;
  const int64_t first_k = int64_t{span.first} * kBlockK;
  const int k = span.count * kBlockK;
  const int row = WeightRow(d, tile, half * kHalfRows);
  if (tile < d.gate_tiles) {
    const int64_t rank_rows = 2 * int64_t{d.hidden};
    return {launch.operands.gate_up + (place.index * rank_rows + row) * width + first_k, width,
            kHalfRows, k};
  }
  const int64_t rank_rows = launch.config.front.rows;
  const uint16_t* weights =
      launch.operands.front + (place.index * rank_rows + row) * width + first_k;
  const int rows = std::clamp<int>(launch.config.front.rows - row, 0, kHalfRows);
  if (rows == kHalfRows) return {weights, width, kHalfRows, k};
  std::vector<uint16_t> padded(static_cast<size_t>(kHalfRows) * k);
  for (int r = 0; r < rows; ++r) std::copy_n(weights + r * width, k, &padded[int64_t{r} * k]);
  return {padded.data(), k, kHalfRows, k};
}

/// Nobody wants the tap, and all of it is given.
bool TakeParts(const Launch& launch, const Place& place) {
  const float* given = place.given.part;
  const int64_t count = SizesOf(launch.config, launch.derived).part;
  if (place.computed.part != nullptr || given == nullptr) return false;
  if (!std::all_of(given, given + count, IsGiven<float>)) return false;
  std::copy_n(given, count, place.values.part);
  return true;
}

}  // namespace

void ComputeParts(const Launch& launch, const Place& place, const std::vector<Tokens>& tokens) {
  const Derived& d = launch.derived;
  const int batch = launch.config.batch;
  const int64_t half_elements = int64_t{kHalfRows} * batch;
  if (TakeParts(launch, place)) return;
  ParallelFor(int64_t{d.tiles} * d.ks * 2, launch.threads, [&](int64_t item) {
    const int half = static_cast<int>(item % 2), c = static_cast<int>(item / 2 % d.ks);
    const int tile = static_cast<int>(item / 2 / d.ks);
    const Span span = Split(launch.choices.split, d.k_blocks, c, d.ks);
    float* part = place.values.part + item * half_elements;
    if (span.count == 0) {
      std::fill_n(part, half_elements, 0.0f);
      return;
    }
    Multiply(launch, PackHalf(launch, place, tile, half, span), tokens[c], part, {batch, 1});
  });
  Settle({place.computed.part, place.given.part}, 0, SizesOf(launch.config, d).part,
         place.values.part);
}

void SumParts(const Launch& launch, const Place& place) {
  const Derived& d = launch.derived;
  const int64_t elements = int64_t{kTileRows} * launch.config.batch;
  ParallelFor(d.tiles, launch.threads, [&](int64_t tile) {
    float* sum = place.values.sum + tile * elements;
    launch.math.SumColumns(launch.trees.parts, place.values.part + tile * d.ks * elements, elements,
                           Out(sum, elements));
    Settle({place.computed.sum, place.given.sum}, tile * elements, elements, sum);
  });
}

}  // namespace samebits::shared_expert
