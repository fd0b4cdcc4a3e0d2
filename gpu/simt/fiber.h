// Stacks of their own and switches between them (Boost.Context), announced to AddressSanitizer.
#ifndef SAMEBITS_GPU_SIMT_FIBER_H_
#define SAMEBITS_GPU_SIMT_FIBER_H_

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace samebits::gpu::simt {

/// One flow of control. A fibre stays on the operating-system thread that started it.
class Fiber {
 public:
  using Entry = void (*)(void* argument);

  /// The flow of control that calls this: the one that fibres return to.
  Fiber() = default;
  /// The next switch to this fibre calls entry(argument) on the stack that ends at `stack_top`.
  void Prepare(std::byte* stack_top, size_t stack_bytes, Entry entry, void* argument);
  /// Suspends `this`, which is running, and resumes `to`. Returns when someone switches back.
  void SwitchTo(Fiber& to);
  /// Brings what a switch to this fibre reads first into the cache.
  void Prefetch() const {
    const auto* top = static_cast<const std::byte*>(context_);
    for (int line = 0; line < 5; ++line) __builtin_prefetch(top + 64 * line, 1);
  }
  /// Ends `this`, which is running.
  [[noreturn]] void LeaveTo(Fiber& to);

 private:
  static void Start(boost::context::detail::transfer_t transfer);
  void Arrive(boost::context::detail::transfer_t transfer);

  boost::context::detail::fcontext_t context_ = nullptr;
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
  // For AddressSanitizer.
  const void* stack_bottom_ = nullptr;
  size_t stack_bytes_ = 0;
  void* fake_stack_ = nullptr;
};

/// Equal stacks in one mapping, each below a guard page that ends an overflow with a fault; of more
/// than 16384, every second, third, ... has one.
class Stacks {
 public:
  /// Throws std::bad_alloc.
  Stacks(int count, size_t bytes);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  int count() const { return count_; }
  /// Usable bytes of one stack.
  size_t bytes() const { return bytes_; }
  std::byte* top(int index) const { return base_ + static_cast<size_t>(index + 1) * pitch_; }

 private:
  int count_;
  size_t bytes_;
  size_t pitch_;
  std::byte* base_;
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_FIBER_H_
