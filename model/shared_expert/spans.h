// How the CTAs of a cluster share the K blocks of a tile (SPEC.md 3.1, policy P1).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_SPANS_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_SPANS_H_

#include <algorithm>

#include "model/shared_expert/contract.h"

namespace samebits::shared_expert {

/// K blocks [first, first + count).
struct Span {
  int first = 0, count = 0;
  constexpr bool operator==(const Span&) const = default;
};

/// The blocks of CTA i of `parts`. The spans follow each other and cover 0..total-1; with
/// kCeilChunk and few blocks the last ones can be empty.
constexpr Span Split(SplitRule rule, int total, int i, int parts) {
  const int base = total / parts, longer = total % parts;
  switch (rule) {
    case SplitRule::kBalancedFirst:
      return {i * base + std::min(i, longer), base + (i < longer ? 1 : 0)};
    case SplitRule::kFloor: {
      const int first = total * i / parts;
      return {first, total * (i + 1) / parts - first};
    }
    case SplitRule::kBalancedLast: {
      const int shorter = parts - longer;
      return {i * base + std::max(0, i - shorter), base + (i < shorter ? 0 : 1)};
    }
    case SplitRule::kCeilChunk: {
      const int chunk = (total + parts - 1) / parts;
      const int first = std::min(i * chunk, total);
      return {first, std::min(chunk, total - first)};
    }
  }
  return {};
}

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_SPANS_H_
