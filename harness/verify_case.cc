#include "harness/verify_case.h"

#include "golden/xxh3.h"
#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

/// Compares the tensors of a run with what the dataset knows of them.
class Judge {
 public:
  Judge(const Expectation& expected, NanPolicy nan) : expected_(expected), nan_(nan) {}

  void Compare(const TensorSet& actual, CaseReport* report) {
    for (const Tensor& tensor : actual.tensors) Compare(tensor, report);
  }

 private:
  void Compare(const Tensor& actual, CaseReport* report) {
    const TensorSpec& spec = actual.spec;
    ++report->compared;
    if (const Tensor* stored = expected_.tensors.Find(spec.role, spec.name)) {
      Add(*stored, actual, report);
      return;
    }
    const auto hash = expected_.hashes.find({spec.role, spec.name});
    if (hash != expected_.hashes.end() && hash->second == golden::HashHex(actual)) return;
    const Tensor& recomputed = Recomputed().At(spec.role, spec.name);
    const bool found = Add(recomputed, actual, report);
    if (found || hash == expected_.hashes.end()) return;
    // The model speaks for the file only where it computes the file's bits.
    if (nan_ == NanPolicy::kBits || hash->second != golden::HashHex(recomputed)) {
      report->hash_diffs.push_back({spec, hash->second, golden::HashHex(actual)});
    }
  }

  bool Add(const Tensor& expected, const Tensor& actual, CaseReport* report) const {
    std::optional<TensorDiff> diff = CompareTensors(expected, actual, nan_);
    if (diff) report->diffs.push_back(std::move(*diff));
    return !report->diffs.empty() && report->diffs.back().spec == actual.spec;
  }

  const TensorSet& Recomputed() {
    if (!recomputed_) recomputed_ = expected_.recompute();
    return *recomputed_;
  }

  const Expectation& expected_;
  NanPolicy nan_;
  std::optional<TensorSet> recomputed_;
};

/// Collects where later launches differ from the first.
class Stability {
 public:
  explicit Stability(const TensorSet& first) : first_(first), tensors_(first.tensors.size()) {}

  void Add(const TensorSet& later) {
    for (size_t t = 0; t < tensors_.size(); ++t) Add(first_.tensors[t], later.tensors[t], t);
  }

  std::vector<Variation> variations() const {
    std::vector<Variation> varying;
    for (const PerTensor& tensor : tensors_) {
      if (tensor.variation.runs > 0) varying.push_back(tensor.variation);
    }
    return varying;
  }

 private:
  struct PerTensor {
    Variation variation;
    std::vector<bool> differs;  // per element
  };

  void Add(const Tensor& first, const Tensor& later, size_t t) {
    const std::optional<TensorDiff> diff = CompareTensors(first, later);
    if (!diff) return;
    PerTensor& tensor = tensors_[t];
    Variation& variation = tensor.variation;
    if (variation.runs++ == 0) {
      variation.spec = first.spec;
      variation.first = diff->first;
      tensor.differs.resize(static_cast<size_t>(first.spec.elements()));
    }
    if (diff->first.index < variation.first.index) variation.first = diff->first;
    for (int64_t i = diff->first.index; i < first.spec.elements(); ++i) {
      if (ElementBits(first, i) == ElementBits(later, i)) continue;
      if (!tensor.differs[static_cast<size_t>(i)]) ++variation.elements;
      tensor.differs[static_cast<size_t>(i)] = true;
    }
  }

  const TensorSet& first_;
  std::vector<PerTensor> tensors_;
};

}  // namespace

VerifiedCase VerifyCase(const Kernel& kernel, const Target& target, const Settings& config,
                        const TensorSet& inputs, const Expectation& expected,
                        const VerifyRequest& request) {
  VerifiedCase result;
  CaseReport& report = result.report;
  Judge judge(expected, request.nan);
  const auto run = [&](int i) {
    gpu::LaunchOptions launch = request.launch;
    launch.schedule += static_cast<uint64_t>(i);
    RunResult launched = RunOnBackend(kernel, target, config, inputs, launch);
    if (!report.trespasses.empty()) return launched;
    report.trespasses = launched.trespasses;
    return launched;
  };
  try {
    result.observed = run(0);
  } catch (const ConfigError& error) {
    report.skipped = error.what();
    return result;
  }
  judge.Compare(result.observed.tensors, &report);
  Stability stability(result.observed.tensors);
  for (report.runs = 1; report.runs < request.repeat; ++report.runs) {
    result.later = run(report.runs).tensors;
    stability.Add(*result.later);
    if (report.diffs.empty() && report.hash_diffs.empty()) {
      report.compared = 0;
      judge.Compare(*result.later, &report);
    }
  }
  report.variations = stability.variations();
  report.SortByDataflow();
  return result;
}

}  // namespace samebits::harness
