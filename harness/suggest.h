// "Did you mean": the nearest legal name to one that is unknown.
#ifndef SAMEBITS_HARNESS_SUGGEST_H_
#define SAMEBITS_HARNESS_SUGGEST_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace samebits::harness {

/// Least number of insertions, deletions, substitutions and swaps of neighbours between a and b.
int EditDistance(std::string_view a, std::string_view b);

/// The candidate nearest to `name` (the first of equals), whatever its distance; "" of none. Those
/// that start with `name`, or else contain it, come first: at least three characters, whatever
/// their case and separators.
std::string Nearest(std::string_view name, std::span<const std::string> candidates);

/// `unknown <what> "<name>": did you mean "<nearest>"? (one of a, b, c)`: one line.
std::string UnknownName(std::string_view what, std::string_view name,
                        std::span<const std::string> candidates);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_SUGGEST_H_
