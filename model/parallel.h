// Work shared among threads such that every index is done exactly once.
#ifndef SAMEBITS_MODEL_PARALLEL_H_
#define SAMEBITS_MODEL_PARALLEL_H_

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace samebits {

/// Calls body(i) for i in [0, count), on up to `threads` threads (the caller's among them). body
/// must write only what belongs to i. The first exception is rethrown.
template <typename Body>
void ParallelFor(int64_t count, int threads, const Body& body) {
  std::atomic<int64_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto work = [&] {
    try {
      for (int64_t i; (i = next.fetch_add(1)) < count;) body(i);
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int64_t t = 1; t < threads && t < count; ++t) helpers.emplace_back(work);
    work();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace samebits

#endif  // SAMEBITS_MODEL_PARALLEL_H_
