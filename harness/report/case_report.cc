#include "harness/report/case_report.h"

#include <algorithm>
#include <utility>

#include "harness/status.h"

namespace samebits::harness {

void CaseReport::SortByDataflow() {
  const auto key = [](const TensorDiff& diff) {
    return std::pair(diff.spec.role, diff.spec.role == Role::kTap ? diff.step : 0);
  };
  std::stable_sort(diffs.begin(), diffs.end(),
                   [&](const TensorDiff& a, const TensorDiff& b) { return key(a) < key(b); });
}

std::string CaseReport::verdict() const {
  if (!skipped.empty()) return "skipped";
  if (!variations.empty()) return "unstable";
  return identical() ? "identical" : "divergent";
}

void Summary::Add(const CaseReport& report) {
  if (!report.skipped.empty()) {
    ++skipped;
  } else if (!report.variations.empty()) {
    ++unstable;
  } else if (report.identical()) {
    ++identical;
  } else {
    ++divergent;
  }
}

int Summary::exit_status() const {
  if (divergent + unstable > 0) return kDivergent;
  return identical == 0 && skipped > 0 ? kSkipped : kIdentical;
}

std::string SettingsText(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) {
    if (!text.empty()) text += ' ';
    text += name + '=' + value;
  }
  return text;
}

}  // namespace samebits::harness
