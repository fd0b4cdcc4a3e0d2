#include "harness/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace samebits::harness {

int EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the table of prefix distances; the third back is needed for swaps.
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

namespace {

/// Lower case, without what separates words.
std::string Folded(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return folded;
}

/// The candidates that start with `name`, or else contain it, as Folded has both.
std::vector<std::string> Containing(std::string_view name,
                                    std::span<const std::string> candidates) {
  const std::string part = Folded(name);
  std::vector<std::string> starting, containing;
  if (part.size() < 3) return {};  // a letter or two are in names that have nothing to do with it
  for (const std::string& candidate : candidates) {
    const size_t at = Folded(candidate).find(part);
    if (at == 0) starting.push_back(candidate);
    if (at != std::string::npos) containing.push_back(candidate);
  }
  return starting.empty() ? containing : starting;
}

}  // namespace

std::string Nearest(std::string_view name, std::span<const std::string> candidates) {
  const std::vector<std::string> containing = Containing(name, candidates);
  if (!containing.empty()) candidates = containing;
  std::string best;
  int best_distance = -1;
  for (const std::string& candidate : candidates) {
    const int distance = EditDistance(name, candidate);
    if (best_distance >= 0 && distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string UnknownName(std::string_view what, std::string_view name,
                        std::span<const std::string> candidates) {
  if (candidates.empty()) return fmt::format("unknown {} \"{}\": there are none", what, name);
  return fmt::format("unknown {} \"{}\": did you mean \"{}\"? (one of {})", what, name,
                     Nearest(name, candidates), fmt::join(candidates, ", "));
}

}  // namespace samebits::harness
