// bf16 of the gate and up sums, SiTU and h (SPEC.md 4.4 to 4.6).
#include <vector>

#include "model/arith/bfloat16.h"
#include "model/parallel.h"
#include "model/shared_expert/situ.h"
#include "model/shared_expert/stages.h"

namespace samebits::shared_expert {
namespace {

constexpr int kColumns = 32;  // h columns of a tile

/// bf16 of `count` sums, narrow and widened again.
void Round(const float* sums, int64_t count, uint16_t* narrow, float* wide) {
  for (int64_t i = 0; i < count; ++i) {
    narrow[i] = arith::RoundToBf16(sums[i]);
    wide[i] = arith::Widen(narrow[i]);
  }
}

/// from [32 columns][B tokens] to columns 32*tile.. of [B][hidden].
template <typename T>
void Scatter(const Launch& launch, int64_t tile, const std::vector<T>& from, T* to) {
  const int batch = launch.config.batch;
  for (int64_t t = 0; t < batch; ++t) {
    for (int j = 0; j < kColumns; ++j) {
      to[t * launch.derived.hidden + kColumns * tile + j] = from[int64_t{j} * batch + t];
    }
  }
}

void ActivateTile(const Launch& launch, const Place& place, int64_t tile) {
  const int64_t count = int64_t{kColumns} * launch.config.batch;
  const Betas betas = {launch.config.beta, launch.config.linear_beta};
  const float* sums = place.values.sum + tile * 2 * count;
  std::vector<uint16_t> gate(count), up(count), h(count);
  std::vector<float> a(count), u(count), product(count);
  Round(sums, count, gate.data(), a.data());
  Round(sums + count, count, up.data(), u.data());
  SituGate(launch.math, launch.choices.situ, betas, std::vector<float>(a), a);
  SituUp(launch.math, launch.choices.situ, betas, std::vector<float>(u), u);
  for (int64_t i = 0; i < count; ++i) {
    product[i] = launch.math.Mul(a[i], u[i]);
    h[i] = arith::RoundToBf16(product[i]);
  }
  Scatter(launch, tile, gate, place.values.gate);
  Scatter(launch, tile, up, place.values.up);
  Scatter(launch, tile, a, place.values.situ_gate);
  Scatter(launch, tile, u, place.values.situ_up);
  Scatter(launch, tile, product, place.values.situ);
  Scatter(launch, tile, h, place.values.h);
  const int64_t rank_elements = int64_t{launch.config.batch} * launch.derived.hidden;
  Scatter(launch, tile, h, launch.operands.h + place.index * rank_elements);
}

}  // namespace

void Activate(const Launch& launch, const Place& place) {
  ParallelFor(launch.derived.gate_tiles, launch.threads,
              [&](int64_t tile) { ActivateTile(launch, place, tile); });
}

}  // namespace samebits::shared_expert
