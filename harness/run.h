// From argv to the exit status.
#ifndef SAMEBITS_HARNESS_RUN_H_
#define SAMEBITS_HARNESS_RUN_H_

namespace samebits::harness {

/// Runs one verb. Every error becomes one line on standard error and an exit status (status.h).
int RunCommandLine(int argc, const char* const* argv);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_RUN_H_
