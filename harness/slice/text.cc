#include <fmt/format.h>

#include <set>

#include "harness/compare/element.h"
#include "harness/dataset.h"
#include "harness/slice/outline.h"
#include "harness/slice/write.h"

namespace samebits::harness {
namespace {

std::string BitsText(DType dtype, uint32_t bits) {
  return fmt::format("{} {}", HexBits(dtype, bits), ValueText(dtype, bits));
}

std::string Finding(const Slice& slice, const SlicedElement& s) {
  const DType dtype = s.spec.dtype;
  const std::string where = ElementText(slice, s.element);
  const std::string values =
      fmt::format("expected {}, observed {}", BitsText(dtype, s.expected_bits),
                  BitsText(dtype, s.observed_bits));
  if (s.blame == Blame::kSame) return fmt::format("{}: the same bits", where);
  if (s.blame == Blame::kCarried) {
    const std::string origin = s.observed_stored ? "" : " (not in the file)";
    return fmt::format("{}: {}{}: carried from its operands", where, values, origin);
  }
  const uint32_t given = s.observed->nodes[s.observed->root].bits;
  const bool same = s.first_difference < 0;
  return fmt::format("{}: {}: the bits part here, the contract gives {} for {} operands", where,
                     values, BitsText(dtype, given), same ? "the same" : "the observed");
}

class Printer {
 public:
  Printer(std::FILE* file, const Slice& slice, int depth)
      : file_(file), slice_(slice), depth_(depth) {
    for (const int place : slice.path) on_path_.insert(slice.elements[place].element);
  }

  void PrintElement(int place, int level) {
    const SlicedElement& s = slice_.elements[place];
    printed_.insert(s.element);
    PrintLine(s, MakeOutline(s.expected), level, 1);
  }

 private:
  void PrintLine(const SlicedElement& s, const OutlineLine& line, int level, int depth) {
    const TraceNode& node = s.expected.nodes[line.node];
    const bool element = node.kind == TraceNode::Kind::kElement;
    const bool folded =
        !line.inner.empty() && depth_ > 0 && depth > depth_ && !LeadsTo(s.expected, line, on_path_);
    std::string text = element ? ElementText(slice_, node.element) : line.text;
    if (line.again) text += " (above)";
    if (folded) text += fmt::format("  ({} lines folded)", line.size() - 1);
    const auto opened = element ? slice_.place.find(node.element) : slice_.place.end();
    const bool shown = opened != slice_.place.end() && printed_.contains(node.element);
    if (shown) text += " (above)";
    fmt::print(file_, "{}{:{}}{}\n", Columns(s, line.node), "", 2 * level, text);
    if (!folded) {
      for (const OutlineLine& inner : line.inner) PrintLine(s, inner, level + 1, depth + 1);
    }
    if (opened != slice_.place.end() && !shown) PrintElement(opened->second, level + 1);
  }

  /// Bits and value; with an observed file a mark and both bits.
  std::string Columns(const SlicedElement& s, int node) const {
    const TraceNode& expected = s.expected.nodes[node];
    const std::string value = ValueText(expected.dtype, expected.bits);
    const std::string bits = HexBits(expected.dtype, expected.bits);
    if (!s.observed) return fmt::format("  {:<10} {:<16} ", bits, value);
    const TraceNode& observed = s.observed->nodes[node];
    const char* mark = "  ";
    if (observed.bits != expected.bits) mark = node == s.first_difference ? "> " : "! ";
    return fmt::format("{}{:<10} {:<10} {:<16} ", mark, bits,
                       HexBits(observed.dtype, observed.bits), value);
  }

  std::FILE* file_;
  const Slice& slice_;
  const int depth_;
  std::set<ElementRef> on_path_, printed_;
};

}  // namespace

std::string ElementText(const Slice& slice, const ElementRef& element) {
  const TensorSpec& spec = slice.SpecOf(element);
  return FullName(spec) + " " + CoordinateText(spec, element.index);
}

std::vector<std::string> Findings(const Slice& slice, const SliceTitle& title) {
  const SlicedElement& first = slice.elements.front();
  if (title.observed.empty()) {
    return {fmt::format("{}: {}", ElementText(slice, first.element),
                        BitsText(first.spec.dtype, first.expected_bits))};
  }
  std::vector<std::string> findings;
  for (const int place : slice.path) findings.push_back(Finding(slice, slice.elements[place]));
  return findings;
}

void Print(std::FILE* file, const Slice& slice, const SliceTitle& title, int depth) {
  fmt::print(file, "{}, contract {}, {}\n", title.kernel, title.contract, title.case_text);
  for (const std::string& finding : Findings(slice, title)) fmt::print(file, "{}\n", finding);
  const SlicedElement& first = slice.elements.front();
  const uint32_t given = first.expected.nodes[first.expected.root].bits;
  if (given != first.expected_bits) {
    fmt::print(file, "note: the file's operands give {}\n", BitsText(first.spec.dtype, given));
  }
  if (!title.observed.empty()) {
    fmt::print(file, "\n  {:<10} {:<10} {:<16}\n", "expected", "given", "(expected value)");
  }
  Printer(file, slice, depth).PrintElement(0, 0);
}

}  // namespace samebits::harness
