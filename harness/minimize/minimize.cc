#include "harness/minimize/minimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "golden/inputs.h"
#include "harness/compare/compare_tensors.h"
#include "harness/dataset.h"
#include "harness/minimize/inputs.h"
#include "harness/report/case_report.h"

namespace samebits::harness {
namespace {

class Minimizer {
 public:
  Minimizer(const Kernel& kernel, ConcreteCase start, const std::optional<golden::CaseSpec>& spec,
            const RunBoth& run, const MinimizeRequest& request)
      : kernel_(kernel), best_(std::move(start)), spec_(spec), run_(run), request_(request) {}

  Minimized Run() {
    result_.first_tensor = FirstDifferingTensor(run_(best_));
    if (result_.first_tensor.empty()) {
      throw ConfigError("the two sides have the same bits: expected a case that diverges");
    }
    ShrinkConfig();
    for (const Simplification how :
         {Simplification::kZero, Simplification::kOne, Simplification::kPowerOfTwo}) {
      SimplifyInputs(how);
    }
    result_.smallest = std::move(best_);
    return std::move(result_);
  }

 private:
  bool Spent() {
    if (result_.runs >= request_.max_runs) result_.limit_reached = true;
    return result_.limit_reached;
  }

  /// Becomes the best if the divergence stays.
  bool Try(ConcreteCase candidate) {
    if (Spent()) return false;
    ++result_.runs;
    if (request_.progress) request_.progress(result_.runs);
    std::string first;
    try {
      first = FirstDifferingTensor(run_(candidate));
    } catch (const ConfigError&) {
      return false;
    }
    if (first.empty() || (!request_.any && first != result_.first_tensor)) return false;
    result_.first_tensor = first;
    best_ = std::move(candidate);
    return true;
  }

  bool TryConfig(const std::string& axis, const std::string& value) {
    if (best_.config.at(axis) == value) return false;
    ConcreteCase candidate;
    try {
      Settings changed = best_.config;
      changed[axis] = value;
      candidate.config = kernel_.Complete(changed);
      candidate.inputs = InputsOf(candidate.config);
    } catch (const ConfigError&) {
      return false;
    }
    return Try(std::move(candidate));
  }

  TensorSet InputsOf(const Settings& config) const {
    if (!spec_) return CutInputs(kernel_, config, best_.inputs);
    golden::CaseSpec spec = *spec_;
    spec.config = config;
    return golden::GenerateInputs(spec);
  }

  /// Axis by axis, and again while anything becomes smaller.
  void ShrinkConfig() {
    bool smaller = true;
    while (smaller && !Spent()) {
      smaller = false;
      for (const Axis& axis : kernel_.axes()) {
        smaller |= axis.kind == Axis::Kind::kInteger ? ShrinkInteger(axis)
                                                     : TryConfig(axis.name, axis.default_value);
      }
    }
  }

  /// The least value first, then half the way, then one less.
  bool ShrinkInteger(const Axis& axis) {
    bool smaller = false;
    for (;;) {
      int64_t value = 0;
      const std::string& text = best_.config.at(axis.name);
      std::from_chars(text.data(), text.data() + text.size(), value);
      const int64_t least = std::min(axis.min, value);
      bool found = false;
      for (const int64_t next : {least, (least + value) / 2, value - 1}) {
        if (next >= value || next < least) continue;
        found = TryConfig(axis.name, std::to_string(next));
        if (found) break;
      }
      if (!found) return smaller;
      smaller = true;
    }
  }

  /// All inputs at once, then one after the other, the largest first.
  void SimplifyInputs(Simplification how) {
    std::vector<std::pair<int64_t, size_t>> order;
    for (size_t t = 0; t < best_.inputs.tensors.size(); ++t) {
      const auto count = static_cast<int64_t>(Simplifiable(best_.inputs.tensors[t], how).size());
      if (count > 0) order.emplace_back(-count, t);
    }
    std::sort(order.begin(), order.end());
    // Whole tensors before parts of any: the budget goes where most is won.
    for (const auto& [count, t] : order)
      TrySimplify(t, Simplifiable(best_.inputs.tensors[t], how), how);
    for (const auto& [count, t] : order) SimplifyParts(t, how);
  }

  bool TrySimplify(size_t tensor, std::span<const int64_t> elements, Simplification how) {
    ConcreteCase candidate = best_;
    Simplify(elements, how, &candidate.inputs.tensors[tensor]);
    return Try(std::move(candidate));
  }

  /// Delta debugging: ever smaller parts of what could still be simpler.
  void SimplifyParts(size_t tensor, Simplification how) {
    std::vector<int64_t> left = Simplifiable(best_.inputs.tensors[tensor], how);
    for (size_t part = (left.size() + 1) / 2; part > 0 && !left.empty() && !Spent();) {
      bool smaller = false;
      for (size_t first = 0; first < left.size() && !Spent();) {
        const size_t count = std::min(part, left.size() - first);
        if (TrySimplify(tensor, std::span(left).subspan(first, count), how)) {
          left.erase(left.begin() + static_cast<int64_t>(first),
                     left.begin() + static_cast<int64_t>(first + count));
          smaller = true;
        } else {
          first += count;
        }
      }
      if (part == 1 && !smaller) return;
      part = std::min(part == 1 ? 1 : part / 2, std::max<size_t>(1, left.size()));
    }
  }

  const Kernel& kernel_;
  ConcreteCase best_;
  const std::optional<golden::CaseSpec>& spec_;
  const RunBoth& run_;
  const MinimizeRequest& request_;
  Minimized result_;
};

}  // namespace

std::string FirstDifferingTensor(const BothSides& sides) {
  CaseReport report;
  for (const Tensor& expected : sides.expected.tensors) {
    const Tensor* observed = sides.observed.Find(expected.spec.role, expected.spec.name);
    if (observed == nullptr) continue;
    auto diff = CompareTensors(expected, *observed);
    if (diff) report.diffs.push_back(std::move(*diff));
  }
  report.SortByDataflow();
  return report.diffs.empty() ? std::string() : FullName(report.diffs.front().spec);
}

Minimized Minimize(const Kernel& kernel, const ConcreteCase& start,
                   const std::optional<golden::CaseSpec>& spec, const RunBoth& run,
                   const MinimizeRequest& request) {
  return Minimizer(kernel, start, spec, run, request).Run();
}

int64_t CountNonZeros(const TensorSet& inputs) {
  int64_t count = 0;
  for (const Tensor& tensor : inputs.tensors) {
    count += static_cast<int64_t>(Simplifiable(tensor, Simplification::kZero).size());
  }
  return count;
}

}  // namespace samebits::harness
