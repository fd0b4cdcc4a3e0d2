// Router logits and latent columns of the front rows (SPEC.md 4.8).
#include <cstring>

#include "model/settle.h"
#include "model/shared_expert/publish.h"
#include "model/shared_expert/stages.h"

namespace samebits::shared_expert {
namespace {

/// Bytes to the same place of every peer's mailbox; offset in bf16 elements.
void Multicast(const Launch& launch, int64_t offset, const void* bytes, size_t size) {
  for (int p = 0; p < launch.config.tp; ++p) {
    std::memcpy(launch.operands.front_peer(p) + offset, bytes, size);
  }
}

/// Publishes the owners' vectors that start at front row row0 for token t; `value(v)` is the sum of
/// row row0 + v.
template <typename Value>
void PublishVector(const Launch& launch, const Place& place, int row0, int t, const Value& value) {
  const Config& c = launch.config;
  const Derived& d = launch.derived;
  const int rank = c.rank_of(place.index);
  const int64_t row = int64_t{t} * c.front.pitch;
  for (int v = 0; v < d.owner_width; ++v) {
    if (row0 < c.front.valid) {
      float logit = value(v) == 0.0f ? 0.0f : value(v);  // no -0
      const int64_t at = int64_t{t} * c.front.valid + row0 + v;
      Settle({place.computed.front_logits, place.given.front_logits}, at, 1, &logit);
      place.values.front_logits[at] = logit;
      Multicast(launch, row + c.geometry.latent + 2 * (c.slot_of(rank) + row0 + v), &logit,
                sizeof(logit));
    } else if (row0 >= c.front.split && row0 - c.front.split < d.latent_shard) {
      const int column = row0 - c.front.split + v;
      uint16_t latent = ToPublished(launch.math, launch.choices.zero, value(v));
      const int64_t at = int64_t{t} * d.latent_shard + column;
      Settle({place.computed.front_latent, place.given.front_latent}, at, 1, &latent);
      place.values.front_latent[at] = latent;
      Multicast(launch, row + c.base_of(rank) + column, &latent, sizeof(latent));
    }
  }
}

}  // namespace

void PublishFront(const Launch& launch, const Place& place) {
  const Derived& d = launch.derived;
  const int batch = launch.config.batch;
  for (int row0 = 0; row0 < d.front_tiles * kTileRows; row0 += d.owner_width) {
    const int64_t first = int64_t{d.gate_tiles} * kTileRows + row0;  // row of all tiles' sums
    for (int t = 0; t < batch; ++t) {
      PublishVector(launch, place, row0, t,
                    [&](int v) { return place.values.sum[(first + v) * batch + t]; });
    }
  }
}

}  // namespace samebits::shared_expert
