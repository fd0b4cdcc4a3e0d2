#include "gpu/simt/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "gpu/simt/team.h"
#include "model/contract.h"
#include "model/parallel.h"

namespace samebits::gpu::simt {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr size_t kStackBytes = 256 << 10;
#else
constexpr size_t kStackBytes = 64 << 10;
#endif
constexpr int kMaxThreads = 1024;
constexpr int kRegisterFile = 65536;

void Require(bool legal, const char* field, const char* expected) {
  if (!legal) throw ConfigError(fmt::format("launch: {}: expected {}", field, expected));
}

size_t StackBytes(const Options& options) {
  return options.stack_bytes != 0 ? options.stack_bytes : kStackBytes;
}

/// Stacks that teams use one after the other.
class StackStore {
 public:
  StackStore(int count, size_t bytes) : count_(count), bytes_(bytes) {}
  std::unique_ptr<Stacks> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto stacks = std::move(free_.back());
        free_.pop_back();
        return stacks;
      }
    }
    return std::make_unique<Stacks>(count_, bytes_);
  }
  void Return(std::unique_ptr<Stacks> stacks) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(stacks));
  }

 private:
  int count_;
  size_t bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Stacks>> free_;
};

std::vector<int> Shuffled(int count, uint64_t seed) {
  std::vector<int> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (seed == 0) return order;
  Random random(seed);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.Below(static_cast<uint32_t>(i))]);
  }
  return order;
}

}  // namespace

void LaunchShape::validate() const {
  Require(blocks >= 1, "blocks", "at least 1");
  Require(threads >= 1 && threads <= kMaxThreads, "threads", "1 to 1024");
  Require(warp_size == 32 || warp_size == 64, "warp_size", "32 or 64");
  Require(cluster >= 1 && cluster <= 16 && blocks % cluster == 0, "cluster",
          "1 to 16, a divisor of blocks");
  Require(shared_bytes >= 0, "shared_bytes", "at least 0");
  Require(registers >= 0 && registers % 8 == 0 && registers * threads <= kRegisterFile, "registers",
          "a multiple of 8, at most 65536 of all threads together");
}

void Launch(const LaunchShape& shape, const Options& options, const Units& units,
            const GlobalMemory& memory, const std::function<void()>& body) {
  shape.validate();
  const int clusters = shape.blocks / shape.cluster;
  const int together = shape.co_resident ? clusters : 1;
  const int teams = clusters / together;
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int cpu_threads = options.cpu_threads > 0 ? options.cpu_threads : processors;
  const std::vector<int> order = Shuffled(teams, options.schedule);
  StackStore store(together * shape.cluster * shape.threads, StackBytes(options));
  ParallelFor(teams, cpu_threads, [&](int64_t i) {
    std::unique_ptr<Stacks> stacks = store.Take();
    const GridPart part{shape, body, order[static_cast<size_t>(i)] * together, together};
    Team team({&part, 1}, options, units, memory, *stacks);
    team.Run();
    store.Return(std::move(stacks));
  });
}

void LaunchTogether(const GridLaunch& first, const GridLaunch& second, const Options& options,
                    const Units& units, const GlobalMemory& memory) {
  std::vector<GridPart> parts;
  int threads = 0;
  for (const GridLaunch* grid : {&first, &second}) {
    const LaunchShape& shape = grid->shape;
    shape.validate();
    parts.push_back({shape, grid->body, 0, shape.blocks / shape.cluster});
    threads += shape.blocks * shape.threads;
  }
  Require(second.shape.dependent, "dependent", "true of the second of two grids");
  Stacks stacks(threads, StackBytes(options));
  Team(parts, options, units, memory, stacks).Run();
}

}  // namespace samebits::gpu::simt
