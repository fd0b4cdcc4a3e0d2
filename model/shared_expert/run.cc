#include "model/shared_expert/run.h"

#include <memory>
#include <stdexcept>
#include <vector>

#include "model/profiles/matrix_units.h"
#include "model/shared_expert/derived.h"
#include "model/shared_expert/stages.h"

namespace samebits::shared_expert {
namespace {

const units::MatrixUnit& Unit(MatrixUnitName choice) {
  const auto* named = profiles::FindMatrixUnit(ProfileName(choice));
  if (named == nullptr) throw std::logic_error("shared_expert: a matrix unit has no profile");
  return named->unit;
}

/// Memory of the intermediates of one (step, rank): a slice of the taps, or, without taps, memory
/// that every place uses again.
class Intermediates {
 public:
  Intermediates(const Config& config, const Derived& d, const Taps& taps)
      : ranks_(config.ranks()), taps_(taps) {
    const int64_t batch = config.batch;
    const int64_t sums = int64_t{d.tiles} * kTileRows * batch, h = batch * d.hidden;
    part_ = sums * d.ks;
    sum_ = sums;
    h_ = h;
    logits_ = d.front_tiles > 0 ? batch * config.front.valid : 0;
    latent_ = d.front_tiles > 0 ? batch * d.latent_shard : 0;
    output_ = batch * config.geometry.width;
    if (taps.part == nullptr) taps_ = Allocate();
  }

  Taps At(int step, int index) const {
    const int64_t n = floats_.empty() ? int64_t{step} * ranks_ + index : 0;
    Taps at = taps_;
    at.part += n * part_;
    at.sum += n * sum_;
    for (uint16_t** p : {&at.gate, &at.up, &at.h}) *p += n * h_;
    for (float** p : {&at.situ_gate, &at.situ_up, &at.situ}) *p += n * h_;
    if (at.front_logits != nullptr) at.front_logits += n * logits_;
    if (at.front_latent != nullptr) at.front_latent += n * latent_;
    at.down_acc += n * output_;
    at.push += n * output_;
    return at;
  }

 private:
  template <typename T>
  static T* New(int64_t size, std::vector<std::unique_ptr<T[]>>* pool) {
    pool->push_back(std::make_unique_for_overwrite<T[]>(size));
    return pool->back().get();
  }
  float* Floats(int64_t size) { return New(size, &floats_); }
  uint16_t* Halves(int64_t size) { return New(size, &halves_); }

  Taps Allocate() {
    return {.part = Floats(part_),
            .sum = Floats(sum_),
            .gate = Halves(h_),
            .up = Halves(h_),
            .situ_gate = Floats(h_),
            .situ_up = Floats(h_),
            .situ = Floats(h_),
            .h = Halves(h_),
            .down_acc = Floats(output_),
            .push = Halves(output_),
            .front_logits = Floats(logits_),
            .front_latent = Halves(latent_)};
  }

  const int ranks_;
  int64_t part_, sum_, h_, logits_, latent_, output_;  // elements of a place
  std::vector<std::unique_ptr<float[]>> floats_;
  std::vector<std::unique_ptr<uint16_t[]>> halves_;
  Taps taps_;
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

}  // namespace

void RunCase(const Config& config, const Choices& choices, const Operands& operands,
             const Taps& taps, int threads, Path path) {
  const Math math(choices, path);
  const Launch launch = {.config = config,
                         .derived = Derive(config),
                         .choices = choices,
                         .operands = operands,
                         .math = math,
                         .unit = Unit(choices.matrix_unit),
                         .path = path,
                         .threads = threads};
  const Intermediates intermediates(config, launch.derived, taps);
  for (int step = 0; step < config.steps; ++step) {
    const std::vector<Tokens> tokens = SplitTokens(launch, step);
    for (int i = 0; i < config.ranks(); ++i) {
      RunRank(launch, {.step = step, .index = i, .values = intermediates.At(step, i)}, tokens);
    }
    if (config.consumer) Consume(launch, step);
  }
}

}  // namespace samebits::shared_expert
