#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/explain/explain.h"

namespace samebits::harness {
namespace {

std::string Phrase(const Kernel& kernel, const Deviation& change) {
  switch (change.kind) {
    case Deviation::Kind::kChoice: {
      const auto choices = kernel.choices();
      const auto choice = std::ranges::find(choices, change.name, &Choice::name);
      return fmt::format("{} is {} instead of {} ({})", change.name, change.to, change.from,
                         choice->doc);
    }
    case Deviation::Kind::kAxis:
      return fmt::format("computed with {}={} instead of {}", change.name, change.to, change.from);
    case Deviation::Kind::kOperand:
      return fmt::format("computed from {} {}", change.name, change.to);
    case Deviation::Kind::kResult:
      return fmt::format("right, but {}", change.to);
  }
  return {};
}

}  // namespace

std::string Sentence(const Kernel& kernel, const Finding& finding) {
  std::string text = fmt::format("{}: ", fmt::join(finding.tensors, ", "));
  if (finding.changes.empty()) {
    return text + "nothing that is known explains it; it differs " + Text(*finding.pattern);
  }
  for (size_t i = 0; i < finding.changes.size(); ++i) {
    text += (i > 0 ? ", and " : "") + Phrase(kernel, finding.changes[i]);
  }
  if (finding.in_part) {
    text += ", " + Text(*finding.pattern);
  }
  return text;
}

}  // namespace samebits::harness
