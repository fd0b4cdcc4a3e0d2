#include "golden/generate.h"

#include <algorithm>
#include <mutex>

#include "golden/run_case.h"
#include "model/parallel.h"

namespace samebits::golden {
namespace {

/// Above it, a case is computed alone, with every thread.
constexpr int64_t kLargeCaseBytes = int64_t{64} << 20;

int64_t Bytes(const CaseSpec& spec, bool taps) {
  int64_t bytes = 0;
  for (const Allocation& a : spec.kernel->Plan(spec.config, taps).allocations) bytes += a.bytes;
  return bytes;
}

}  // namespace

void Generate(const std::string& path, const FileInfo& info, const std::vector<CaseSpec>& cases,
              const GenerateOptions& options) {
  for (const CaseSpec& spec : cases) spec.kernel->CheckContract(info.contract);
  Writer writer(path, info, options.writer);
  std::mutex mutex;
  size_t done = 0;
  const auto finished = [&] {
    const std::lock_guard lock(mutex);
    ++done;
    if (options.progress) options.progress(done);
  };
  const auto compute = [&](int64_t index, int threads) {
    const CaseSpec& spec = cases[static_cast<size_t>(index)];
    writer.Add(spec, index, ComputeCase(spec, info.contract, info.taps, threads));
    finished();
  };

  std::vector<int64_t> small, large;
  for (int64_t i = 0; i < static_cast<int64_t>(cases.size()); ++i) {
    const CaseSpec& spec = cases[static_cast<size_t>(i)];
    if (writer.Reuse(spec, i)) {
      finished();
    } else {
      (Bytes(spec, info.taps) > kLargeCaseBytes ? large : small).push_back(i);
    }
  }
  ParallelFor(static_cast<int64_t>(small.size()), options.threads,
              [&](int64_t i) { compute(small[static_cast<size_t>(i)], 1); });
  for (const int64_t index : large) compute(index, options.threads);
  writer.Finish();
}

}  // namespace samebits::golden
