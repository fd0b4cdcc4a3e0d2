// What could have been computed instead: changes of a contract, of a configuration, of an operand.
#ifndef SAMEBITS_HARNESS_EXPLAIN_HYPOTHESIS_H_
#define SAMEBITS_HARNESS_EXPLAIN_HYPOTHESIS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/explain/evidence.h"
#include "harness/explain/transform.h"

namespace samebits::harness {

struct Deviation {
  enum class Kind : uint8_t {
    kChoice,   // of the contract
    kOrder,    // of a sum: a tree that no choice names
    kAxis,     // of the configuration: the kernel was given, or used, another value
    kOperand,  // an input or an intermediate was read in another way
    kResult,   // what was computed was right, what was stored is not
  };
  Kind kind = Kind::kChoice;
  std::string name;                // choice, sum or axis; operand or result: "inputs/state"
  std::string from = {}, to = {};  // values of a choice or axis; trees of a sum in words
  Transform transform = {};        // of an operand or result
  std::shared_ptr<const order::Tree> tree = {};  // of a sum
  bool contracts = false;  // the tree fuses products where the contract's does not, or the reverse

  bool operator==(const Deviation&) const = default;
};
/// "choice", "order", "axis", "operand", "result".
std::string_view Name(Deviation::Kind kind);

/// Changes that were made together; empty: what should have been computed.
using Hypothesis = std::vector<Deviation>;

/// The contract with the choices and orders of the hypothesis.
Contract Changed(const Contract& contract, const Hypothesis& hypothesis);
Settings Changed(const Settings& config, const Hypothesis& hypothesis);

/// The same operations joined in another order: a choice of kind order, or a tree of a sum that
/// fuses products where the contract's does.
bool IsOrder(const Kernel& kernel, const Deviation& change);

/// Every other value of every choice, in dataflow order.
std::vector<Deviation> ChoiceDeviations(const Kernel& kernel, const Contract& contract);
/// Another value of an axis that leaves every tensor where it is; nullopt: the same value, no legal
/// configuration, or one of other tensors.
std::optional<Deviation> AxisDeviation(const Kernel& kernel, const Settings& config,
                                       const Axis& axis, const std::string& value);
/// Other values of the axes that leave every tensor where it is: a scalar operand with another
/// value, or a mode of the kernel.
std::vector<Deviation> AxisDeviations(const Kernel& kernel, const Settings& config);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_HYPOTHESIS_H_
