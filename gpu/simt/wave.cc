#include "gpu/simt/wave.h"

#include <fmt/format.h>

#include <cstring>

#include "gpu/simt/block.h"
#include "gpu/simt/team.h"
#include "gpu/simt/warp.h"

namespace samebits::gpu::simt {
namespace {

constexpr int kLanes = 64, kSize = 16;  // rows and columns of the product

struct MfmaOperand {
  float* d;       // rows 4 (lane / 16) .. + 3 of column lane % 16
  const void* a;  // row lane % 16, products kEach (lane / 16) ..
  const void* b;  // column lane % 16, the same products
};

/// A column of B with its accumulators, and the lanes that have it: kernels fill the columns that
/// they do not need with copies, which are computed once.
template <int kK>
struct Columns {
  uint16_t b[kSize][kK];
  float c[kSize][kSize];  // [column][row]
  int first[kSize];       // column -> the first one that equals it, among the distinct
  int distinct = 0;

  void Drop(int column) {
    for (int i = 0; i < distinct; ++i) {
      if (std::memcmp(b[i], b[column], sizeof(b[i])) == 0 &&
          std::memcmp(c[i], c[column], sizeof(c[i])) == 0) {
        first[column] = i;
        return;
      }
    }
    if (distinct != column) {
      std::memcpy(b[distinct], b[column], sizeof(b[column]));
      std::memcpy(c[distinct], c[column], sizeof(c[column]));
    }
    first[column] = distinct++;
  }
};

template <int kK>
void CombineMfma(void* const* operands, uint64_t, const Thread& last) {
  constexpr int kEach = kK / 4;
  uint16_t a[kSize][kK];
  Columns<kK> columns;
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto& own = *static_cast<const MfmaOperand*>(operands[lane]);
    const int at = lane % kSize, group = lane / kSize;
    std::memcpy(&a[at][group * kEach], own.a, kEach * sizeof(uint16_t));
    std::memcpy(&columns.b[at][group * kEach], own.b, kEach * sizeof(uint16_t));
    std::memcpy(&columns.c[at][group * 4], own.d, 4 * sizeof(float));
  }
  for (int column = 0; column < kSize; ++column) columns.Drop(column);
  // Products commute, so that the transpose has the same bits.
  units::Gemm(last.team->units().matrix, {columns.distinct, kSize, kK}, columns.b[0], kK, a[0], kK,
              columns.c[0], kSize, columns.c[0], kSize);
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto& own = *static_cast<const MfmaOperand*>(operands[lane]);
    std::memcpy(own.d, &columns.c[columns.first[lane % kSize]][lane / kSize * 4],
                4 * sizeof(float));
  }
}

template <int kK>
void Mfma(Thread& self, Float4& d, const void* a, const void* b, Where where) {
  MfmaOperand operand{&d.x, a, b};
  const uint64_t mask = FullMask(self);
  self.where = where;
  if (mask != ~uint64_t{0}) {
    Fail(self, FaultKind::kBarrier, "needs a wave of 64 lanes for a matrix product");
  }
  if (self.team->units().matrix.instruction_k != kK) {
    Fail(self, FaultKind::kBarrier,
         fmt::format("multiplies {} products at once, which this chip's matrix unit does not", kK));
  }
  Meet(self, mask, Collective::kMma, &operand, &CombineMfma<kK>, where);
}

}  // namespace

void Mfma16(Thread& self, Float4& d, Word2 a, Word2 b, Where where) {
  Mfma<16>(self, d, &a, &b, where);
}

void Mfma32(Thread& self, Float4& d, Word4 a, Word4 b, Where where) {
  Mfma<32>(self, d, &a, &b, where);
}

}  // namespace samebits::gpu::simt
