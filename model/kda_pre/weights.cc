#include <algorithm>
#include <array>

#include "model/kda_pre/constants.h"
#include "model/kda_pre/stages.h"
#include "model/settle.h"

namespace samebits::kda_pre {
namespace {

constexpr int kLanes = 64;

/// Partials of all slices, of `kind` 0 (squares) or 1 (qk).
float SumSlices(const Launch& launch, const Seam& seam, int64_t t, int s, int kind) {
  const int sources = launch.config.sources(), rows = launch.config.token_rows();
  std::array<float, kSlices> values;
  for (int slice = 0; slice < kSlices; ++slice) {
    values[slice] = seam.part[((int64_t{slice} * rows + t) * sources + s) * 2 + kind];
  }
  return launch.math.Sum(launch.trees.sources, values);
}

float Logit(const Launch& launch, const Seam& seam, int64_t t, int s) {
  const float squares = SumSlices(launch, seam, t, s, 0);
  const float dot = SumSlices(launch, seam, t, s, 1);
  const float rstd = launch.math.Rsq(
      MultiplyThenAdd(launch.choices.source_variance, squares, kInverseHidden, launch.config.eps));
  return arith::Mul(arith::Mul(dot, rstd), kLog2E);
}

void WeighToken(const Launch& launch, int64_t t, Seam* seam) {
  const int sources = launch.config.sources();
  std::array<float, kLanes> lanes{};  // logits, then weights; +0 beyond the sources
  float largest = kMask;              // of the lanes beyond
  for (int s = 0; s < sources; ++s) {
    lanes[s] = Logit(launch, *seam, t, s);
    Settle({launch.taps.logit, launch.given.taps.logit}, t * sources + s, 1, &lanes[s]);
    largest = launch.math.Max(largest, lanes[s]);
  }
  for (int s = 0; s < sources; ++s) lanes[s] = launch.math.Exp2(arith::Sub(lanes[s], largest));
  float* weight = seam->weight.data() + t * (sources + 1);
  std::copy_n(lanes.begin(), sources, weight);
  weight[sources] = launch.math.Sum(launch.trees.weights, lanes);
  Settle({launch.taps.weight, launch.given.taps.weight}, t * (sources + 1), sources + 1, weight);
}

}  // namespace

void WeighSources(const Launch& launch, Seam* seam) {
  const int rows = launch.config.token_rows();
  seam->weight.resize(static_cast<size_t>(rows) * (launch.config.sources() + 1));
  for (const int64_t t : launch.rows) WeighToken(launch, t, seam);
}

}  // namespace samebits::kda_pre
