// Exit statuses of the command line, and the errors that stand for them.
#ifndef SAMEBITS_HARNESS_STATUS_H_
#define SAMEBITS_HARNESS_STATUS_H_

#include <stdexcept>

namespace samebits::harness {

enum ExitStatus : int {
  kIdentical = 0,     // or: done
  kDivergent = 1,     // some bit differs
  kUsage = 2,         // bad command line, configuration or contract
  kEnvironment = 3,   // no device, wrong architecture, missing library, failed launch, full disk
  kIntegrity = 4,     // damaged or foreign file
  kSkipped = 77,      // nothing could be run here
  kClosedPipe = 141,  // the reader of standard output went away, as `head` does: 128 + SIGPIPE
};

/// A command line that cannot be obeyed: one line that names the option and what was expected.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_STATUS_H_
