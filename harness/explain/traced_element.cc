#include "harness/explain/traced_element.h"

#include <algorithm>

#include "harness/compare/element.h"
#include "model/arith/float32.h"

namespace samebits::harness {
namespace {

class Operands : public ElementSource {
 public:
  explicit Operands(const StageRunner& runner) : runner_(runner) {}
  uint32_t Bits(const ElementRef& element) const override { return runner_.Bits(element); }

 private:
  const StageRunner& runner_;
};

/// The sums of one name have given values.
class WithSums final : public Operands {
 public:
  WithSums(const StageRunner& runner, std::string_view name, std::span<const float> values)
      : Operands(runner), name_(name), values_(values) {}
  std::optional<float> SumValue(std::string_view sum, int occurrence) const override {
    if (sum != name_ || occurrence >= static_cast<int>(values_.size())) return std::nullopt;
    return values_[occurrence];
  }

 private:
  std::string_view name_;
  std::span<const float> values_;
};

float ValueOf(const TraceNode& node) { return ToFloat(node.dtype, node.bits); }

SumData DataOf(const Trace& trace, const TracedSum& sum) {
  SumData data;
  data.name = sum.name;
  for (const auto& [a, b] : sum.terms) {
    data.a.push_back(ValueOf(trace.nodes[a]));
    data.b.push_back(b < 0 ? 1.0f : ValueOf(trace.nodes[b]));
    data.products = data.products || b >= 0;
  }
  if (sum.start >= 0) data.start = ValueOf(trace.nodes[sum.start]);
  data.result = ValueOf(trace.nodes[sum.result]);
  data.is_element = sum.result == trace.root;
  return data;
}

bool IsWhole(const TracedSum& sum) {
  return std::ranges::none_of(sum.terms, [](const auto& term) { return term.first < 0; });
}

}  // namespace

float Evaluate(const order::Tree& tree, const SumData& sum, order::Subnormals subnormals) {
  return order::SumProducts(tree, sum.a.data(), sum.b.data(), sum.start, subnormals);
}

bool KeepsSubnormals(const order::Tree& tree, const SumData& sum) {
  return arith::ToBits(Evaluate(tree, sum)) == arith::ToBits(sum.result);
}

TracedElement::TracedElement(const StageRunner* runner, const Hypothesis& found, size_t target,
                             int64_t index)
    : runner_(*runner),
      config_(Changed(runner->evidence().config, found)),
      contract_(Changed(runner->evidence().contract, found)),
      element_{runner->spec(target).role, runner->spec(target).name, index},
      computed_(runner->ComputedBits(target, index)),
      observed_(ElementBits(runner->evidence().observed[target].values, index)) {
  const Trace trace = Run(Operands(runner_));
  sound_ = trace.nodes[trace.root].bits == computed_;
  for (const TracedSum& sum : trace.sums) {
    if (IsWhole(sum)) sums_.push_back(DataOf(trace, sum));
  }
}

Trace TracedElement::Run(const ElementSource& source) const {
  return runner_.evidence().kernel->TraceElement(config_, contract_, element_, source);
}

uint32_t TracedElement::With(std::string_view sum, std::span<const float> values) const {
  std::vector<uint32_t> bits(values.size());
  std::ranges::transform(values, bits.begin(), arith::ToBits);
  const std::pair key(std::string(sum), std::move(bits));
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const Trace trace = Run(WithSums(runner_, sum, values));
  return known_.emplace(key, trace.nodes[trace.root].bits).first->second;
}

}  // namespace samebits::harness
