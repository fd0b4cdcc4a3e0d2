#include "golden/check_evidence.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "golden/evidence.h"
#include "golden/evidence_file.h"
#include "golden/run_case.h"
#include "golden/xxh3.h"
#include "model/parallel.h"

namespace samebits::golden {
namespace {

class EvidenceChecker {
 public:
  EvidenceChecker(const Evidence& evidence, const Kernel& kernel, const CheckOptions& options,
                  CheckReport* report)
      : evidence_(evidence), kernel_(kernel), options_(options), report_(*report) {}

  void Check() {
    std::vector<CaseSpec> specs;
    try {
      kernel_.CheckContract(evidence_.info.contract);
      specs = SpecsOf(evidence_, kernel_);
    } catch (const ConfigError& error) {
      Add("attributes contract and matrix", error.what());
      return;
    }
    for (size_t c = 0; c < specs.size(); ++c) {
      Tensors(specs[c], evidence_.cases[c]);
      ++report_.cases;
      if (!options_.recompute) Progress(c + 1);
    }
    if (options_.recompute && report_.findings.empty()) Recompute(specs);
  }

 private:
  void Add(std::string place, std::string expected) {
    report_.findings.push_back({Finding::Kind::kIntegrity, std::move(place), std::move(expected)});
  }

  void Progress(size_t done) const {
    if (options_.progress) options_.progress(done, evidence_.cases.size());
  }

  /// A case has the taps and outputs of the plan, no more and no fewer.
  void Tensors(const CaseSpec& spec, const EvidenceCase& entry) {
    std::set<std::string> planned;
    for (const TensorSpec& tensor :
         samebits::Tensors(kernel_.Plan(spec.config, evidence_.info.taps))) {
      if (tensor.role != Role::kInput) planned.insert(TensorPath(tensor));
    }
    const std::string place = "cases/" + entry.id + "/";
    for (size_t t = 0; t < entry.hashes.size(); ++t) {
      if (entry.hashes[t].empty()) continue;
      ++report_.tensors;
      const std::string& name = evidence_.tensors[t];
      if (planned.erase(name) == 0) Add(place + name, "extra: not a tensor of the kernel");
    }
    for (const std::string& name : planned) Add(place + name, "missing");
  }

  void Recompute(const std::vector<CaseSpec>& specs) {
    std::vector<std::vector<Finding>> found(specs.size());
    std::mutex mutex;
    size_t done = 0;
    ParallelFor(static_cast<int64_t>(specs.size()), options_.threads, [&](int64_t i) {
      const auto c = static_cast<size_t>(i);
      found[c] = Recomputed(specs[c], evidence_.cases[c]);
      const std::lock_guard lock(mutex);
      Progress(++done);
    });
    for (std::vector<Finding>& list : found) {
      for (Finding& finding : list) report_.findings.push_back(std::move(finding));
    }
  }

  std::vector<Finding> Recomputed(const CaseSpec& spec, const EvidenceCase& entry) const {
    const std::string place = "cases/" + entry.id;
    const TensorSet set = ComputeCase(spec, evidence_.info.contract, evidence_.info.taps, 1);
    std::vector<Finding> found;
    for (const Tensor& tensor : set.tensors) {
      if (tensor.spec.role == Role::kInput) continue;
      const std::string name = TensorPath(tensor.spec);
      const auto column = std::find(evidence_.tensors.begin(), evidence_.tensors.end(), name);
      const std::string& seen =
          entry.hashes[static_cast<size_t>(column - evidence_.tensors.begin())];
      const std::string hash = HashHex(tensor);
      if (hash == seen) continue;
      found.push_back({Finding::Kind::kResult, place + "/" + name,
                       "the device computed XXH3-128 " + seen + ", the model computes " + hash});
    }
    if (found.empty() && entry.verdict != Verdict::kIdentical) {
      found.push_back({Finding::Kind::kResult, place,
                       "expected a case that was identical, found verdict " +
                           std::string(Name(entry.verdict))});
    }
    return found;
  }

  const Evidence& evidence_;
  const Kernel& kernel_;
  const CheckOptions& options_;
  CheckReport& report_;
};

}  // namespace

void CheckEvidence(const H5Node& root, const std::function<const Kernel*(std::string_view)>& find,
                   const CheckOptions& options, CheckReport* report) {
  const Evidence evidence = ReadEvidence(root);
  const Kernel* kernel = find(evidence.info.kernel);
  if (kernel == nullptr) {
    root.Refuse("attribute kernel: expected a kernel of this build, found " + evidence.info.kernel);
  }
  EvidenceChecker(evidence, *kernel, options, report).Check();
}

}  // namespace samebits::golden
