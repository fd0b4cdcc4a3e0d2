#include "model/shared_expert/run.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "model/shared_expert/derived.h"
#include "model/shared_expert/stages.h"
#include "model/shared_expert/unit.h"

namespace samebits::shared_expert {
namespace {

/// The taps of one (step, rank), of those of all.
Taps SliceOf(const Taps& taps, const Sizes& sizes, int64_t place) {
  Taps at = taps;
  const auto move = [&](auto* p, int64_t size) {
    if (*p != nullptr) *p += place * size;
  };
  move(&at.part, sizes.part);
  move(&at.sum, sizes.sum);
  for (uint16_t** p : {&at.gate, &at.up, &at.h}) move(p, sizes.h);
  for (float** p : {&at.situ_gate, &at.situ_up, &at.situ}) move(p, sizes.h);
  move(&at.front_logits, sizes.logits);
  move(&at.front_latent, sizes.latent);
  move(&at.down_acc, sizes.output);
  move(&at.push, sizes.output);
  return at;
}

/// Memory of the intermediates of one (step, rank) where no tap keeps them: every place uses it
/// again.
class Intermediates {
 public:
  explicit Intermediates(const Sizes& s)
      : taps_{.part = Floats(s.part),
              .sum = Floats(s.sum),
              .gate = Halves(s.h),
              .up = Halves(s.h),
              .situ_gate = Floats(s.h),
              .situ_up = Floats(s.h),
              .situ = Floats(s.h),
              .h = Halves(s.h),
              .down_acc = Floats(s.output),
              .push = Halves(s.output),
              .front_logits = Floats(s.logits),
              .front_latent = Halves(s.latent)} {}

  const Taps& taps() const { return taps_; }

 private:
  template <typename T>
  static T* New(int64_t size, std::vector<std::unique_ptr<T[]>>* pool) {
    pool->push_back(std::make_unique_for_overwrite<T[]>(size));
    return pool->back().get();
  }
  float* Floats(int64_t size) { return New(size, &floats_); }
  uint16_t* Halves(int64_t size) { return New(size, &halves_); }

  std::vector<std::unique_ptr<float[]>> floats_;
  std::vector<std::unique_ptr<uint16_t[]>> halves_;
  const Taps taps_;
};

/// FUSED, or the gate half and SharedDown: the same numbers (R1). The grid barrier leaves the
/// counters as it found them, at zero.
void RunRank(const Launch& launch, const Place& place, const std::vector<Tokens>& tokens) {
  ComputeParts(launch, place, tokens);
  SumParts(launch, place);
  Activate(launch, place);
  if (launch.config.has_front()) PublishFront(launch, place);
  ProjectDown(launch, place);
}

void RunSteps(const Launch& launch, std::span<const int64_t> ranks,
              const std::function<Place(int step, int index)>& place) {
  for (int step = 0; step < launch.config.steps; ++step) {
    const std::vector<Tokens> tokens = SplitTokens(launch, step);
    for (int i = 0; i < launch.config.ranks(); ++i) {
      if (!ranks.empty() && !std::ranges::binary_search(ranks, i)) continue;
      RunRank(launch, place(step, i), tokens);
    }
    if (launch.config.consumer) Consume(launch, step);
  }
}

}  // namespace

Sizes SizesOf(const Config& config, const Derived& d) {
  const int64_t batch = config.batch, sums = int64_t{d.tiles} * kTileRows * batch;
  const bool front = d.front_tiles > 0;
  return {.part = sums * d.ks,
          .sum = sums,
          .h = batch * d.hidden,
          .logits = front ? batch * config.front.valid : 0,
          .latent = front ? batch * d.latent_shard : 0,
          .output = batch * config.geometry.width};
}

void RunCase(const Config& config, const Choices& choices, const Operands& operands,
             const Taps& taps, int threads, Path path) {
  const Math math(choices, path);
  const Launch launch = {.config = config,
                         .derived = Derive(config),
                         .choices = choices,
                         .operands = operands,
                         .math = math,
                         .trees = MakeTrees(config, choices),
                         .unit = MatrixUnitOf(choices),
                         .path = path,
                         .threads = threads};
  const Sizes sizes = SizesOf(config, launch.derived);
  const bool kept = taps.part != nullptr;
  const Intermediates own(kept ? Sizes{} : sizes);
  RunSteps(launch, {}, [&](int step, int index) {
    const int64_t n = int64_t{step} * config.ranks() + index;
    return Place{
        .step = step, .index = index, .values = kept ? SliceOf(taps, sizes, n) : own.taps()};
  });
}

void RunStages(const Config& config, const Choices& choices, const Operands& operands,
               const Taps& taps, const Given& given, std::span<const int64_t> ranks, int threads) {
  const Math math(choices, Path::kFast);
  const Launch launch = {.config = config,
                         .derived = Derive(config),
                         .choices = choices,
                         .operands = operands,
                         .math = math,
                         .trees = MakeTrees(config, choices),
                         .unit = MatrixUnitOf(choices),
                         .path = Path::kFast,
                         .threads = threads};
  const Sizes sizes = SizesOf(config, launch.derived);
  const Intermediates own(sizes);
  RunSteps(launch, ranks, [&](int step, int index) {
    const int64_t n = int64_t{step} * config.ranks() + index;
    const bool last = step + 1 == config.steps && given.operands.h != nullptr;
    return Place{.step = step,
                 .index = index,
                 .values = own.taps(),
                 .computed = SliceOf(taps, sizes, n),
                 .given = SliceOf(given.taps, sizes, n),
                 .given_h = last ? given.operands.h + index * sizes.h : nullptr};
  });
}

}  // namespace samebits::shared_expert
