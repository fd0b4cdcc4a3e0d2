#include <algorithm>
#include <array>

#include "model/kda_pre/constants.h"
#include "model/kda_pre/stages.h"
#include "model/parallel.h"
#include "model/settle.h"

namespace samebits::kda_pre {
namespace {

void Mix(const Launch& launch, int64_t t, Seam* seam) {
  const int sources = launch.config.sources();
  const float* weight = seam->weight.data() + t * (sources + 1);
  const std::span<float> mixed(seam->mixed.data() + t * kHidden, kHidden);
  launch.math.SumColumns(
      launch.trees.mix,
      {.a = seam->sources.data() + t * sources * kHidden, .a_stride = kHidden, .b = weight}, mixed);
  const float den = weight[sources];
  if (launch.choices.mix_division == MixDivision::kReciprocal) {
    const float reciprocal = arith::Div(1.0f, den);
    for (float& value : mixed) value = arith::Mul(value, reciprocal);
  } else {
    for (float& value : mixed) value = arith::Div(value, den);
  }
  Settle({launch.taps.mixed, launch.given.taps.mixed}, t * kHidden, kHidden, mixed.data());
  for (int slice = 0; slice < kSlices; ++slice) {
    const float* values = mixed.data() + slice * kSliceColumns;
    const int64_t index = int64_t{slice} * launch.config.token_rows() + t;
    seam->msq[index] = order::SumProducts(launch.trees.mix_norm, values, values);
    Settle({launch.taps.msq, launch.given.taps.msq}, index, 1, &seam->msq[index]);
  }
}

void Normalise(const Launch& launch, int64_t t, Seam* seam) {
  std::array<float, kSlices> values;
  for (int slice = 0; slice < kSlices; ++slice) {
    values[slice] = seam->msq[static_cast<size_t>(slice) * launch.config.token_rows() + t];
  }
  const float total = launch.math.Sum(launch.trees.mix_slices, values);
  const float r = launch.math.Rsq(
      MultiplyThenAdd(launch.choices.mix_variance, total, kInverseHidden, launch.config.out_eps));
  for (int column = 0; column < kHidden; ++column) {
    const float scaled = arith::Mul(seam->mixed[t * kHidden + column], r);
    seam->x[t * kHidden + column] =
        arith::RoundToBf16(arith::Mul(scaled, arith::Widen(launch.operands.in_nw[column])));
  }
  Settle({launch.taps.x, launch.given.taps.x}, t * kHidden, kHidden, &seam->x[t * kHidden]);
}

}  // namespace

void MixSources(const Launch& launch, Seam* seam) {
  const size_t rows = launch.config.token_rows();
  seam->mixed.resize(rows * kHidden);
  seam->msq.resize(rows * kSlices);
  seam->x.resize(rows * kHidden);
  ParallelFor(launch.rows.size(), launch.threads, [&](int64_t i) {
    Mix(launch, launch.rows[i], seam);
    Normalise(launch, launch.rows[i], seam);
  });
}

}  // namespace samebits::kda_pre
