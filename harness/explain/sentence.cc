#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

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
    case Deviation::Kind::kOrder:
      return fmt::format("{} is summed {} (contract: {})", change.name, change.to, change.from);
    case Deviation::Kind::kAxis:
      return fmt::format("computed with {}={} instead of {}", change.name, change.to, change.from);
    case Deviation::Kind::kOperand:
      return fmt::format("computed from {} {}", change.name, change.to);
    case Deviation::Kind::kResult:
      return change.to == "NaN everywhere" ? change.to : fmt::format("right, but {}", change.to);
  }
  return {};
}

/// The first ones of many.
std::string TensorsText(const std::vector<std::string>& tensors) {
  constexpr size_t kListed = 8, kFirst = 3;
  if (tensors.size() <= kListed) return fmt::format("{}", fmt::join(tensors, ", "));
  return fmt::format("{} and {} tensors more", fmt::join(std::span(tensors).first(kFirst), ", "),
                     tensors.size() - kFirst);
}

/// What follows the tap says whether it was wrong itself.
std::string RecordingText(const Finding& finding) {
  if (!finding.recording) return {};
  const std::string& tap = finding.tensors.front();
  return fmt::format(
      "; everything computed from it is as from the right {}: the recording, not the "
      "computation, is at fault",
      tap.substr(tap.find('/') + 1));
}

/// No order is known, but the elements are where one can bring them.
std::string Phrase(const OrderBound& bound) {
  return fmt::format(
      "no order that was tried gives all of these bits, but another could: the {} elements that "
      "were checked "
      "lie within the rounding errors of {} over {} terms in any order, the farthest at {:.2g} of "
      "that bound; it differs ",
      bound.checked, bound.sum, bound.terms, bound.worst);
}

}  // namespace

std::string Sentence(const Kernel& kernel, const Finding& finding) {
  std::string text = TensorsText(finding.tensors) + ": ";
  if (finding.bound) return text + Phrase(*finding.bound) + Text(*finding.pattern);
  if (finding.changes.empty()) {
    return text +
           fmt::format("nothing that is known explains {}; it differs {}",
                       finding.rest ? "the rest" : "it", Text(*finding.pattern)) +
           RecordingText(finding);
  }
  for (size_t i = 0; i < finding.changes.size(); ++i) {
    text += (i > 0 ? ", and " : "") + Phrase(kernel, finding.changes[i]);
  }
  if (finding.in_part) {
    text += ", " + Text(*finding.pattern);
  }
  return text + RecordingText(finding);
}

}  // namespace samebits::harness
