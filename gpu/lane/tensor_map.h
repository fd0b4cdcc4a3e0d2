// Tensor maps: how the tensor copies of a lane see a matrix in global memory.
#ifndef SAMEBITS_GPU_LANE_TENSOR_MAP_H_
#define SAMEBITS_GPU_LANE_TENSOR_MAP_H_

#include <cstdint>

namespace samebits::gpu {

/// How the rows of a box lie in shared memory.
enum class Swizzle : uint32_t {
  kNone,
  k128Bytes,  // rows of 128 bytes; 16-byte chunk c of row r is at place c ^ r % 8
};

/// A matrix of 16-bit elements, row-major, and the box that one copy moves.
struct TensorDescription {
  const void* base = nullptr;  // 16-byte aligned
  int64_t columns = 0;
  int64_t rows = 0;
  int64_t row_bytes = 0;  // from row to row, a multiple of 16
  int box_columns = 0;    // 1..256; the bytes of a row of the box are a multiple of 16
  int box_rows = 0;       // 1..256
  Swizzle swizzle = Swizzle::kNone;

  int64_t box_bytes() const { return int64_t{2} * box_columns * box_rows; }
  /// What is wrong with it, nullptr if nothing is.
  const char* Problem() const {
    if (base == nullptr || reinterpret_cast<uintptr_t>(base) % 16 != 0) {
      return "base: expected an address that is a multiple of 16";
    }
    if (columns < 1 || rows < 1 || columns > INT32_MAX || rows > INT32_MAX) {
      return "columns, rows: expected 1 to 2^31 - 1";
    }
    if (row_bytes % 16 != 0 || row_bytes < 2 * columns) {
      return "row_bytes: expected a multiple of 16, at least the bytes of a row";
    }
    if (box_columns < 1 || box_columns > 256 || box_columns % 8 != 0) {
      return "box_columns: expected 8 to 256, a multiple of 8";
    }
    if (box_rows < 1 || box_rows > 256) return "box_rows: expected 1 to 256";
    if (swizzle == Swizzle::k128Bytes && box_columns > 64) {
      return "box_columns: expected at most 64 with 128-byte swizzle";
    }
    return nullptr;
  }
};

/// Opaque; passed to kernels by address. On a GPU a CUtensorMap (gpu/cuda/tensor_map.h makes it),
/// under the executor a description (gpu/simt/tensor_map.h).
struct alignas(64) TensorMap {
  uint64_t words[16];
};

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_LANE_TENSOR_MAP_H_
