// Vector blocks. Every path is exact where it applies, for the reasons that stand beside it; lanes
// where it does not apply are recomputed by the plain block.
#include "model/units/matrix_unit_simd.h"

#include <bit>

#include "model/units/matrix_unit_block.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/units/matrix_unit_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "model/units/matrix_unit_exact-inl.h"
#include "model/units/matrix_unit_join-inl.h"
#include "model/units/matrix_unit_late-inl.h"
#include "model/units/matrix_unit_pair-inl.h"

HWY_BEFORE_NAMESPACE();
namespace samebits::units::HWY_NAMESPACE {
namespace {

template <int kColumns>
void SumTile(const MatrixUnit& unit, const Tile& tile) {
  switch (unit.op) {
    case BlockSum::kJoin:
      return JoinTile<kColumns>(unit, tile);
    case BlockSum::kLate:
      return LateTile<kColumns>(unit, tile);
    case BlockSum::kPair:
      return PairTile<kColumns>(unit, tile);
    case BlockSum::kSequential:
      return SequentialTile<kColumns>(unit, tile);
    case BlockSum::kExact:
      return ExactTile<kColumns>(unit, tile);
  }
}

void SumGroup(const MatrixUnit& unit, const PackedMatrix& a, int group,
              const PackedColumns& columns, int first, int count, float* sums) {
  const int64_t offset = first * columns.padded_k;
  Tile tile{.a = a.values(group),
            .a_exp = a.exponents(group),
            .b = columns.values.data() + offset,
            .b_exp = columns.exponents.data() + offset,
            .b_stride = columns.padded_k,
            .k = (a.k() + unit.instruction_k - 1) / unit.instruction_k * unit.instruction_k,
            .rows = a.rows() - group * kRows,
            .sums = sums};
  const auto advance = [&](int n) {
    tile.b += n * tile.b_stride;
    tile.b_exp += n * tile.b_stride;
    tile.sums += n * kRows;
    count -= n;
  };
  for (; count >= 4; advance(4)) SumTile<4>(unit, tile);
  if (count >= 2) {
    SumTile<2>(unit, tile);
    advance(2);
  }
  if (count == 1) SumTile<1>(unit, tile);
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace
}  // namespace samebits::units::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace samebits::units {

HWY_EXPORT(SumGroup);
HWY_EXPORT(TargetName);

void SumGroupSimd(const MatrixUnit& unit, const PackedMatrix& a, int group,
                  const PackedColumns& columns, int first, int count, float* sums) {
  HWY_DYNAMIC_DISPATCH(SumGroup)(unit, a, group, columns, first, count, sums);
}

const char* MatrixUnitTarget() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace samebits::units
#endif  // HWY_ONCE
