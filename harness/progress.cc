#include "harness/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace samebits::harness {
namespace {

constexpr int kBarWidth = 24;

bool WantsColour() {
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: any non-empty value
  return no_color == nullptr || *no_color == '\0';
}

}  // namespace

std::string ProgressLine(std::string_view what, int64_t done, int64_t total, double elapsed_s,
                         bool colour) {
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1.0;
  const auto filled = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * kBarWidth);
  const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
  std::string line = fmt::format("{} [{}{}{}] {:3.0f}% {}/{}", what, colour ? "\033[32m" : "", bar,
                                 colour ? "\033[0m" : "", share * 100, done, total);
  if (done > 0 && done < total) {
    line += fmt::format("  ETA {:.0f}s", elapsed_s * (1 - share) / share);
  }
  return line;
}

Progress::Progress(std::string what, int64_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) == 1),
      colour_(WantsColour()),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() { Clear(); }

void Progress::Update(int64_t done) {
  done_ = done;
  const auto now = Clock::now();
  if (!terminal_ || (drawn_ && done < total_ && now - last_ < std::chrono::milliseconds(100))) {
    return;
  }
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r\033[K{}", ProgressLine(what_, done, total_, elapsed, colour_));
  std::fflush(stderr);
  last_ = now;
  drawn_ = true;
}

void Progress::Clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace samebits::harness
