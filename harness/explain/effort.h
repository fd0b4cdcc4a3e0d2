// What a search may cost, how far it is, and what it did not try.
#ifndef SAMEBITS_HARNESS_EXPLAIN_EFFORT_H_
#define SAMEBITS_HARNESS_EXPLAIN_EFFORT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/explain/stage_runner.h"

namespace samebits::harness {

inline constexpr double kShareOfChoices = 0.5;  // of the limit: what the search for choices may use

/// (phase, runs of the model in this phase, runs that it will take at most)
using SearchProgress = std::function<void(std::string_view, int64_t, int64_t)>;

/// The limit is one of work, not of time: what is found does not depend on the machine.
class Effort {
 public:
  /// Bytes of tensors that all runs of the model may go over: seconds of a launch in production.
  static constexpr int64_t kUsual = 24'000'000'000;

  /// `limit` in bytes; 0: none. `runner` must outlive this.
  Effort(StageRunner* runner, int64_t limit, SearchProgress progress);
  ~Effort() { runner_.on_run = nullptr; }
  Effort(const Effort&) = delete;
  Effort& operator=(const Effort&) = delete;

  /// A phase of at most so many runs begins.
  void Begin(std::string phase, int64_t runs);
  /// This share of the limit, in [0, 1], is used up.
  bool Spent(double share) const;
  /// Of `all` that could have been tried at the tensor.
  void Tried(int64_t tried, int64_t all, const std::string& what, const std::string& tensor);
  /// What was left out: "42 of 60 pairs of choices at taps/dot, outputs/state".
  std::vector<std::string> not_tried() const;

 private:
  StageRunner& runner_;
  const int64_t limit_;
  const SearchProgress progress_;
  std::string phase_;
  int64_t runs_ = 0, before_ = 0;  // of the phase; of the runner before it
  struct Left {
    std::string what;
    int64_t left = 0, all = 0;
    std::vector<std::string> tensors;
  };
  std::vector<Left> left_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_EFFORT_H_
