#include "golden/check.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "golden/check_evidence.h"
#include "golden/custom.h"
#include "golden/dataset.h"
#include "golden/evidence_file.h"
#include "golden/integrity_error.h"
#include "golden/isolated.h"
#include "golden/layout.h"
#include "golden/matrix.h"
#include "golden/plan_match.h"
#include "golden/run_case.h"
#include "golden/seal.h"
#include "golden/xxh3.h"
#include "model/parallel.h"

namespace samebits::golden {
namespace {

std::string Described(const TensorSpec& spec) {
  return std::string(GroupName(spec.role)) + "/" + spec.name;
}

/// Walks one file and collects what is wrong; every step goes on where the next can still say
/// something.
class Checker {
 public:
  Checker(const std::string& path, const CheckOptions& options, CheckReport* report)
      : path_(path), options_(options), report_(*report) {}

  void Walk(const std::function<const Kernel*(std::string_view)>& find) {
    Guard([&] {
      const H5File file = H5File::Open(path_);
      const H5Node root = file.Root();
      IsEvidence(root) ? CheckEvidence(root, find, options_, &report_) : Structure(root, find);
    });
  }

 private:
  void Add(std::string place, std::string expected,
           Finding::Kind kind = Finding::Kind::kIntegrity) {
    report_.findings.push_back({kind, std::move(place), std::move(expected)});
  }

  /// IntegrityError "FILE: place: what" becomes a finding.
  template <typename Step>
  bool Guard(const Step& step) {
    try {
      step();
      return true;
    } catch (const IntegrityError& error) {
      std::string text = error.what();
      text.erase(0, std::min(text.size(), path_.size() + 2));
      const size_t colon = text.find(": ");
      if (colon == std::string::npos) {
        Add("file", text);
      } else {
        Add(text.substr(0, colon), text.substr(colon + 2));
      }
      return false;
    }
  }

  void Structure(const H5Node& root, const std::function<const Kernel*(std::string_view)>& find) {
    StoredInfo stored;
    if (!Guard([&] { stored = ReadInfo(root); })) return;
    const Kernel* kernel = find(stored.info.kernel);
    if (kernel == nullptr) {
      Add("attribute kernel", "expected a kernel of this build, found " + stored.info.kernel);
    } else {
      Contract(*kernel, stored.info);
    }
    const H5Node group = root.Group(kCasesGroup);
    Guard([&] {
      if (!group.Attributes().empty()) group.Refuse("expected no attributes");
    });
    std::vector<CaseEntry> cases;
    bool complete = true;
    for (const std::string& name : group.Children()) {
      std::optional<CaseEntry> entry;
      complete &= Guard([&] { entry = ReadCase(stored.info, group.Group(name)); });
      if (entry) cases.push_back(std::move(*entry));
    }
    std::sort(cases.begin(), cases.end(),
              [](const CaseEntry& a, const CaseEntry& b) { return a.index < b.index; });
    if (complete && stored.digest != FileDigest(stored.info, cases)) {
      Add("attribute digest", "expected " + FileDigest(stored.info, cases) +
                                  " (an attribute has changed, or a case is missing or foreign)");
    }
    if (complete && kernel != nullptr && !stored.info.matrix.empty()) {
      Matrix(*kernel, stored.info, cases);
    }
    for (const CaseEntry& entry : cases) {
      Case(stored.info, entry, group, kernel);
      ++report_.cases;
      if (!options_.recompute && options_.progress) options_.progress(report_.cases, cases.size());
    }
    if (options_.recompute && kernel != nullptr && report_.findings.empty()) {
      Recompute(stored.info, cases, *kernel);
    }
  }

  void Contract(const Kernel& kernel, const FileInfo& info) {
    try {
      kernel.CheckContract(info.contract);
    } catch (const ConfigError& error) {
      Add("attribute contract", error.what());
    }
  }

  /// A file that says it was made from a matrix has the cases of that matrix.
  void Matrix(const Kernel& kernel, const FileInfo& info, const std::vector<CaseEntry>& cases) {
    try {
      const std::vector<CaseSpec> specs = ParseMatrix(info.matrix, "matrix", kernel);
      const std::string contract_hash = info.contract_hash();
      const bool same = std::equal(specs.begin(), specs.end(), cases.begin(), cases.end(),
                                   [&](const CaseSpec& spec, const CaseEntry& entry) {
                                     return CaseId(spec, contract_hash) == entry.id;
                                   });
      if (!same) Add("attribute matrix", "expected a matrix with the cases of the file");
    } catch (const ConfigError& error) {
      Add("attribute matrix", error.what());
    }
  }

  void Case(const FileInfo& info, const CaseEntry& entry, const H5Node& cases,
            const Kernel* kernel) {
    Guard([&] {
      const H5Node group = cases.Group(entry.id);
      CheckMembers(entry, info.store, group);
    });
    if (kernel != nullptr) Plan(info, entry, *kernel);
    if (entry.style == kCustomStyle) CustomInputs(info, entry);
    for (const TensorEntry& tensor : entry.tensors) {
      ++report_.tensors;
      if (info.store == Store::kFull) Guard([&] { Values(cases.Group(entry.id), tensor); });
    }
  }

  /// Observed cases may lack their inputs.
  void CustomInputs(const FileInfo& info, const CaseEntry& entry) {
    const std::string place = "cases/" + entry.id;
    const bool stored = std::ranges::any_of(
        entry.tensors, [](const TensorEntry& t) { return t.spec.role == Role::kInput; });
    if (info.schema == Schema::kGolden && info.store == Store::kHashes) {
      Add(place, "expected the values of its inputs, which are custom");
    } else if (stored && entry.seed != CustomSeed(entry)) {
      Add(place + "/attribute seed", "expected " + std::to_string(CustomSeed(entry)) +
                                         ", which the inputs of a custom case give");
    }
  }

  void Values(const H5Node& group, const TensorEntry& tensor) {
    const H5Node dataset = OpenTensor(group, tensor);
    Tensor value(tensor.spec);
    dataset.ReadTensor(tensor.spec, value.data);
    const std::string found = HashHex(value);
    if (found != tensor.xxh3) {
      dataset.Refuse("expected values with XXH3-128 " + tensor.xxh3 + ", found " + found);
    }
  }

  /// The tensors of a golden case are those of the kernel's plan; observed ones are among them.
  void Plan(const FileInfo& info, const CaseEntry& entry, const Kernel& kernel) {
    const std::string place = "cases/" + entry.id;
    std::vector<TensorSpec> expected;
    try {
      if (kernel.Complete(entry.config) != entry.config) {
        Add(place, "expected a value for every axis of " + info.kernel);
      }
      expected = Tensors(kernel.Plan(entry.config, info.taps));
    } catch (const ConfigError& error) {
      Add(place, error.what());
      return;
    }
    for (const PlanMismatch& mismatch : MatchPlan(info.schema, entry, expected)) {
      Add(place + "/" + mismatch.tensor, mismatch.expected);
    }
  }

  /// Of the inputs that the recipe gives; custom ones are those of the file.
  TensorSet Computed(const FileInfo& info, const CaseEntry& entry, const Kernel& kernel) {
    if (entry.style != kCustomStyle) {
      return ComputeCase(SpecOf(entry, kernel), info.contract, info.taps, 1);
    }
    TensorSet set;
    {
      const std::lock_guard lock(file_mutex_);
      const H5File file = H5File::Open(path_);
      const H5Node group = file.Root().Group(kCasesGroup).Group(entry.id);
      for (const TensorEntry& tensor : entry.tensors) {
        if (tensor.spec.role != Role::kInput) continue;
        set.tensors.emplace_back(tensor.spec);
        OpenTensor(group, tensor).ReadTensor(tensor.spec, set.tensors.back().data);
      }
    }
    kernel.CheckInputs(entry.config, set);
    for (Tensor& tensor :
         RunModel(kernel, entry.config, info.contract, info.taps, set, 1).results.tensors) {
      set.tensors.push_back(std::move(tensor));
    }
    return set;
  }

  void Recompute(const FileInfo& info, const std::vector<CaseEntry>& cases, const Kernel& kernel) {
    std::vector<std::vector<Finding>> found(cases.size());
    std::mutex mutex;
    size_t done = 0;
    ParallelFor(static_cast<int64_t>(cases.size()), options_.threads, [&](int64_t i) {
      const CaseEntry& entry = cases[static_cast<size_t>(i)];
      const TensorSet set = Computed(info, entry, kernel);
      for (const TensorEntry& tensor : entry.tensors) {
        const std::string hash = HashHex(set.At(tensor.spec.role, tensor.spec.name));
        if (hash == tensor.xxh3) continue;
        found[static_cast<size_t>(i)].push_back(
            {Finding::Kind::kResult, "cases/" + entry.id + "/" + Described(tensor.spec),
             "the file says XXH3-128 " + tensor.xxh3 + ", the model computes " + hash});
      }
      const std::lock_guard lock(mutex);
      if (options_.progress) options_.progress(++done, cases.size());
    });
    for (std::vector<Finding>& list : found) {
      for (Finding& finding : list) report_.findings.push_back(std::move(finding));
    }
  }

  std::string path_;
  const CheckOptions& options_;
  CheckReport& report_;
  std::mutex file_mutex_;  // HDF5 is not for several threads
};

/// Separators of findings that travel through a pipe.
constexpr char kField = '\x1f', kRecord = '\x1e';
constexpr int kLocaliseSeconds = 600;

/// Walks a file whose seal is broken, in a process of its own, to say where it is broken.
void Localise(const std::string& path, const std::function<const Kernel*(std::string_view)>& find,
              CheckReport* report) {
  const auto walk = [&] {
    CheckReport found;
    Checker(path, {}, &found).Walk(find);
    std::string text;
    for (const Finding& finding : found.findings) {
      text += finding.place + kField + finding.expected + kRecord;
    }
    return text + std::to_string(found.cases) + kField + std::to_string(found.tensors);
  };
  const std::optional<std::string> text = RunIsolated(walk, kLocaliseSeconds);
  if (!text) {
    report->findings.push_back({Finding::Kind::kIntegrity, "file", "the structure is unreadable"});
    return;
  }
  size_t at = 0;
  for (size_t end; (end = text->find(kRecord, at)) != std::string::npos; at = end + 1) {
    const size_t middle = text->find(kField, at);
    report->findings.push_back({Finding::Kind::kIntegrity, text->substr(at, middle - at),
                                text->substr(middle + 1, end - middle - 1)});
  }
  const size_t middle = text->find(kField, at);
  report->cases = std::stoull(text->substr(at, middle - at));
  report->tensors = std::stoull(text->substr(middle + 1));
}

}  // namespace

CheckReport Check(const std::string& path,
                  const std::function<const Kernel*(std::string_view)>& find,
                  const CheckOptions& options) {
  using Verdict = SealCheck::Verdict;
  CheckReport report;
  const SealCheck seal = CheckSeal(path);
  if (seal.verdict == Verdict::kIntact) {
    Checker(path, options, &report).Walk(find);
    return report;
  }
  report.findings.push_back({Finding::Kind::kIntegrity, "seal", seal.detail});
  if (seal.verdict != Verdict::kForeign && seal.verdict != Verdict::kNewer) {
    Localise(path, find, &report);
  }
  return report;
}

}  // namespace samebits::golden
