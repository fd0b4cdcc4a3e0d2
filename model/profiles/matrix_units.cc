#include "model/profiles/matrix_units.h"

#include <array>

namespace samebits::profiles {
namespace {

using units::BlockSum;
using units::MatrixUnit;
using units::Rounding;

constexpr MatrixUnit Hopper() { return {}; }  // L = 16, F = 25, floor -133: the defaults

constexpr MatrixUnit Ampere() {
  MatrixUnit unit;
  unit.products_per_block = 8;
  unit.fraction_bits = 24;
  unit.exponent_floor = -132;
  return unit;
}

constexpr MatrixUnit Cdna3(int instruction_k, int products_per_block) {
  MatrixUnit unit;
  unit.op = BlockSum::kLate;
  unit.instruction_k = instruction_k;
  unit.products_per_block = products_per_block;
  unit.fraction_bits = 24;
  unit.product_overflow = true;
  unit.rounding = Rounding::kNearestEven;
  return unit;
}

constexpr MatrixUnit Cdna2(int instruction_k, int products_per_block) {
  MatrixUnit unit;
  unit.op = BlockSum::kPair;
  unit.instruction_k = instruction_k;
  unit.products_per_block = products_per_block;
  unit.flush_inputs = true;
  unit.flush_results = true;
  unit.rounding = Rounding::kNearestEven;
  return unit;
}

constexpr MatrixUnit Exact(int instruction_k, int products_per_block) {
  MatrixUnit unit;
  unit.op = BlockSum::kExact;
  unit.instruction_k = instruction_k;
  unit.products_per_block = products_per_block;
  unit.rounding = Rounding::kNearestEven;
  return unit;
}

constexpr MatrixUnit Sequential() {
  MatrixUnit unit = Exact(1, 1);
  unit.op = BlockSum::kSequential;
  return unit;
}

constexpr std::string_view kCdna4Source =
    "no published model of CDNA4; CDNA3's rules with this block length are one of three "
    "hypotheses (matrix_units.md 4.3)";

constexpr std::array kUnits = {
    NamedMatrixUnit{"sm_90.mma_sync", "mma.sync.m16n8k16", Hopper(), Evidence::kMeasured,
                    "mma.sync m16n8k16 on an H200: 384,000 results and 143 corner cases in "
                    "data/silicon/sm_90/matrix_unit*"},
    NamedMatrixUnit{"sm_90.wgmma", "wgmma.m64n8k16", Hopper(), Evidence::kMeasured,
                    "wgmma m64n8k16 on an H200: 512,000 results and 143 corner cases in "
                    "data/silicon/sm_90/matrix_unit*"},
    NamedMatrixUnit{"sm_100.mma_sync", "mma.sync.m16n8k16", Hopper(), Evidence::kPublished,
                    "MMA-Sim and Khattak-Mikaitis; 5,000 public B200 captures (matrix_units.md 6); "
                    "zero signs as on sm_90"},
    NamedMatrixUnit{"sm_100.tcgen05", "tcgen05.mma.kind::f16.m64n8k16", Hopper(),
                    Evidence::kPublished,
                    "MMA-Sim, kind::f16 cta_group::1 (matrix_units.md 5); zero signs as on sm_90"},
    NamedMatrixUnit{"sm_80.mma_sync", "mma.sync.m16n8k16", Ampere(), Evidence::kPublished,
                    "MMA-Sim, Khattak-Mikaitis, FPRev, Fasi et al.; 5,000 public A100 captures "
                    "(matrix_units.md 6); zero signs as on sm_90"},
    NamedMatrixUnit{
        "gfx942.mfma_16x16x16", "v_mfma_f32_16x16x16_bf16", Cdna3(16, 8), Evidence::kPublished,
        "v_mfma_f32_16x16x16_bf16: MMA-Sim and Khattak-Mikaitis, who differ in the last "
        "guard bit (matrix_units.md 8); the NaN pattern is unknown"},
    NamedMatrixUnit{"gfx942.mfma_32x32x8", "v_mfma_f32_32x32x8_bf16", Cdna3(8, 8),
                    Evidence::kPublished, "v_mfma_f32_32x32x8_bf16: as 16x16x16"},
    NamedMatrixUnit{"gfx950.late_8", "v_mfma_f32_16x16x32_bf16", Cdna3(32, 8), Evidence::kAssumed,
                    kCdna4Source},
    NamedMatrixUnit{"gfx950.late_16", "v_mfma_f32_16x16x32_bf16", Cdna3(32, 16), Evidence::kAssumed,
                    kCdna4Source},
    NamedMatrixUnit{"gfx950.late_32", "v_mfma_f32_16x16x32_bf16", Cdna3(32, 32), Evidence::kAssumed,
                    kCdna4Source},
    NamedMatrixUnit{"gfx90a.mfma_bf16_1k", "v_mfma_f32_16x16x16bf16_1k", Cdna2(16, 4),
                    Evidence::kPublished,
                    "v_mfma_f32_16x16x16bf16_1k: MMA-Sim, Khattak-Mikaitis; flushing also in "
                    "MIOpen's notes (matrix_units.md 5)"},
    NamedMatrixUnit{"gfx90a.mfma_bf16", "", Cdna2(8, 2), Evidence::kPublished,
                    "v_mfma_f32_16x16x8bf16: MMA-Sim, Khattak-Mikaitis (matrix_units.md 5)"},
    NamedMatrixUnit{"gfx908.mfma_bf16", "", Exact(8, 2), Evidence::kPublished,
                    "v_mfma_f32_16x16x8bf16: newer MMA-Sim, Khattak-Mikaitis (matrix_units.md 8)"},
    NamedMatrixUnit{"reference.exact_rn", "", Exact(16, 16), Evidence::kReference,
                    "16 products and the accumulator summed exactly, rounded once to nearest even"},
    NamedMatrixUnit{"reference.sequential_fma", "", Sequential(), Evidence::kReference,
                    "one fma per product in order of k"},
};

}  // namespace

std::span<const NamedMatrixUnit> MatrixUnits() { return kUnits; }

const NamedMatrixUnit* FindMatrixUnit(std::string_view name) {
  for (const NamedMatrixUnit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

std::string_view ToString(Evidence evidence) {
  switch (evidence) {
    case Evidence::kMeasured:
      return "measured";
    case Evidence::kPublished:
      return "published";
    case Evidence::kAssumed:
      return "assumed";
    case Evidence::kReference:
      break;
  }
  return "reference";
}

}  // namespace samebits::profiles
