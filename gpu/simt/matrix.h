// Asynchronous matrix products: what a warp has started, and the tensor memory of a block.
#ifndef SAMEBITS_GPU_SIMT_MATRIX_H_
#define SAMEBITS_GPU_SIMT_MATRIX_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "gpu/simt/clock.h"
#include "gpu/simt/shared_memory.h"

namespace samebits::gpu::simt {

struct Thread;

/// Registers that wgmma adds to. Between the first product and the wait for the last one they hold
/// what no one may read.
struct Accumulators {
  std::array<float*, 32> registers{};  // of the lanes
  int columns = 0;
  std::vector<float> values;  // [16][columns], rows of the warp
  uint32_t last = 0;          // product
};

/// Registers that wgmma products read as operand A: not to be written before the wait for the last
/// of these, and then only in front of a fence.
struct RegisterOperand {
  using Values = std::array<std::array<uint32_t, 4>, 32>;  // of the lanes
  std::array<const uint32_t*, 32> registers{};
  Values values{};    // when the products started
  uint32_t last = 0;  // product
  uint32_t line = 0;  // of it
};

/// A read of tensor memory that its warp has not waited for.
struct TensorRead {
  std::array<float*, 32> registers{};
  int column = 0;
  int columns = 0;
};

/// The matrix work of one warp, done in the order in which it was started, each at a moment that
/// the schedule chooses.
class MatrixQueue {
 public:
  /// Number of the next work: its epoch for the warp's matrix actor.
  uint32_t next() const { return issued_ + 1; }
  uint32_t issued() const { return issued_; }
  bool idle() const { return work_.empty(); }
  void Push(Thread& self, std::function<void()> work);
  /// Does everything up to that number.
  void RunTo(uint32_t number);
  void RunOne();

  // wgmma.
  std::vector<Accumulators> accumulators;
  std::vector<RegisterOperand> register_operands;  // in flight, or with no fence since
  std::vector<uint32_t> groups;                    // [commit]: the last product in front of it
  uint32_t products = 0;
  uint32_t waited = 0;
  bool fenced = false;  // registers are ordered before the next product
  // tcgen05.
  std::vector<TensorRead> reads;
  ClockRef known;  // to the thread that issued the last product, then

  void set_step_started(bool started) { step_started_ = started; }

 private:
  std::deque<std::function<void()>> work_;
  uint32_t issued_ = 0;
  bool step_started_ = false;  // a copy in flight will do the next work
};

/// Tensor memory: columns of 128 lanes. Cells that no product wrote hold `fill`.
struct TensorMemory {
  static constexpr int kLanes = 128;
  static constexpr int kColumns = 512;
  static constexpr int kWarps = 4;  // each reads 32 lanes

  struct Column {
    uint16_t allocation = 0;  // its first column + 1, 0: free
    Mark write;
    std::array<Mark, kWarps> reads;
    std::array<float, kLanes> cells;
    bool written = false;
  };
  std::vector<Column> columns = std::vector<Column>(kColumns);
  bool relinquished = false;
  std::vector<Thread*> waiting;
};

/// What registers hold while an asynchronous operation is about to write them: a NaN that no
/// arithmetic makes.
inline constexpr uint32_t kPending = 0x7FDEAD01;

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_MATRIX_H_
