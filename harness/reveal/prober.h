// Sums with chosen terms, computed by whoever is probed.
#ifndef SAMEBITS_HARNESS_REVEAL_PROBER_H_
#define SAMEBITS_HARNESS_REVEAL_PROBER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/reveal/joins.h"
#include "model/kernel.h"

namespace samebits::harness {

/// One launch: every input of the plan in, any results out.
using Launcher = std::function<TensorSet(const TensorSet& inputs)>;

/// One sum: the values of some terms, the others are zero.
struct Probe {
  struct Term {
    int leaf = 0;
    float value = 0;
  };
  std::vector<Term> terms;
  float others = 0;  // value of the terms that are not listed
};

class Prober {
 public:
  /// `config` is complete. The references must outlive the object.
  Prober(const Kernel& kernel, const Reduction& reduction, const Settings& config,
         Launcher launcher);

  /// What the probes' sums show as; up to capacity of them share a launch. `factor`: see
  /// Reduction::Prepare. Throws ConfigError if no result shows the sums.
  std::vector<float> Run(const std::vector<Probe>& probes, float factor = 1.0f);
  /// The same, the probes spread over the places of a launch.
  std::vector<float> RunSpread(const std::vector<Probe>& probes);
  /// Which two of three terms meet first.
  std::vector<FirstPair> Ask(const std::vector<Triple>& triples);
  /// The same, spread over the places of a launch.
  std::vector<FirstPair> AskSpread(const std::vector<Triple>& triples);

  /// The sums themselves show, not only whether they are zero. After the first Run.
  bool exact() const { return exact_; }
  int64_t probes() const { return probes_; }
  int64_t launches() const { return launches_; }

 private:
  using Runner = std::function<std::vector<float>(const std::vector<Probe>&)>;

  std::vector<FirstPair> Ask(const std::vector<Triple>& triples, const Runner& run);
  /// Probe p of the launch is sum number places[p], ascending.
  void Launch(std::span<const Probe> probes, std::span<const int64_t> places, float factor,
              std::vector<float>* sums);

  const Kernel& kernel_;
  const Reduction& reduction_;
  const Settings& config_;
  Launcher launcher_;
  TensorSet zeros_;
  bool exact_ = true;
  int64_t probes_ = 0, launches_ = 0;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_REVEAL_PROBER_H_
