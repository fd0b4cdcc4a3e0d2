// in_proj on the matrix unit (SPEC.md 4.5, 4.6).
#ifndef SAMEBITS_MODEL_KDA_PRE_PROJECTION_H_
#define SAMEBITS_MODEL_KDA_PRE_PROJECTION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "model/kda_pre/config.h"
#include "model/kda_pre/contract.h"
#include "model/kda_pre/math.h"
#include "model/units/matrix_unit.h"
#include "model/units/matrix_unit_packed.h"

namespace samebits::kda_pre {

const units::MatrixUnit& UnitOf(const Choices& choices);
/// The slots 0..31 of an MFMA32 in the order in which the hardware consumes them (4.6).
std::vector<int> SlotOrder(const Choices& choices);
/// Columns of x in the order of accumulation, one list per chain (4.5).
std::vector<std::vector<int>> ProjectionChains(const Choices& choices);
/// k of f_b in the order of accumulation (4.8).
std::vector<int> GateOrderOf(const Choices& choices);

/// out[j][i] = chain over k of rows[i][order[k]] . columns[j][order[k]] from +0. rows: bf16 bits
/// [n_rows][stride], columns likewise; out: [n_columns][out_stride].
struct ChainShape {
  int rows = 0;
  int64_t row_stride = 0;
  int columns = 0;
  int64_t column_stride = 0;
  int64_t out_stride = 0;
};
void ChainedProducts(const units::MatrixUnit& unit, Path path, const ChainShape& shape,
                     std::span<const int> order, const uint16_t* rows, const uint16_t* columns,
                     float* out);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_PROJECTION_H_
