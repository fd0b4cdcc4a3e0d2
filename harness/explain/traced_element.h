// One element of a guilty tensor, the sums that make it, and what it would be for other sums.
#ifndef SAMEBITS_HARNESS_EXPLAIN_TRACED_ELEMENT_H_
#define SAMEBITS_HARNESS_EXPLAIN_TRACED_ELEMENT_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/explain/stage_runner.h"
#include "model/order/evaluate.h"
#include "model/trace.h"

namespace samebits::harness {

/// Terms of a sum: products a[i] * b[i], or values a[i] where `products` is false (b[i] = 1).
struct SumData {
  std::string name;
  std::vector<float> a, b;
  bool products = false;
  float start = 0;
  float result = 0;
  bool is_element = false;  // the element is the sum, as it is
};

float Evaluate(const order::Tree& tree, const SumData& sum,
               order::Subnormals subnormals = order::Subnormals::kKept);
/// Of the tree that gave the result: its operations keep subnormals, as far as these terms tell.
bool KeepsSubnormals(const order::Tree& tree, const SumData& sum);

class TracedElement {
 public:
  /// From the operands as the last run, a RunAll under `found`, left them; the runner must not run
  /// again while the element is in use.
  TracedElement(const StageRunner* runner, const Hypothesis& found, size_t target, int64_t index);

  /// The trace gives the bits of that run.
  bool sound() const { return sound_; }
  uint32_t computed() const { return computed_; }
  uint32_t observed() const { return observed_; }
  /// Sums of float32 operations, in the order of the computation.
  const std::vector<SumData>& sums() const { return sums_; }

  /// The element's bits where the sums of that name have other values, in the order of the
  /// computation.
  uint32_t With(std::string_view sum, std::span<const float> values) const;

 private:
  Trace Run(const ElementSource& source) const;

  const StageRunner& runner_;
  Settings config_;
  Contract contract_;
  ElementRef element_;
  bool sound_ = false;
  uint32_t computed_ = 0, observed_ = 0;
  std::vector<SumData> sums_;
  mutable std::map<std::pair<std::string, std::vector<uint32_t>>, uint32_t> known_;  // values: bits
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_TRACED_ELEMENT_H_
