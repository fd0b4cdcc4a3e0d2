#include <fmt/format.h>

#include <set>

#include "harness/compare/element.h"
#include "harness/slice/outline.h"
#include "harness/slice/write.h"

namespace samebits::harness {
namespace {

constexpr std::string_view kStyle = R"(
:root { --paper: #fbfaf7; --ink: #1d2126; --soft: #5d6570; --line: #dedbd2; --bad: #b8322a; --mark: #fff3c4; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181c; --ink: #e7e5df; --soft: #9aa2ad; --line: #31363d; --bad: #ff7b6e; --mark: #4a421e; }
}
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } .lead { color: var(--soft); margin: 0 0 1rem; }
.finding { border-left: 3px solid var(--bad); padding-left: .8rem; margin: .3rem 0; }
.tree { font: 13px/1.55 ui-monospace, Menlo, Consolas, monospace; overflow-x: auto; white-space: pre; }
details details, details .leaf { margin-left: 1.2rem; }
summary { cursor: pointer; } summary:hover, .leaf:hover { background: var(--line); }
.leaf { padding-left: 1.1em; } .value { color: var(--soft); }
.differs { color: var(--bad); } .first { background: var(--mark); font-weight: 600; }
a { color: inherit; }
)";

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

class PageWriter {
 public:
  explicit PageWriter(const Slice& slice) : slice_(slice) {
    for (const int place : slice.path) on_path_.insert(slice.elements[place].element);
  }

  std::string Tree() {
    Element(0);
    return std::move(html_);
  }

 private:
  void Element(int place) {
    const SlicedElement& s = slice_.elements[place];
    shown_.insert(s.element);
    html_ += fmt::format("<div id=\"e{}\">", place);
    Line(s, MakeOutline(s.expected), 0);
    html_ += "</div>";
  }

  void Line(const SlicedElement& s, const OutlineLine& line, int level) {
    const TraceNode& node = s.expected.nodes[line.node];
    const bool element = node.kind == TraceNode::Kind::kElement;
    const auto opened = element ? slice_.place.find(node.element) : slice_.place.end();
    const bool again = opened != slice_.place.end() && shown_.contains(node.element);
    const bool inner = !line.inner.empty() || (opened != slice_.place.end() && !again);
    std::string text = Escaped(element ? ElementText(slice_, node.element) : line.text);
    if (again) text = fmt::format("<a href=\"#e{}\">{}</a> (above)", opened->second, text);
    if (line.again) text += " (above)";
    if (!inner) {
      html_ += fmt::format("<div class=\"leaf\">{}{}</div>", Columns(s, line.node), text);
      return;
    }
    const bool path = element && on_path_.contains(node.element);
    html_ += fmt::format("<details{}><summary>{}{}</summary>",
                         level < 2 || path || LeadsTo(s.expected, line, on_path_) ? " open" : "",
                         Columns(s, line.node), text);
    for (const OutlineLine& operand : line.inner) Line(s, operand, level + 1);
    if (element) Element(opened->second);
    html_ += "</details>";
  }

  std::string Columns(const SlicedElement& s, int node) const {
    const TraceNode& expected = s.expected.nodes[node];
    const std::string bits = HexBits(expected.dtype, expected.bits);
    const std::string value = ValueText(expected.dtype, expected.bits);
    std::string text = fmt::format("{:<10} ", bits);
    if (s.observed) {
      const uint32_t observed = s.observed->nodes[node].bits;
      const bool differs = observed != expected.bits;
      text += fmt::format("<span class=\"{}\">{:<10}</span> ",
                          !differs                     ? "equal"
                          : node == s.first_difference ? "differs first"
                                                       : "differs",
                          HexBits(expected.dtype, observed));
    }
    return text + fmt::format("<span class=\"value\">{:<16}</span>", value);
  }

  const Slice& slice_;
  std::set<ElementRef> on_path_, shown_;
  std::string html_;
};

}  // namespace

std::string MakeSlicePage(const Slice& slice, const SliceTitle& title) {
  std::string findings;
  for (const std::string& finding : Findings(slice, title)) {
    findings += fmt::format("<p class=\"finding\">{}</p>\n", Escaped(finding));
  }
  const std::string columns =
      title.observed.empty() ? "bits, value, operation"
                             : "expected bits, given by the observed operands, expected value, "
                               "operation";
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title>"
      "<style>{1}</style></head>\n<body><h1>{0}</h1>\n<p class=\"lead\">{2}, contract {3}, {4}<br>"
      "{5} operations: {6}</p>\n{7}<div class=\"tree\">{8}</div></body></html>\n",
      Escaped(ElementText(slice, slice.elements.front().element)), kStyle, Escaped(title.kernel),
      Escaped(title.contract), Escaped(title.case_text), slice.operations(), columns, findings,
      PageWriter(slice).Tree());
}

}  // namespace samebits::harness
