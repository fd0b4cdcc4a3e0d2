// Matrix products of operands in shared memory, or partly in registers: descriptors, and wgmma.
#ifndef SAMEBITS_GPU_SIMT_PRODUCTS_H_
#define SAMEBITS_GPU_SIMT_PRODUCTS_H_

#include <cstdint>
#include <vector>

#include "gpu/simt/block.h"
#include "gpu/simt/thread.h"

namespace samebits::gpu::simt {

inline constexpr int kProductK = 16;

/// An operand: rows of 16 bf16 values in a K-major tile with 128-byte swizzle.
struct Tile {
  int64_t start = 0;   // offset in shared memory
  int64_t stride = 0;  // bytes of 8 rows

  /// Where the 16-byte chunk 0 or 1 of a row lies.
  int64_t ChunkAt(int row, int chunk) const;
};

enum class Descriptor : uint8_t { kWgmma, kTcgen05 };
uint64_t MakeDescriptor(Thread& self, Descriptor kind, const void* shared);
/// Faults if it describes anything else.
Tile DecodeDescriptor(const Thread& self, Descriptor kind, uint64_t descriptor);
/// Faults unless the asynchronous proxy may read rows [first, first + rows) of the tile now.
void CheckTileRead(Thread& self, const Tile& tile, int first, int rows, Mark mark);
/// The rows as [rows][16] bf16 bits.
std::vector<uint16_t> ReadTile(const SharedMemory& shared, const Tile& tile, int first, int rows);

/// The queue of the thread's warp.
MatrixQueue& QueueOf(Thread& self);
/// The epoch and actor of the warp's next work.
Stamp NextProduct(Thread& self);

// wgmma, of one lane; fragments as in gpu/lane/README.md. `d` has n / 2 values.
void Wgmma(Thread& self, float* d, int n, uint64_t a, uint64_t b, bool accumulate, Where where);
/// A from four registers, which must outlive the wait for the product: what they hold is read as it
/// starts, and a change that shows at a later product or wait is a fault.
void Wgmma(Thread& self, float* d, int n, const uint32_t* a, uint64_t b, bool accumulate,
           Where where);
void WgmmaFence(Thread& self, Where where);
void WgmmaCommit(Thread& self, Where where);
void WgmmaWait(Thread& self, int pending, Where where);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_PRODUCTS_H_
