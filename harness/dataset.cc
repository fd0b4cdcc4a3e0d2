#include "harness/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "golden/integrity_error.h"
#include "harness/names.h"
#include "harness/status.h"
#include "harness/suggest.h"

namespace samebits::harness {

std::string DevicesText(int64_t count, const std::string& name) {
  return count == 1 ? name : fmt::format("{} x {}", count, name);
}

const Kernel& KernelOf(const golden::Reader& reader) {
  if (const Kernel* kernel = FindKernel(reader.info().kernel)) return *kernel;
  std::string names;
  for (const Kernel* kernel : Kernels()) names += fmt::format(" \"{}\"", kernel->name());
  throw golden::IntegrityError(fmt::format("{}: attribute kernel: expected one of{}, got \"{}\"",
                                           reader.path(), names, reader.info().kernel));
}

const golden::CaseEntry& CaseNamed(const golden::Reader& reader, const std::string& id) {
  if (const golden::CaseEntry* entry = reader.FindCase(id)) return *entry;
  std::vector<std::string> ids;
  for (const golden::CaseEntry& entry : reader.cases()) ids.push_back(entry.id);
  throw UsageError(fmt::format("{}: no case \"{}\": expected an id or the start of one, such as {}",
                               reader.path(), id, Nearest(id, ids)));
}

const golden::CaseEntry* Counterpart(const golden::Reader& reader,
                                     const golden::CaseEntry& wanted) {
  for (const golden::CaseEntry& entry : reader.cases()) {
    if (entry.config == wanted.config && entry.style == wanted.style && entry.seed == wanted.seed) {
      return &entry;
    }
  }
  return nullptr;
}

TensorSelection::TensorSelection(const golden::Reader& reader, std::vector<std::string> names)
    : names_(std::move(names)) {
  std::set<std::string> full, plain;
  for (const golden::CaseEntry& entry : reader.cases()) {
    for (const golden::TensorEntry& tensor : entry.tensors) {
      full.insert(FullName(tensor.spec));
      plain.insert(tensor.spec.name);
    }
  }
  for (const std::string& name : names_) {
    if (full.contains(name) || plain.contains(name)) continue;
    const std::set<std::string>& known = name.find('/') == std::string::npos ? plain : full;
    throw UsageError(
        fmt::format("{}: {}", reader.path(),
                    UnknownName("tensor", name, std::vector(known.begin(), known.end()))));
  }
}

bool TensorSelection::Has(const TensorSpec& spec) const {
  return names_.empty() || std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
           return name == spec.name || name == FullName(spec);
         });
}

Tensor ReadCaptured(const golden::Reader& reader, const golden::CaseEntry& entry,
                    const golden::TensorEntry& tensor, const Tensor& truth) {
  Tensor values = truth;
  const Tensor stored = reader.Read(entry, tensor);
  const size_t size = SizeOf(stored.spec.dtype);
  for (const golden::Range& range : reader.Covered(entry, tensor)) {
    std::memcpy(values.data.data() + range.begin * size, stored.data.data() + range.begin * size,
                (range.end - range.begin) * size);
  }
  return values;
}

CaseReport ReportOf(const golden::CaseEntry& entry, const Kernel& kernel) {
  CaseReport report;
  report.id = entry.id;
  report.config = NonDefault(kernel, entry.config);
  report.style = entry.style;
  report.seed = entry.seed;
  return report;
}

}  // namespace samebits::harness
