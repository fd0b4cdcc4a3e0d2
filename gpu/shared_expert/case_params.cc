#include "gpu/shared_expert/case_params.h"

#include "model/shared_expert/derived.h"

namespace samebits::gpu::shared_expert {

using samebits::shared_expert::Config;
using samebits::shared_expert::Derive;
using samebits::shared_expert::Derived;
using samebits::shared_expert::Operands;
using samebits::shared_expert::Taps;

namespace {

TensorDescription Describe(const uint16_t* base, int64_t columns, int64_t rows, int box_rows) {
  return {.base = base,
          .columns = columns,
          .rows = rows,
          .row_bytes = 2 * columns,
          .box_columns = kBlockK,
          .box_rows = box_rows,
          .swizzle = Swizzle::k128Bytes};
}

template <typename V>
void Advance(V** address, int64_t elements) {
  if (*address != nullptr) *address += elements;
}

/// Moves the taps' pointers from the case to one (step, rank).
Taps TapsAt(const Config& c, const Derived& d, Taps taps, LaunchPoint point) {
  const int64_t i = int64_t{point.step} * c.ranks() + point.index;
  const int64_t tile = int64_t{kTileRows} * c.batch;
  const int64_t columns = int64_t{c.batch} * d.hidden,
                outputs = int64_t{c.batch} * c.geometry.width;
  Advance(&taps.part, i * d.tiles * d.ks * tile);
  Advance(&taps.sum, i * d.tiles * tile);
  Advance(&taps.gate, i * columns);
  Advance(&taps.up, i * columns);
  Advance(&taps.situ_gate, i * columns);
  Advance(&taps.situ_up, i * columns);
  Advance(&taps.situ, i * columns);
  Advance(&taps.front_logits, i * c.batch * c.front.valid);
  Advance(&taps.front_latent, i * c.batch * d.latent_shard);
  Advance(&taps.h, i * columns);
  Advance(&taps.down_acc, i * outputs);
  Advance(&taps.push, i * outputs);
  return taps;
}

const uint16_t* RowsOfStep(const Config& c, const Operands& operands, int step) {
  return operands.x + int64_t{step} * c.batch * c.geometry.width;
}
uint16_t* HOfRank(const Config& c, const Derived& d, const Operands& operands, int index) {
  return operands.h + int64_t{index} * c.batch * d.hidden;
}

}  // namespace

Matrices DescribeMatrices(const Config& c, const Operands& operands, LaunchPoint point) {
  const Derived d = Derive(c);
  const int64_t width = c.geometry.width;
  Matrices m;
  m.x = Describe(RowsOfStep(c, operands, point.step), width, c.batch, d.n);
  m.gate_up = Describe(operands.gate_up + point.index * 2 * width * d.hidden, width, 2 * d.hidden,
                       kTileRows / 2);
  m.down = Describe(operands.down + point.index * width * d.hidden, d.hidden, width, kTileRows);
  m.h = Describe(HOfRank(c, d, operands, point.index), d.hidden, c.batch, d.n);
  if (c.has_front()) {
    m.front = Describe(operands.front + point.index * width * c.front.rows, width, c.front.rows,
                       kTileRows);
  }
  return m;
}

Params MakeParams(const Config& c, const Operands& operands, const Taps& taps, LaunchPoint point) {
  const Derived d = Derive(c);
  const int rank = c.rank_of(point.index);
  const bool fused = c.variant == samebits::shared_expert::Variant::kFused;
  Params p{};
  p.x = RowsOfStep(c, operands, point.step);
  p.h = HOfRank(c, d, operands, point.index);
  if (operands.counters != nullptr) {
    p.counters = reinterpret_cast<uint32_t*>(operands.counters + point.index * kCounters);
  }
  p.taps = TapsAt(c, d, taps, point);
  p.batch = c.batch;
  p.width = c.geometry.width;
  p.hidden = d.hidden;
  p.k_blocks = d.k_blocks;
  p.down_blocks = d.down_blocks;
  p.down_tiles = fused ? d.down_tiles : 0;
  p.shard = d.shard;
  p.gate_tiles = d.gate_tiles;
  p.ks = d.ks;
  p.ks_reciprocal = static_cast<uint32_t>(((1 << 20) + d.ks - 1) / d.ks);
  p.span_blocks = d.k_blocks / d.ks;
  p.longer_spans = d.k_blocks % d.ks;
  p.part_chunks = d.tiles * d.ks * (d.n / 8) * 128;
  p.tp = c.tp;
  p.owner_width = d.owner_width;
  p.owners = d.owners;
  p.mailbox_row = (c.parity_of(point.step) * c.tp + rank) * c.capacity;
  p.beta = c.beta;
  p.linear_beta = c.linear_beta;
  p.inverse_beta = 1.0f / c.beta;
  p.inverse_linear_beta = 1.0f / c.linear_beta;
  p.latent = c.geometry.latent;
  p.latent_shard = d.latent_shard;
  p.front_valid = c.front.valid;
  p.front_split = c.front.split;
  p.front_pitch = c.front.pitch;
  p.front_slot = c.slot_of(rank);
  p.front_base = c.base_of(rank);
  return p;
}

ConsumerParams MakeConsumerParams(const Config& c, const Operands& operands, int step) {
  ConsumerParams p{};
  p.reduced = operands.reduced + int64_t{step} * c.batch * c.geometry.width;
  p.batch = c.batch;
  p.width = c.geometry.width;
  p.shard = Derive(c).shard;
  p.tp = c.tp;
  p.parity = c.parity_of(step);
  p.capacity = c.capacity;
  return p;
}

namespace {

int64_t PartsBytes(const Derived& d) { return int64_t{d.tiles} * d.ks * kTileRows * d.n * 4; }

}  // namespace

int64_t ExchangeSize(const Config& c) {
  const Derived d = Derive(c);
  return kTicketBytes + 2 * PartsBytes(d) + int64_t{2} * d.down_blocks * d.n * 128;
}

Exchange PlaceExchange(const Config& c, void* memory) {
  auto* bytes = static_cast<std::byte*>(memory);
  return {.parts = reinterpret_cast<Word4*>(bytes + kTicketBytes),
          .h = reinterpret_cast<Word4*>(bytes + kTicketBytes + 2 * PartsBytes(Derive(c))),
          .ticket = reinterpret_cast<uint32_t*>(bytes)};
}

}  // namespace samebits::gpu::shared_expert
