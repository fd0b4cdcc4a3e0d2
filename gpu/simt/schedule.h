// Which thread runs next and when an asynchronous copy completes: a pure function of the seed.
#ifndef SAMEBITS_GPU_SIMT_SCHEDULE_H_
#define SAMEBITS_GPU_SIMT_SCHEDULE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace samebits::gpu::simt {

class Thread;

/// SplitMix64: one multiplication chain per draw, any seed is good.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound), bound > 0.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(((Next() >> 32) * bound) >> 32); }
  /// True once in `one_in` draws, never for 0.
  bool Chance(uint32_t one_in) { return one_in != 0 && Below(one_in) == 0; }

 private:
  uint64_t state_;
};

/// How a seed orders things. Uniform choice alone keeps all threads at about the same place; the
/// other kinds let some of them fall or run far behind or ahead, which is where faults show.
struct Policy {
  enum class Order : uint8_t {
    kRoundRobin,  // seed 0: first in, first out
    kUniform,     // any runnable thread
    kPriorities,  // warps have random priorities, changed now and then
    kDepthFirst,  // the thread that became runnable last, most of the time
  };
  /// When the second of two grids that run together starts: a GPU may have room for its blocks as
  /// soon as the first one lets it, for some of them, or for none until the first one has ended.
  enum class Start : uint8_t { kEarly, kMixed, kLate };
  Order order = Order::kRoundRobin;
  Start start = Start::kEarly;
  uint32_t yield_one_in = 0;     // an operation that need not wait lets others run
  uint32_t complete_one_in = 0;  // a scheduling step completes an asynchronous copy; 0: only when
                                 // someone waits for it

  static Policy Of(uint64_t seed) {
    if (seed == 0) return {};
    Random random(seed);
    static constexpr std::array kOrders = {Order::kUniform, Order::kPriorities, Order::kDepthFirst,
                                           Order::kPriorities};
    static constexpr std::array<uint32_t, 4> kYields = {0, 4, 16, 64};
    static constexpr std::array<uint32_t, 4> kCompletions = {0, 1, 8, 64};
    static constexpr std::array kStarts = {Start::kEarly, Start::kEarly, Start::kMixed,
                                           Start::kLate};
    Policy policy;
    policy.order = kOrders[seed % 4];
    policy.yield_one_in = kYields[random.Below(4)];
    policy.complete_one_in = kCompletions[random.Below(4)];
    policy.start = kStarts[random.Below(4)];
    return policy;
  }
};

/// The threads that can run.
class ReadyThreads {
 public:
  ReadyThreads(Policy::Order order, uint64_t seed)
      : order_(order), random_(seed), draw_(random_.Next()) {}

  bool empty() const { return used_levels_ == 0; }
  /// `level` in [0, kLevels): lower runs first under kPriorities.
  void Push(Thread* thread, int level) {
    if (order_ != Policy::Order::kPriorities) level = 0;
    levels_[static_cast<size_t>(level)].threads.push_back(thread);
    used_levels_ |= 1u << level;
  }
  /// Push of each, where levels do not matter.
  void PushAll(std::span<Thread* const> threads) {
    if (threads.empty()) return;
    std::vector<Thread*>& to = levels_[0].threads;
    to.insert(to.end(), threads.begin(), threads.end());
    used_levels_ |= 1;
  }
  /// Not empty.
  Thread* Pop() {
    const int index = std::countr_zero(used_levels_);
    Level& level = levels_[static_cast<size_t>(index)];
    Thread* thread = order_ == Policy::Order::kRoundRobin ? level.PopFront() : PopAny(level);
    if (level.empty()) {
      level.Clear();
      used_levels_ &= ~(1u << index);
    }
    return thread;
  }
  /// The thread that the next Pop returns unless others are pushed before; nullptr if unknown.
  Thread* Likely() const {
    if (empty()) return nullptr;
    const Level& level = levels_[static_cast<size_t>(std::countr_zero(used_levels_))];
    return order_ == Policy::Order::kRoundRobin ? level.threads[level.head]
                                                : level.threads[Pick(level.threads.size())];
  }
  int RandomLevel() { return static_cast<int>(random_.Below(kLevels)); }

  static constexpr int kLevels = 8;

 private:
  struct Level {
    std::vector<Thread*> threads;
    size_t head = 0;

    bool empty() const { return head == threads.size(); }
    void Clear() {
      threads.clear();
      head = 0;
    }
    Thread* PopFront() {
      Thread* thread = threads[head++];
      if (head >= 4096 &&
          2 * head >= threads.size()) {  // the queue moves through memory; bring it back
        threads.erase(threads.begin(), threads.begin() + static_cast<std::ptrdiff_t>(head));
        head = 0;
      }
      return thread;
    }
  };

  /// By the number drawn for the next Pop: its high half chooses, its low bits say whether depth
  /// first makes an exception.
  size_t Pick(size_t count) const {
    if (order_ == Policy::Order::kDepthFirst && (draw_ & 15) != 0) return count - 1;
    return static_cast<size_t>(((draw_ >> 32) * count) >> 32);
  }
  Thread* PopAny(Level& level) {
    std::vector<Thread*>& threads = level.threads;
    const size_t pick = Pick(threads.size());
    draw_ = random_.Next();
    Thread* thread = threads[pick];
    threads[pick] = threads.back();
    threads.pop_back();
    return thread;
  }

  Policy::Order order_;
  Random random_;
  uint64_t draw_;  // one ahead
  std::array<Level, kLevels> levels_;
  uint32_t used_levels_ = 0;
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_SCHEDULE_H_
