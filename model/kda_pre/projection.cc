#include "model/kda_pre/projection.h"

#include <algorithm>
#include <stdexcept>

#include "model/kda_pre/stages.h"
#include "model/parallel.h"
#include "model/profiles/matrix_units.h"
#include "model/settle.h"

namespace samebits::kda_pre {
namespace {

constexpr int kStepsPerChunk = kChunkColumns / kMatrixStep;
/// Rows in work at once: their chains and their packed copy stay in the cache.
constexpr int kRowBlock = 48;
static_assert(kInProjRows % kRowBlock == 0);

/// Chunks of 128 columns per chain.
std::vector<std::vector<int>> ChunksOf(WaveChains form) {
  const int chains = form == WaveChains::kOne ? 1 : form == WaveChains::kInterleaved4 ? 4 : kWaves;
  std::vector<std::vector<int>> lists(chains);
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    const int chain =
        form == WaveChains::kContiguous8 ? chunk / (kChunks / kWaves) : chunk % chains;
    lists[chain].push_back(chunk);
  }
  return lists;
}

/// Columns first, first + 1, ... of an order.
struct Stretch {
  int first, count;
};

std::vector<Stretch> StretchesOf(std::span<const int> order) {
  std::vector<Stretch> stretches;
  for (const int column : order) {
    if (!stretches.empty() && column == stretches.back().first + stretches.back().count) {
      ++stretches.back().count;
    } else {
      stretches.push_back({column, 1});
    }
  }
  return stretches;
}

/// Nobody wants the tap, and all of it is given.
bool TakeProjection(const Launch& launch, Seam* seam) {
  const float* given = launch.given.taps.proj;
  if (launch.taps.proj != nullptr || given == nullptr) return false;
  for (const int64_t row : launch.rows) {
    const float* values = given + row * kInProjRows;
    if (!std::all_of(values, values + kInProjRows, IsGiven<float>)) return false;
    std::transform(values, values + kInProjRows, seam->proj.data() + row * kInProjRows,
                   arith::RoundToBf16);
  }
  return true;
}

/// x of the rows that are computed, one after the other.
std::vector<uint16_t> RowsOfX(const Launch& launch, const Seam& seam) {
  std::vector<uint16_t> x;
  for (const int64_t row : launch.rows) {
    x.insert(x.end(), seam.x.begin() + row * kHidden, seam.x.begin() + (row + 1) * kHidden);
  }
  return x;
}

void SettleElement(const Launch& launch, int64_t index, uint16_t computed, Seam* seam) {
  float value = arith::Widen(computed);
  Settle({launch.taps.proj, launch.given.taps.proj}, index, 1, &value);
  seam->proj[index] = arith::RoundToBf16(value);
}

}  // namespace

const units::MatrixUnit& UnitOf(const Choices& choices) {
  const auto* named = profiles::FindMatrixUnit(ProfileName(choices.matrix_unit));
  if (named == nullptr) throw std::logic_error("matrix unit without a profile");
  return named->unit;
}

std::vector<int> SlotOrder(const Choices& choices) {
  std::vector<int> order;
  const int halves = choices.matrix_slots == SlotMap::kTwoK16 ? 2 : 1;
  const int per_group = 8 / halves;
  for (int half = 0; half < halves; ++half) {
    for (int group = 0; group < 4; ++group) {
      for (int e = 0; e < per_group; ++e) order.push_back(8 * group + per_group * half + e);
    }
  }
  return order;
}

std::vector<std::vector<int>> ProjectionChains(const Choices& choices) {
  const std::vector<int> slots = SlotOrder(choices);
  std::vector<std::vector<int>> chains;
  for (const std::vector<int>& chunks : ChunksOf(choices.projection_chains)) {
    std::vector<int>& columns = chains.emplace_back();
    for (const int chunk : chunks) {
      for (int step = 0; step < kStepsPerChunk; ++step) {
        const int first = kChunkColumns * chunk + kMatrixStep * step;
        for (const int slot : slots) columns.push_back(first + slot);
      }
    }
  }
  return chains;
}

std::vector<int> GateOrderOf(const Choices& choices) {
  std::vector<int> order;
  for (int step = 0; step < kStepsPerChunk; ++step) {
    for (const int z : SlotOrder(choices)) {
      order.push_back(choices.gate_order == GateOrder::kLanes ? 32 * (z / 8) + 8 * step + z % 8
                                                              : kMatrixStep * step + z);
    }
  }
  return order;
}

void ChainedProducts(const units::MatrixUnit& unit, Path path, const ChainShape& shape,
                     std::span<const int> order, const uint16_t* rows, const uint16_t* columns,
                     float* out) {
  const int k = static_cast<int>(order.size());
  const std::vector<Stretch> stretches = StretchesOf(order);
  const auto arranged = [&](const uint16_t* from, int count, int64_t stride) {
    std::vector<uint16_t> copy(static_cast<size_t>(count) * k);
    uint16_t* to = copy.data();
    for (int i = 0; i < count; ++i, from += stride) {
      for (const Stretch& s : stretches) to = std::copy_n(from + s.first, s.count, to);
    }
    return copy;
  };
  const std::vector<uint16_t> a = arranged(rows, shape.rows, shape.row_stride);
  const std::vector<uint16_t> b = arranged(columns, shape.columns, shape.column_stride);
  const units::PackedMatrix packed(a.data(), k, shape.rows, k);
  const units::ElementStrides strides = {.row = 1, .column = shape.out_stride};
  if (path == Path::kFast) {
    units::Gemm(unit, packed, shape.columns, b.data(), k, nullptr, {}, out, strides);
  } else {
    units::GemmPlain(unit, packed, shape.columns, b.data(), k, nullptr, {}, out, strides);
  }
}

void Project(const Launch& launch, Seam* seam) {
  const int rows = static_cast<int>(launch.rows.size());
  seam->proj.assign(static_cast<size_t>(launch.config.token_rows()) * kInProjRows, 0);
  if (TakeProjection(launch, seam)) return;
  const std::vector<uint16_t> x = RowsOfX(launch, *seam);
  const std::vector<std::vector<int>> chains = ProjectionChains(launch.choices);
  const units::MatrixUnit& unit = UnitOf(launch.choices);
  ParallelFor(kInProjRows / kRowBlock, launch.threads, [&](int64_t block) {
    const int64_t first = block * kRowBlock;
    // [chain][token][row]
    std::vector<float> acc(chains.size() * rows * kRowBlock);
    const ChainShape shape = {kRowBlock, kHidden, rows, kHidden, kRowBlock};
    for (size_t w = 0; w < chains.size(); ++w) {
      ChainedProducts(unit, launch.math.path(), shape, chains[w],
                      launch.operands.w_in + first * kHidden, x.data(),
                      acc.data() + w * rows * kRowBlock);
    }
    std::vector<float> terms(chains.size());
    for (int t = 0; t < rows; ++t) {
      for (int i = 0; i < kRowBlock; ++i) {
        for (size_t w = 0; w < chains.size(); ++w) terms[w] = acc[(w * rows + t) * kRowBlock + i];
        const float sum = launch.math.Sum(launch.trees.waves, terms);
        SettleElement(launch, launch.rows[t] * kInProjRows + first + i, arith::RoundToBf16(sum),
                      seam);
      }
    }
  });
}

}  // namespace samebits::kda_pre
