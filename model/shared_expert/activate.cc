// bf16 of the gate and up sums, SiTU and h (SPEC.md 4.4 to 4.6).
#include <algorithm>
#include <vector>

#include "model/arith/bfloat16.h"
#include "model/parallel.h"
#include "model/settle.h"
#include "model/shared_expert/situ.h"
#include "model/shared_expert/stages.h"

namespace samebits::shared_expert {
namespace {

constexpr int kColumns = 32;  // h columns of a tile

/// bf16 of the tile's sums [32 columns][B tokens], in columns 32*tile.. of [B][hidden].
void Narrow(const Launch& launch, int64_t tile, const float* sums, uint16_t* to) {
  const int batch = launch.config.batch;
  for (int64_t t = 0; t < batch; ++t) {
    for (int j = 0; j < kColumns; ++j) {
      to[t * launch.derived.hidden + kColumns * tile + j] =
          arith::RoundToBf16(sums[int64_t{j} * batch + t]);
    }
  }
}

std::vector<float> Wide(const uint16_t* row, int count) {
  std::vector<float> wide(count);
  std::transform(row, row + count, wide.begin(), arith::Widen);
  return wide;
}

/// The hidden columns of one token: gate and up in, h out.
void ActivateToken(const Launch& launch, const Place& place, int64_t token) {
  const int hidden = launch.derived.hidden;
  const int64_t at = token * hidden;
  const Betas betas = {launch.config.beta, launch.config.linear_beta};
  const auto settle = [&](auto Taps::*tap) {
    Settle({place.computed.*tap, place.given.*tap}, at, hidden, place.values.*tap + at);
  };
  const auto out = [&](float* tap) { return Out(tap + at, hidden); };
  settle(&Taps::gate);
  settle(&Taps::up);
  SituGate(launch.math, launch.choices.situ, betas, Wide(place.values.gate + at, hidden),
           out(place.values.situ_gate));
  settle(&Taps::situ_gate);
  SituUp(launch.math, launch.choices.situ, betas, Wide(place.values.up + at, hidden),
         out(place.values.situ_up));
  settle(&Taps::situ_up);
  for (int64_t i = at; i < at + hidden; ++i) {
    place.values.situ[i] = launch.math.Mul(place.values.situ_gate[i], place.values.situ_up[i]);
  }
  settle(&Taps::situ);
  for (int64_t i = at; i < at + hidden; ++i) {
    place.values.h[i] = arith::RoundToBf16(place.values.situ[i]);
  }
  const int64_t rank_elements = int64_t{launch.config.batch} * hidden;
  std::copy_n(place.values.h + at, hidden, launch.operands.h + place.index * rank_elements + at);
  settle(&Taps::h);
  if (place.given_h != nullptr) Take(place.given_h + at, hidden, place.values.h + at);
}

}  // namespace

void Activate(const Launch& launch, const Place& place) {
  const int64_t count = int64_t{kColumns} * launch.config.batch;
  ParallelFor(launch.derived.gate_tiles, launch.threads, [&](int64_t tile) {
    const float* sums = place.values.sum + tile * 2 * count;
    Narrow(launch, tile, sums, place.values.gate);
    Narrow(launch, tile, sums + count, place.values.up);
  });
  ParallelFor(launch.config.batch, launch.threads,
              [&](int64_t token) { ActivateToken(launch, place, token); });
}

}  // namespace samebits::shared_expert
