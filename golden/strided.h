// The elements of an operand as runs of contiguous bytes.
#ifndef SAMEBITS_GOLDEN_STRIDED_H_
#define SAMEBITS_GOLDEN_STRIDED_H_

#include <cstdint>
#include <vector>

#include "model/kernel.h"

namespace samebits::golden {

/// A nest of loops, outermost first, around runs of `run_bytes` bytes.
struct StridedRuns {
  int64_t offset = 0;  // bytes, of the first run
  int64_t run_bytes = 0;
  std::vector<int64_t> extents;
  std::vector<int64_t> strides;  // bytes

  /// visit(offset in the allocation), in order of the nest.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    if (run_bytes > 0) Nest(0, offset, visit);
  }

 private:
  template <typename Visit>
  void Nest(size_t depth, int64_t at, const Visit& visit) const {
    if (depth == extents.size()) return visit(at);
    for (int64_t i = 0; i < extents[depth]; ++i) Nest(depth + 1, at + i * strides[depth], visit);
  }
};

/// Runs in row-major order of the elements, so that the dense tensor is their concatenation.
StridedRuns DenseOrder(const Operand& operand);
/// The longest runs, outer strides first: which bytes are elements, in any order.
StridedRuns MemoryOrder(const Operand& operand);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_STRIDED_H_
