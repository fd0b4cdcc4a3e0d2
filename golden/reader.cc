#include "golden/reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "golden/capture.h"
#include "golden/custom.h"
#include "golden/inputs.h"
#include "golden/integrity_error.h"
#include "golden/layout.h"
#include "golden/plan_match.h"
#include "golden/seal.h"
#include "golden/xxh3.h"

namespace samebits::golden {
namespace {

std::string Described(const TensorSpec& spec) {
  return std::string(GroupName(spec.role)) + "/" + spec.name;
}

}  // namespace

struct Reader::Impl {
  explicit Impl(const std::string& file_path) : path(file_path) {
    if (Capture::Claims(path)) {
      throw ConfigError(path +
                        ": a capture made by hand: expected beside its golden file, as in "
                        "samebits explain GOLDEN " +
                        path);
    }
    file = OpenSealed(path);
    const H5Node root = file->Root();
    StoredInfo stored = ReadInfo(root);
    info = std::move(stored.info);
    const H5Node group = root.Group(kCasesGroup);
    for (const std::string& name : group.Children()) {
      cases.push_back(ReadCase(info, group.Group(name)));
    }
    std::sort(cases.begin(), cases.end(),
              [](const CaseEntry& a, const CaseEntry& b) { return a.index < b.index; });
    if (cases.empty()) root.Refuse("expected at least one case");
    for (const CaseEntry& entry : cases) RefuseTwins(entry);
    if (stored.digest != FileDigest(info, cases)) {
      root.Refuse("attribute digest: expected " + FileDigest(info, cases) +
                  " (an attribute has changed, or a case is missing or foreign)");
    }
  }

  /// The cases of `golden` that the capture has, with the hashes of what it holds.
  Impl(const std::string& file_path, const Reader& golden, const Kernel& kernel)
      : path(file_path), capture(file_path) {
    info = golden.info();
    info.schema = Schema::kObserved;
    info.store = Store::kFull;
    info.kernel = capture->kernel();
    info.device = Device{"capture", "", "", "", ""};
    info.matrix.clear();
    if (info.kernel != kernel.name()) {
      throw IntegrityError(path + ": attribute kernel: expected " + std::string(kernel.name()) +
                           ", found " + info.kernel);
    }
    const bool only = capture->cases().size() == 1 && golden.cases().size() == 1;
    for (const std::string& name : capture->cases()) {
      const CaseEntry* found = only ? &golden.cases()[0] : golden.FindCase(name);
      if (found == nullptr) {
        throw IntegrityError(path + ": cases/" + name + ": expected the id of a case of " +
                             golden.path() + ", such as " + golden.cases()[0].id);
      }
      CaseEntry entry = *found;
      entry.tensors.clear();
      group_of[entry.id] = name;
      for (const TensorSpec& spec :
           capture->Specs(name, Tensors(kernel.Plan(entry.config, true)))) {
        entry.tensors.push_back({spec, HashHex(capture->Read(name, spec).values)});
      }
      cases.push_back(std::move(entry));
    }
  }

  void RefuseTwins(const CaseEntry& entry) const {
    for (const TensorEntry& tensor : entry.tensors) {
      if (entry.Find(tensor.spec.role, tensor.spec.name) != &tensor) {
        throw IntegrityError(path + ": cases/" + entry.id + ": expected " +
                             std::string(GroupName(tensor.spec.role)) + "/" + tensor.spec.name +
                             " once");
      }
    }
  }

  H5Node CaseGroup(const CaseEntry& entry) const {
    return file->Root().Group(kCasesGroup).Group(entry.id);
  }

  std::string path;
  std::optional<H5File> file;                   // sealed
  std::optional<Capture> capture;               // made by hand
  std::map<std::string, std::string> group_of;  // capture: by id of the case
  FileInfo info;
  std::vector<CaseEntry> cases;
};

Reader::Reader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader Reader::OpenObserved(const std::string& path, const Reader& golden, const Kernel& kernel) {
  if (!Capture::Is(path)) return Reader(path);
  return Reader(std::make_unique<Impl>(path, golden, kernel));
}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const std::string& Reader::path() const { return impl_->path; }
const FileInfo& Reader::info() const { return impl_->info; }
std::span<const CaseEntry> Reader::cases() const { return impl_->cases; }

const CaseEntry* Reader::FindCase(std::string_view id) const {
  const CaseEntry* found = nullptr;
  for (const CaseEntry& entry : impl_->cases) {
    if (!entry.id.starts_with(id)) continue;
    if (found != nullptr) {
      throw ConfigError("case " + std::string(id) + ": expected the start of one id; " + found->id +
                        " and " + entry.id + " start so");
    }
    found = &entry;
  }
  return found;
}

Tensor Reader::Read(const CaseEntry& entry, const TensorEntry& tensor) const {
  if (impl_->capture) {
    return impl_->capture->Read(impl_->group_of.at(entry.id), tensor.spec).values;
  }
  const H5Node dataset = OpenTensor(impl_->CaseGroup(entry), tensor);
  Tensor value(tensor.spec);
  dataset.ReadTensor(tensor.spec, value.data);
  if (HashHex(value) != tensor.xxh3) dataset.Refuse("expected values with XXH3-128 " + tensor.xxh3);
  return value;
}

std::vector<Range> Reader::Covered(const CaseEntry& entry, const TensorEntry& tensor) const {
  if (!impl_->capture) return Everything(tensor.spec);
  return impl_->capture->Read(impl_->group_of.at(entry.id), tensor.spec).covered;
}

TensorSet Reader::Read(const CaseEntry& entry, Role role) const {
  TensorSet set;
  if (!has_values()) return set;
  for (const TensorEntry& tensor : entry.tensors) {
    if (tensor.spec.role == role) set.tensors.push_back(Read(entry, tensor));
  }
  return set;
}

void Reader::RequirePlan(const CaseEntry& entry, const Kernel& kernel) const {
  if (info().schema != Schema::kGolden) return;
  const std::vector<TensorSpec> plan = Tensors(kernel.Plan(entry.config, info().taps));
  for (const PlanMismatch& mismatch : MatchPlan(info().schema, entry, plan)) {
    throw IntegrityError(path() + ": cases/" + entry.id + "/" + mismatch.tensor + ": " +
                         mismatch.expected);
  }
}

TensorSet Reader::Inputs(const CaseEntry& entry, const Kernel& kernel, int threads) const {
  const bool stored = std::any_of(entry.tensors.begin(), entry.tensors.end(),
                                  [](const TensorEntry& t) { return t.spec.role == Role::kInput; });
  if (has_values() && stored) return Read(entry, Role::kInput);
  if (entry.style == kCustomStyle) {
    throw IntegrityError(path() + ": cases/" + entry.id +
                         ": expected the values of its inputs, which are custom");
  }
  TensorSet set = GenerateInputs(SpecOf(entry, kernel), threads);
  for (const Tensor& tensor : set.tensors) {
    const TensorEntry* expected = entry.Find(Role::kInput, tensor.spec.name);
    if (expected == nullptr && !stored) continue;
    if (expected == nullptr || expected->xxh3 != HashHex(tensor)) {
      throw IntegrityError(path() + ": cases/" + entry.id + "/" + Described(tensor.spec) +
                           ": expected the hash of the inputs that this version generates");
    }
  }
  return set;
}

}  // namespace samebits::golden
