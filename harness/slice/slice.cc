#include "harness/slice/slice.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

namespace samebits::harness {
namespace {

class Slicer {
 public:
  Slicer(const Kernel& kernel, const Settings& config, const Contract& contract,
         const GoldenElements& expected, const ObservedElements* observed,
         const SliceRequest& request)
      : kernel_(kernel),
        config_(config),
        contract_(contract),
        expected_(expected),
        observed_(observed),
        request_(request) {
    slice_.specs = Tensors(kernel.Plan(config, true));
  }

  Slice Build() {
    const int root = Open(request_.element, 1);
    if (observed_ != nullptr) FindParting(root);
    OpenStages();
    return std::move(slice_);
  }

 private:
  /// The place of the element in the slice.
  int Open(const ElementRef& element, int stage) {
    if (const auto known = slice_.place.find(element); known != slice_.place.end()) {
      return known->second;
    }
    SlicedElement sliced = Sliced(element, stage);
    operations_ += static_cast<int64_t>(sliced.expected.nodes.size());
    if (operations_ > request_.max_operations) {
      throw ConfigError(fmt::format("{}: more than {} operations: expected fewer --stages",
                                    request_.element.tensor, request_.max_operations));
    }
    const int place = static_cast<int>(slice_.elements.size());
    slice_.elements.push_back(std::move(sliced));
    slice_.place.emplace(element, place);
    return place;
  }

  SlicedElement Sliced(const ElementRef& element, int stage) const {
    SlicedElement s;
    s.element = element;
    s.spec = slice_.SpecOf(element);
    s.stage = stage;
    s.expected = kernel_.TraceElement(config_, contract_, element, expected_);
    s.expected_bits = expected_.Bits(element);
    if (observed_ == nullptr) return s;
    s.observed = kernel_.TraceElement(config_, contract_, element, *observed_);
    if (s.observed->nodes.size() != s.expected.nodes.size()) {
      throw std::logic_error("the operations of an element depend on its operands");
    }
    const uint32_t given = s.observed->nodes[s.observed->root].bits;
    const std::optional<uint32_t> stored = observed_->Stored(element);
    s.observed_stored = stored.has_value();
    s.observed_bits = stored.value_or(given);
    for (size_t i = 0; i < s.expected.nodes.size() && s.first_difference < 0; ++i) {
      if (s.expected.nodes[i].bits != s.observed->nodes[i].bits) {
        s.first_difference = static_cast<int>(i);
      }
    }
    if (s.observed_bits != given) {
      s.blame = Blame::kParts;
    } else if (s.observed_bits != s.expected_bits) {
      s.blame = Blame::kCarried;
    }
    return s;
  }

  /// The first operand of other bits that is an earlier tap.
  static const ElementRef* DifferingTap(const SlicedElement& s) {
    for (size_t i = 0; i < s.expected.nodes.size(); ++i) {
      const TraceNode& node = s.expected.nodes[i];
      const bool tap = node.kind == TraceNode::Kind::kElement && node.element.role == Role::kTap;
      if (tap && node.bits != s.observed->nodes[i].bits) return &node.element;
    }
    return nullptr;
  }

  /// From the element through operands of other bits to one whose operands have the expected bits.
  void FindParting(int place) {
    slice_.path = {place};
    while (const ElementRef* next = DifferingTap(slice_.elements[place])) {
      const ElementRef element = *next;
      place = Open(element, slice_.elements[place].stage + 1);
      slice_.path.push_back(place);
    }
  }

  void OpenStages() {
    // Stage by stage, so that an element has the least stage from which it is reached.
    for (size_t i = 0; i < slice_.elements.size(); ++i) {
      const int stage = slice_.elements[i].stage;
      if (request_.stages > 0 && stage >= request_.stages) continue;
      std::set<ElementRef> taps;
      for (const TraceNode& node : slice_.elements[i].expected.nodes) {
        const bool tap = node.kind == TraceNode::Kind::kElement && node.element.role == Role::kTap;
        if (tap) taps.insert(node.element);
      }
      for (const ElementRef& tap : taps) Open(tap, stage + 1);
    }
  }

  const Kernel& kernel_;
  const Settings& config_;
  const Contract& contract_;
  const GoldenElements& expected_;
  const ObservedElements* observed_;
  const SliceRequest& request_;
  Slice slice_;
  int64_t operations_ = 0;
};

}  // namespace

std::string_view Name(Blame blame) {
  switch (blame) {
    case Blame::kSame:
      return "same";
    case Blame::kCarried:
      return "carried";
    case Blame::kParts:
      return "parts";
  }
  return "";
}

int64_t Slice::operations() const {
  int64_t count = 0;
  for (const SlicedElement& s : elements) {
    for (const TraceNode& node : s.expected.nodes) {
      count += node.kind == TraceNode::Kind::kOperation;
    }
  }
  return count;
}

const TensorSpec& Slice::SpecOf(const ElementRef& element) const {
  for (const TensorSpec& spec : specs) {
    if (spec.role == element.role && spec.name == element.tensor) return spec;
  }
  throw std::out_of_range("no tensor " + element.tensor);
}

Slice MakeSlice(const Kernel& kernel, const Settings& config, const Contract& contract,
                const GoldenElements& expected, const ObservedElements* observed,
                const SliceRequest& request) {
  return Slicer(kernel, config, contract, expected, observed, request).Build();
}

}  // namespace samebits::harness
