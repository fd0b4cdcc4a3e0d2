// The down projection and the push into the peers' mailboxes (SPEC.md 4.7).
#include <algorithm>

#include "model/parallel.h"
#include "model/settle.h"
#include "model/shared_expert/mailbox.h"
#include "model/shared_expert/publish.h"
#include "model/shared_expert/stages.h"

namespace samebits::shared_expert {
namespace {

void Push(const Launch& launch, const Place& place, int tile) {
  const Config& c = launch.config;
  const int64_t width = c.geometry.width;
  const int column = kTileRows * tile;
  for (int64_t t = 0; t < c.batch; ++t) {
    const int64_t at = t * width + column;
    uint16_t* pushed = place.values.push + at;
    float* sums = place.values.down_acc + at;
    Settle({place.computed.down_acc, place.given.down_acc}, at, kTileRows, sums);
    uint16_t* slot = MailboxRow(launch.operands, c, launch.derived, column / launch.derived.shard,
                                c.parity_of(place.step), c.rank_of(place.index), t) +
                     column % launch.derived.shard;
    for (int r = 0; r < kTileRows; ++r) {
      pushed[r] = ToPublished(launch.math, launch.choices.zero, sums[r]);
    }
    Settle({place.computed.push, place.given.push}, at, kTileRows, pushed);
    std::copy_n(pushed, kTileRows, slot);
  }
}

/// Nobody wants the tap, and all of it is given.
bool TakeSums(const Launch& launch, const Place& place) {
  const float* given = place.given.down_acc;
  const int64_t count = SizesOf(launch.config, launch.derived).output;
  if (place.computed.down_acc != nullptr || given == nullptr) return false;
  if (!std::all_of(given, given + count, IsGiven<float>)) return false;
  std::copy_n(given, count, place.values.down_acc);
  return true;
}

}  // namespace

void ProjectDown(const Launch& launch, const Place& place) {
  const Derived& d = launch.derived;
  const int64_t width = launch.config.geometry.width;
  if (TakeSums(launch, place)) {
    for (int tile = 0; tile < d.down_tiles; ++tile) Push(launch, place, tile);
    return;
  }
  const Tokens tokens = MakeTokens(launch, place.values.h, d.hidden, d.hidden);
  const uint16_t* weights = launch.operands.down + place.index * width * d.hidden;
  ParallelFor(d.down_tiles, launch.threads, [&](int64_t tile) {
    const int64_t column = kTileRows * tile;
    const units::PackedMatrix packed(weights + column * d.hidden, d.hidden, kTileRows, d.hidden);
    Multiply(launch, packed, tokens, place.values.down_acc + column, {1, width});
    Push(launch, place, static_cast<int>(tile));
  });
}

}  // namespace samebits::shared_expert
