#include "harness/bench/benchmark.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace samebits::harness {
namespace {

constexpr double kLeastSeconds = 0.02;

double Seconds(const std::function<void()>& body, int64_t calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < calls; ++i) body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Calls that last at least kLeastSeconds; warms caches up on the way.
int64_t Calibrate(const std::function<void()>& body) {
  int64_t calls = 1;
  for (double t; (t = Seconds(body, calls)) < kLeastSeconds;) {
    calls = std::max(calls * 2, static_cast<int64_t>(kLeastSeconds * 1.2 / std::max(t, 1e-9) *
                                                     static_cast<double>(calls)));
  }
  return calls;
}

}  // namespace

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool Ratio::met() const {
  switch (wish) {
    case Wish::kAtLeast:
      return value >= bound;
    case Wish::kAtMost:
      return value <= bound;
    case Wish::kNone:
      return true;
  }
  return true;
}

std::vector<double> MedianSeconds(std::span<const std::function<void()>> bodies, int repetitions) {
  std::vector<int64_t> calls;
  for (const auto& body : bodies) calls.push_back(Calibrate(body));
  std::vector<std::vector<double>> seconds(bodies.size());
  for (int r = 0; r < repetitions; ++r) {
    for (size_t b = 0; b < bodies.size(); ++b) {
      seconds[b].push_back(Seconds(bodies[b], calls[b]) / static_cast<double>(calls[b]));
    }
  }
  std::vector<double> medians;
  for (const auto& s : seconds) medians.push_back(Median(s));
  return medians;
}

void PinToOneProcessor() {
#ifdef __linux__
  const int cpu = sched_getcpu();
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof(set), &set);  // without the right to pin, results are only noisier
#endif
}

UseEveryProcessor::UseEveryProcessor() {
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof(set), &set);
#endif
}

UseEveryProcessor::~UseEveryProcessor() { PinToOneProcessor(); }

}  // namespace samebits::harness
