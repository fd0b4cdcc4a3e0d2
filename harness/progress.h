// A progress bar on standard error: on a terminal only, so that logs stay clean.
#ifndef SAMEBITS_HARNESS_PROGRESS_H_
#define SAMEBITS_HARNESS_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace samebits::harness {

/// "generate [#####.....]  50% 4/8  ETA 12s"; colour only where `colour` is true. `done` in
/// [0, total], `elapsed_s` since the start.
std::string ProgressLine(std::string_view what, int64_t done, int64_t total, double elapsed_s,
                         bool colour);

/// Draws at most ten times a second and wipes its line when it is destroyed.
class Progress {
 public:
  Progress(std::string what, int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Step() { Update(done_ + 1); }
  void Update(int64_t done);
  /// Wipes the line so that a result can be printed; the next Update draws it again.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  int64_t total_, done_ = 0;
  bool terminal_, colour_, drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_PROGRESS_H_
