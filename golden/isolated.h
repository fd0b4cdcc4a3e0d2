// Work on a damaged file in a process of its own: a parser that crashes, hangs or leaks on it takes
// nothing else along.
#ifndef SAMEBITS_GOLDEN_ISOLATED_H_
#define SAMEBITS_GOLDEN_ISOLATED_H_

#include <functional>
#include <optional>
#include <string>

namespace samebits::golden {

/// The text that `work` returns in a forked child; nullopt if the child did not end well, or not
/// within `seconds`.
std::optional<std::string> RunIsolated(const std::function<std::string()>& work, int seconds);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_ISOLATED_H_
