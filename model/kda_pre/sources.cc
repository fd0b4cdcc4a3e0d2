#include <algorithm>

#include "model/kda_pre/stages.h"
#include "model/order/evaluate.h"
#include "model/parallel.h"
#include "model/settle.h"

namespace samebits::kda_pre {
namespace {

/// The prefix value of one column, and what is stored where the prefix or a block is (4.1, 2.4).
uint16_t NewPrefix(const Launch& launch, int64_t at) {
  const Operands& o = launch.operands;
  const Config& c = launch.config;
  const uint16_t old = o.prefix[at];
  if (c.delta == Delta::kNone) return old;
  const bool lds = c.delta == Delta::kLds;
  if (c.reset) return lds ? arith::RoundToBf16(o.delta_lds[at]) : o.delta[at];
  const float addend = lds ? o.delta_lds[at] : arith::Widen(o.delta[at]);
  return arith::RoundToBf16(arith::Add(arith::Widen(old), addend));
}

void ReadToken(const Launch& launch, int64_t t, Seam* seam) {
  const Operands& o = launch.operands;
  const Config& c = launch.config;
  float* values = seam->sources.data() + t * c.sources() * kHidden;
  uint16_t* blocks = o.blocks + t * o.blocks_token;
  for (int s = 0; s < c.nblocks; ++s) {
    std::transform(blocks + s * o.blocks_block, blocks + s * o.blocks_block + kHidden,
                   values + int64_t{s} * kHidden, arith::Widen);
  }
  for (int column = 0; column < kHidden; ++column) {
    uint16_t p = NewPrefix(launch, t * kHidden + column);
    if (c.updates_prefix()) {
      o.prefix[t * kHidden + column] = p;
      const uint16_t* given = launch.given.operands.prefix;
      if (given != nullptr) Take(given + t * kHidden + column, 1, &p);
    }
    if (c.updates_blocks()) blocks[c.write_idx * o.blocks_block + column] = p;
    values[int64_t{c.nblocks} * kHidden + column] = arith::Widen(p);
  }
}

void PartialSums(const Launch& launch, int64_t t, const std::vector<float>& wq, Seam* seam) {
  const int sources = launch.config.sources(), rows = launch.config.token_rows();
  for (int s = 0; s < sources; ++s) {
    const float* values = seam->sources.data() + (t * sources + s) * kHidden;
    for (int slice = 0; slice < kSlices; ++slice) {
      const float* v = values + slice * kSliceColumns;
      float* part = seam->part.data() + ((int64_t{slice} * rows + t) * sources + s) * 2;
      part[0] = order::SumProducts(launch.trees.slice, v, v);
      part[1] = order::SumProducts(launch.trees.slice, v, wq.data() + slice * kSliceColumns);
      Settle({launch.taps.part, launch.given.taps.part}, part - seam->part.data(), 2, part);
    }
  }
}

}  // namespace

void ReadSources(const Launch& launch, Seam* seam) {
  const int64_t rows = launch.config.token_rows(), sources = launch.config.sources();
  seam->sources.resize(rows * sources * kHidden);
  seam->part.resize(kSlices * rows * sources * 2);
  std::vector<float> wq(kHidden);
  for (int column = 0; column < kHidden; ++column) {
    wq[column] = arith::Mul(arith::Widen(launch.operands.ares_nw[column]),
                            arith::Widen(launch.operands.ares_qk[column]));
  }
  ParallelFor(launch.rows.size(), launch.threads, [&](int64_t i) {
    ReadToken(launch, launch.rows[i], seam);
    PartialSums(launch, launch.rows[i], wq, seam);
  });
}

}  // namespace samebits::kda_pre
