#include "model/kda_decode/run.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "model/kda_decode/stages.h"
#include "model/parallel.h"

namespace samebits::kda_decode {
namespace {

/// Items in work at once share their memory with the ones before them.
class ItemPool {
 public:
  std::unique_ptr<Item> Take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<Item>();
    std::unique_ptr<Item> item = std::move(free_.back());
    free_.pop_back();
    return item;
  }
  void Return(std::unique_ptr<Item> item) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(item));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Item>> free_;
};

/// SPEC.md 2.4; nothing for a padded row.
std::optional<Place> Locate(const Config& config, const Operands& operands, int request, int head) {
  const int32_t* row = operands.slots + request * operands.slots_stride;
  Place place = {.request = request, .head = head};
  if (config.tokens > 1) place.offset = operands.num_accepted[request] - 1;
  place.slot = row[place.offset];
  place.conv_slot = row[0];
  if (place.slot <= 0) return std::nullopt;
  return place;
}

void WriteZeros(const Config& config, const Operands& operands, int request, int head) {
  for (int t = 0; t < config.tokens; ++t) {
    const int64_t row = int64_t{request} * config.tokens + t;
    std::fill_n(operands.output + row * operands.output_stride + int64_t{head} * kHeadDim, kHeadDim,
                uint16_t{0});
  }
}

void RunItem(const Launch& launch, const Place& place, Item* item) {
  Convolve(launch, place, item);
  Normalise(launch, place, item);
  Gate(launch, place, item);
  Recur(launch, place, item);
  Finish(launch, place, item);
}

}  // namespace

void RunLaunch(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, int threads, Path path) {
  RunStages(config, choices, operands, taps, {}, {}, threads, path);
}

void RunStages(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, const Given& given, std::span<const int64_t> items, int threads,
               Path path) {
  const Math math(choices, path);
  const Trees trees = MakeTrees(config, choices);
  std::vector<RawGate> raw_gates;
  raw_gates.reserve(config.heads);
  for (int head = 0; head < config.heads; ++head) {
    raw_gates.emplace_back(choices, math, trees.raw_gate, path,
                           operands.f_b + int64_t{head} * kHeadDim * kHeadDim);
  }
  const Launch launch = {config, choices, operands, taps, given, math, trees, raw_gates};
  ItemPool pool;
  const auto count = items.empty() ? config.items() : static_cast<int64_t>(items.size());
  ParallelFor(count, threads, [&](int64_t i) {
    const int64_t n = items.empty() ? i : items[i];
    const int head = static_cast<int>(n % config.heads);
    const int request = static_cast<int>(n / config.heads);
    const std::optional<Place> place = Locate(config, operands, request, head);
    if (!place) return WriteZeros(config, operands, request, head);
    std::unique_ptr<Item> item = pool.Take();
    RunItem(launch, *place, item.get());
    pool.Return(std::move(item));
  });
}

}  // namespace samebits::kda_decode
