// Benchmarks whose result is a ratio to something measured in the same run, on one core unless the
// benchmark says otherwise.
#ifndef SAMEBITS_HARNESS_BENCH_BENCHMARK_H_
#define SAMEBITS_HARNESS_BENCH_BENCHMARK_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace samebits::harness {

struct Measurement {
  std::string name;  // "highway"
  double value = 0;  // median
  std::string unit;  // "multiply-adds/s"
};

/// `value` of `name` over `over`; the wish is a bound that is reported and decides nothing.
struct Ratio {
  std::string name, over;
  double value = 0;
  enum class Wish { kNone, kAtLeast, kAtMost } wish = Wish::kNone;
  double bound = 0;

  bool met() const;
};

struct BenchResult {
  std::vector<Measurement> measurements;
  std::vector<Ratio> ratios;
};

struct Benchmark {
  std::string name, doc;
  std::function<BenchResult(int repetitions)> run;
};

/// Every benchmark of this build, cheapest first.
std::vector<Benchmark> Benchmarks();

/// Of a non-empty list; of an even number, the upper of the two in the middle.
double Median(std::vector<double> values);

/// Median seconds per call of each body. The bodies take turns, so that a change of the clock rate
/// hits all of them; each measurement lasts at least 20 ms.
std::vector<double> MedianSeconds(std::span<const std::function<void()>> bodies, int repetitions);

/// Keeps the calling thread on the processor that it runs on.
void PinToOneProcessor();

/// Lets a pinned thread, and those that it starts, run everywhere for the object's life: for
/// benchmarks of several threads.
class UseEveryProcessor {
 public:
  UseEveryProcessor();
  ~UseEveryProcessor();
  UseEveryProcessor(const UseEveryProcessor&) = delete;
  UseEveryProcessor& operator=(const UseEveryProcessor&) = delete;
};

/// The compiler must assume that `value` is read.
template <typename T>
void Keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_BENCH_BENCHMARK_H_
