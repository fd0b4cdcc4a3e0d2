// Makes a case on which somebody's bits differ from the contract's as small as it can be while they
// still do: fewer requests, heads and tokens, then fewer inputs that are not zero, then simpler
// numbers.
#ifndef SAMEBITS_HARNESS_MINIMIZE_MINIMIZE_H_
#define SAMEBITS_HARNESS_MINIMIZE_MINIMIZE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "golden/case.h"
#include "model/kernel.h"

namespace samebits::harness {

/// A case with its inputs.
struct ConcreteCase {
  Settings config;  // complete
  TensorSet inputs;
};

/// Both sides of one case: taps, then outputs.
struct BothSides {
  TensorSet expected, observed;
};
/// Throws ConfigError for a case that one of the sides cannot run.
using RunBoth = std::function<BothSides(const ConcreteCase&)>;

struct MinimizeRequest {
  bool any = false;  // any divergence will do, not the first differing tensor of the start alone
  int max_runs = 600;
  std::function<void(int runs)> progress;
};

struct Minimized {
  ConcreteCase smallest;
  std::string first_tensor;  // "taps/dot"
  int runs = 0;
  bool limit_reached = false;
};

/// The first tensor, in dataflow order, that differs; empty if none does.
std::string FirstDifferingTensor(const BothSides& sides);

/// `spec`: the recipe of the start's inputs, by which the inputs of smaller configurations are
/// made; without one (custom inputs) they are cut out of the start's. Throws ConfigError if the
/// start does not diverge.
Minimized Minimize(const Kernel& kernel, const ConcreteCase& start,
                   const std::optional<golden::CaseSpec>& spec, const RunBoth& run,
                   const MinimizeRequest& request);

/// Elements of float inputs that are neither +0 nor -0.
int64_t CountNonZeros(const TensorSet& inputs);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_MINIMIZE_MINIMIZE_H_
