#include "golden/evidence.h"

#include <algorithm>
#include <stdexcept>

#include "golden/contract_text.h"
#include "golden/matrix.h"
#include "golden/xxh3.h"

namespace samebits::golden {
namespace {

constexpr char kMatrixPlace[] = "attribute matrix";

/// Where `value` is in the list, at the end if it is new.
template <typename T>
size_t IndexIn(std::vector<T>* list, const T& value) {
  const auto found = std::find(list->begin(), list->end(), value);
  if (found != list->end()) return static_cast<size_t>(found - list->begin());
  list->push_back(value);
  return list->size() - 1;
}

}  // namespace

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kIdentical:
      return "identical";
    case Verdict::kDivergent:
      return "divergent";
    case Verdict::kVaries:
      return "varies";
  }
  return "";
}

std::string TensorPath(const TensorSpec& spec) {
  return std::string(GroupName(spec.role)) + "/" + spec.name;
}

EvidenceBuilder::EvidenceBuilder(EvidenceInfo info, const Kernel& kernel) : info_(std::move(info)) {
  const std::string contract_hash = ContractHash(info_.contract);
  for (const CaseSpec& spec : ParseMatrix(info_.matrix, kMatrixPlace, kernel)) {
    indices_.emplace(CaseId(spec, contract_hash), indices_.size());
  }
}

void EvidenceBuilder::Add(const std::string& id, const KernelBinary& binary, Verdict verdict,
                          const TensorSet& results) {
  const auto index = indices_.find(id);
  if (index == indices_.end()) throw ConfigError("case " + id + ": expected one of the matrix");
  Observed observed{id, binary, verdict, {}};
  for (const Tensor& tensor : results.tensors) {
    observed.hashes.emplace_back(TensorPath(tensor.spec), HashHex(tensor));
  }
  if (!cases_.emplace(index->second, std::move(observed)).second) {
    throw std::invalid_argument("case " + id + ": expected once");
  }
}

Evidence EvidenceBuilder::Finish() const {
  Evidence evidence;
  evidence.info = info_;
  for (const auto& [index, observed] : cases_) {
    EvidenceCase entry;
    entry.id = observed.id;
    entry.binary = IndexIn(&evidence.binaries, observed.binary);
    entry.verdict = observed.verdict;
    for (const auto& [tensor, hash] : observed.hashes) {
      const size_t t = IndexIn(&evidence.tensors, tensor);
      entry.hashes.resize(evidence.tensors.size());
      entry.hashes[t] = hash;
    }
    evidence.cases.push_back(std::move(entry));
  }
  for (EvidenceCase& entry : evidence.cases) entry.hashes.resize(evidence.tensors.size());
  return evidence;
}

std::vector<CaseSpec> SpecsOf(const Evidence& evidence, const Kernel& kernel) {
  const std::vector<CaseSpec> matrix = ParseMatrix(evidence.info.matrix, kMatrixPlace, kernel);
  const std::string contract_hash = ContractHash(evidence.info.contract);
  std::vector<CaseSpec> specs;
  auto next = matrix.begin();
  for (const EvidenceCase& entry : evidence.cases) {
    next = std::find_if(next, matrix.end(), [&](const CaseSpec& spec) {
      return CaseId(spec, contract_hash) == entry.id;
    });
    if (next == matrix.end()) {
      throw ConfigError("case " + entry.id + ": expected the id of a case of the matrix, in order");
    }
    specs.push_back(*next++);
  }
  return specs;
}

}  // namespace samebits::golden
