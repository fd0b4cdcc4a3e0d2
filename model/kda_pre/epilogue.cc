#include <algorithm>
#include <array>

#include "model/kda_pre/constants.h"
#include "model/kda_pre/stages.h"
#include "model/settle.h"

namespace samebits::kda_pre {

void Finish(const Launch& launch, const Seam& seam, const Place& place, const Item& item) {
  const Config& c = launch.config;
  for (int j = 0; j < c.tokens; ++j) {
    const float* o = item.out[j];
    std::array<float, kValueChunks> norms;  // ONRM
    for (int chunk = 0; chunk < kValueChunks; ++chunk) {
      const float* values = o + chunk * kValueChunk;
      norms[chunk] = order::SumProducts(launch.trees.value_chunk, values, values);
    }
    const int64_t pair = int64_t{place.request} * kHeads + place.head;
    Settle({launch.taps.onrm, launch.given.taps.onrm}, (pair * c.tokens + j) * kValueChunks,
           kValueChunks, norms.data());
    const float sum = launch.math.Sum(launch.trees.out_norm, norms);
    const float r = launch.math.Rsq(
        MultiplyThenAdd(launch.choices.out_variance, sum, kInverseHeadDim, c.onorm_eps));
    const int64_t row = place.row(c, j);
    const uint16_t* gate = Projected(seam, row) + kGateRow + place.channel();
    uint16_t* result = launch.operands.core_out + row * kProjection + place.channel();
    for (int v = 0; v < kHeadDim; ++v) {
      const float scaled = arith::Mul(arith::Mul(o[v], r), arith::Widen(launch.operands.on_w[v]));
      result[v] =
          arith::RoundToBf16(arith::Mul(scaled, launch.math.Sigmoid(arith::Widen(gate[v]))));
    }
  }
}

}  // namespace samebits::kda_pre
