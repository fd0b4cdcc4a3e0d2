// The reductions of a kernel as seen from outside: how to make inputs for which term i of a sum has
// a chosen value, and where the sum shows. Who knows this can find the summation tree by probing.
#ifndef SAMEBITS_MODEL_REDUCTION_H_
#define SAMEBITS_MODEL_REDUCTION_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/contract.h"
#include "model/order/tree.h"
#include "model/tensor.h"
#include "model/units/matrix_unit.h"

namespace samebits {

/// What term i contributes where a probe asks for the value v_i.
enum class TermKind : uint8_t {
  kScaled,         // the product v_i * c: any float32 v_i, one factor c for all terms, which has
                   // more than a few significant bits, so that products are inexact
  kExactProducts,  // the product v_i * c: bf16 values v_i; c is a power of two, as the probe asks
  kSquares,        // v_i * v_i: bf16 values v_i >= 0, each 0, 2^-80..2^-60 or at least 32
};

/// The order that a contract prescribes.
struct ReductionOrder {
  order::Tree tree;
  const units::MatrixUnit* unit = nullptr;  // of the tree's matrix instructions
};

/// An element of a result that holds a sum, or its negative, or some other value that is zero
/// exactly where the sum is.
struct Showing {
  Role role = Role::kTap;
  std::string tensor;
  int64_t index = 0;  // row-major
  bool exact = true;  // the element is the sum itself, unrounded
};

/// Many sums of one kind, evaluated by one launch. `config` is complete (Kernel::Complete).
class Reduction {
 public:
  virtual ~Reduction() = default;
  virtual std::string_view name() const = 0;  // of the tap that holds the sum
  virtual std::string_view doc() const = 0;   // one line, with the section of the specification
  virtual TermKind terms() const = 0;
  /// Something is added to the sum before it shows, so that sums near the smallest number are lost.
  virtual bool offset() const { return false; }
  /// Terms, the start value (if the configuration has one) as the last.
  virtual int leaves(const Settings& config) const = 0;
  virtual bool has_start(const Settings& config) const = 0;
  /// Sums of one launch.
  virtual int64_t capacity(const Settings& config) const = 0;
  /// Sets what the sums depend on. `inputs`: every input of the plan, zeros where the kernel does
  /// not need others. values: [sum][leaf], at most capacity sums. factor: c of kExactProducts.
  virtual void Prepare(const Settings& config, std::span<const float> values, float factor,
                       TensorSet* inputs) const = 0;
  /// Where sum number `sum` shows, best first.
  virtual std::vector<Showing> Shows(const Settings& config, int64_t sum) const = 0;
  virtual ReductionOrder Order(const Settings& config, const Contract& contract) const = 0;
};

}  // namespace samebits

#endif  // SAMEBITS_MODEL_REDUCTION_H_
