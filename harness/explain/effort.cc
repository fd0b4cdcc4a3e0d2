#include "harness/explain/effort.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace samebits::harness {

Effort::Effort(StageRunner* runner, int64_t limit, SearchProgress progress)
    : runner_(*runner), limit_(limit), progress_(std::move(progress)) {
  runner_.on_run = [this](int64_t runs) {
    if (!progress_) return;
    const int64_t done = runs - before_;
    progress_(phase_, std::min(done, runs_), runs_);
  };
}

void Effort::Begin(std::string phase, int64_t runs) {
  phase_ = std::move(phase);
  runs_ = std::max<int64_t>(1, runs);
  before_ = runner_.runs();
}

bool Effort::Spent(double share) const {
  return limit_ > 0 && static_cast<double>(runner_.work()) > share * static_cast<double>(limit_);
}

void Effort::Tried(int64_t tried, int64_t all, const std::string& what, const std::string& tensor) {
  if (tried >= all) return;
  auto found = std::ranges::find(left_, what, &Left::what);
  if (found == left_.end()) found = left_.insert(found, {what, 0, 0, {}});
  found->left += all - tried;
  found->all += all;
  if (std::ranges::find(found->tensors, tensor) == found->tensors.end()) {
    found->tensors.push_back(tensor);
  }
}

std::vector<std::string> Effort::not_tried() const {
  std::vector<std::string> texts;
  for (const Left& left : left_) {
    texts.push_back(fmt::format("{} of {} {} at {}", left.left, left.all, left.what,
                                fmt::join(left.tensors, ", ")));
  }
  return texts;
}

}  // namespace samebits::harness
