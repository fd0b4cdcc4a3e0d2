#include "golden/strided.h"

#include <algorithm>
#include <numeric>

namespace samebits::golden {
namespace {

/// Moves inner dimensions that are contiguous into the run.
StridedRuns Coalesce(const Operand& operand, const std::vector<size_t>& order) {
  StridedRuns runs;
  runs.offset = operand.offset;
  runs.run_bytes = static_cast<int64_t>(SizeOf(operand.spec.dtype));
  if (operand.spec.elements() == 0) runs.run_bytes = 0;
  bool contiguous = true;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const int64_t extent = operand.spec.shape[*it], stride = operand.strides[*it];
    if (extent == 1) continue;
    contiguous = contiguous && stride == runs.run_bytes;
    if (contiguous) {
      runs.run_bytes *= extent;
    } else {
      runs.extents.push_back(extent);
      runs.strides.push_back(stride);
    }
  }
  std::reverse(runs.extents.begin(), runs.extents.end());
  std::reverse(runs.strides.begin(), runs.strides.end());
  return runs;
}

}  // namespace

StridedRuns DenseOrder(const Operand& operand) {
  std::vector<size_t> order(operand.strides.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return Coalesce(operand, order);
}

StridedRuns MemoryOrder(const Operand& operand) {
  std::vector<size_t> order(operand.strides.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return operand.strides[a] > operand.strides[b]; });
  return Coalesce(operand, order);
}

}  // namespace samebits::golden
