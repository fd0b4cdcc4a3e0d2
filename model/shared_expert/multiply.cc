// Products of weights and tokens on the matrix unit (SPEC.md 4.1).
#include "model/shared_expert/spans.h"
#include "model/shared_expert/stages.h"

namespace samebits::shared_expert {

Tokens MakeTokens(const Launch& launch, const uint16_t* rows, int64_t stride, int k) {
  Tokens tokens = {.rows = rows, .stride = stride, .packed = {}};
  if (launch.path == Path::kFast) {
    tokens.packed = units::PackColumns(launch.unit, rows, stride, launch.config.batch, k);
  }
  return tokens;
}

void Multiply(const Launch& launch, const units::PackedMatrix& weights, const Tokens& tokens,
              float* out, units::ElementStrides strides) {
  if (launch.path == Path::kFast) {
    units::Gemm(launch.unit, weights, tokens.packed, nullptr, {}, out, strides);
  } else {
    units::GemmPlain(launch.unit, weights, launch.config.batch, tokens.rows, tokens.stride, nullptr,
                     {}, out, strides);
  }
}

std::vector<Tokens> SplitTokens(const Launch& launch, int step) {
  const Derived& d = launch.derived;
  const int64_t width = launch.config.geometry.width;
  const uint16_t* x = launch.operands.x + step * launch.config.batch * width;
  std::vector<Tokens> tokens;
  for (int c = 0; c < d.ks; ++c) {
    const Span span = Split(launch.choices.split, d.k_blocks, c, d.ks);
    tokens.push_back(
        MakeTokens(launch, x + int64_t{span.first} * kBlockK, width, span.count * kBlockK));
  }
  return tokens;
}

}  // namespace samebits::shared_expert
