#include "harness/slice/outline.h"

#include <fmt/format.h>

#include <algorithm>

namespace samebits::harness {
namespace {

using Kind = TraceNode::Kind;

constexpr size_t kShortestChain = 2;

class Outliner {
 public:
  explicit Outliner(const Trace& trace) : t_(trace), shown_(trace.nodes.size()) {}

  OutlineLine Line(int index) {
    const TraceNode& node = t_.nodes[index];
    if (node.kind == Kind::kElement) return {.node = index, .text = "", .inner = {}};
    if (node.kind == Kind::kConstant) return {.node = index, .text = node.label, .inner = {}};
    if (shown_[index]) return {.node = index, .text = node.op, .again = true, .inner = {}};
    const std::vector<int> chain = ChainOf(index);
    if (chain.size() >= kShortestChain) return ChainLine(chain);
    shown_[index] = true;
    OutlineLine line = {.node = index, .text = Text(node), .inner = {}};
    for (const int operand : node.operands) line.inner.push_back(Line(operand));
    return line;
  }

 private:
  static std::string Text(const TraceNode& node) {
    return node.label.empty() ? node.op : node.op + ": " + node.label;
  }

  /// Which operand a step adds to; -1: the node is no step of a chain.
  int AccumulatorPlace(const TraceNode& node) const {
    if (node.kind != Kind::kOperation) return -1;
    if (node.op.starts_with("fma")) return 2;
    if (node.op == "matrix block") return 0;
    // A sum one after the other, in contrast to a tree: what is added is no sum itself.
    if (node.op.starts_with("add") && !t_.nodes[node.operands[1]].op.starts_with("add")) return 0;
    return -1;
  }

  /// Steps of one operation that end in `index`, the first step first.
  std::vector<int> ChainOf(int index) const {
    std::vector<int> chain;
    const std::string& op = t_.nodes[index].op;
    while (t_.nodes[index].op == op && !shown_[index]) {
      const int place = AccumulatorPlace(t_.nodes[index]);
      if (place < 0) break;
      chain.push_back(index);
      index = t_.nodes[index].operands[place];
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  OutlineLine ChainLine(const std::vector<int>& chain) {
    const TraceNode& first = t_.nodes[chain.front()];
    const int accumulator = AccumulatorPlace(first);
    OutlineLine line = {.node = chain.back(),
                        .text = fmt::format("chain of {} {}", chain.size(), first.op),
                        .inner = {}};
    line.inner.push_back(Line(first.operands[accumulator]));
    for (const int index : chain) {
      shown_[index] = true;
      const TraceNode& node = t_.nodes[index];
      OutlineLine step = {.node = index, .text = Text(node), .inner = {}};
      for (size_t i = 0; i < node.operands.size(); ++i) {
        if (static_cast<int>(i) != accumulator) step.inner.push_back(Line(node.operands[i]));
      }
      line.inner.push_back(std::move(step));
    }
    return line;
  }

  const Trace& t_;
  std::vector<bool> shown_;
};

}  // namespace

int64_t OutlineLine::size() const {
  int64_t count = 1;
  for (const OutlineLine& line : inner) count += line.size();
  return count;
}

OutlineLine MakeOutline(const Trace& trace) { return Outliner(trace).Line(trace.root); }

bool LeadsTo(const Trace& trace, const OutlineLine& line, const std::set<ElementRef>& elements) {
  const TraceNode& node = trace.nodes[line.node];
  if (node.kind == TraceNode::Kind::kElement && elements.contains(node.element)) return true;
  return std::ranges::any_of(
      line.inner, [&](const OutlineLine& inner) { return LeadsTo(trace, inner, elements); });
}

}  // namespace samebits::harness
