// What the page of `samebits report` shows, from the JSON of other verbs.
#ifndef SAMEBITS_HARNESS_REPORT_PAGE_DATA_H_
#define SAMEBITS_HARNESS_REPORT_PAGE_DATA_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/kernel.h"

namespace samebits::harness {

using Json = nlohmann::ordered_json;

/// Results by the verb that printed them.
struct PageResults {
  std::optional<Json> main;  // verify or compare
  std::vector<Json> explain;
  std::vector<Json> reveal;
};

/// One group of cases: the first tensor that differs and the explanation, or else the kind of its
/// bits, are the same.
struct Cause {
  std::string first;  // "taps/dot"; "" where no tensor is to blame
  std::string title;  // what the cases have in common
  std::vector<std::string> explanation;
  std::vector<size_t> cases;  // indices of main's cases
};

/// The causes of main's cases, the most frequent first, and the cause of each case (-1: none).
struct Grouping {
  std::vector<Cause> causes;
  std::vector<int> cause_of;
};
Grouping GroupCases(const PageResults& results);

/// Different explanations of the groups; a group that has none is one cause.
size_t CountCauses(const Grouping& grouping);

/// Everything but the heat maps. `kernel` may be null: the tensors that agree are then unknown.
/// Deterministic.
Json MakePageData(const PageResults& results, const Grouping& grouping, const Kernel* kernel,
                  const std::string& title);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_REPORT_PAGE_DATA_H_
