#include "harness/slice/elements.h"

#include <algorithm>

#include "golden/run_case.h"
#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

using golden::CaseEntry;
using golden::Reader;
using Read = std::map<std::pair<Role, std::string>, Tensor>;

/// The stored tensor, read once; nullptr if the file has no values of it.
const Tensor* Stored(const Reader& reader, const CaseEntry& entry, const ElementRef& element,
                     Read* read) {
  const auto key = std::pair(element.role, element.tensor);
  if (const auto known = read->find(key); known != read->end()) return &known->second;
  const golden::TensorEntry* stored = entry.Find(element.role, element.tensor);
  if (stored == nullptr || !reader.has_values()) return nullptr;
  return &read->emplace(key, reader.Read(entry, *stored)).first->second;
}

bool HasTaps(const CaseEntry& entry) {
  return std::ranges::any_of(
      entry.tensors, [](const golden::TensorEntry& t) { return t.spec.role == Role::kTap; });
}

}  // namespace

GoldenElements::GoldenElements(const Reader& reader, const CaseEntry& entry, const Kernel& kernel,
                               int threads)
    : reader_(reader), entry_(entry), kernel_(kernel), threads_(threads) {}

uint32_t GoldenElements::Bits(const ElementRef& element) const {
  return ElementBits(TensorOf(element), element.index);
}

const Tensor& GoldenElements::TensorOf(const ElementRef& element) const {
  if (inputs_.tensors.empty()) {
    inputs_ = reader_.Inputs(entry_, kernel_, threads_);
    UpdateInputs();
  }
  if (element.role == Role::kInput) return last_inputs_.At(Role::kInput, element.tensor);
  if (const Tensor* stored = Stored(reader_, entry_, element, &read_)) return *stored;
  if (computed_.tensors.empty()) {
    computed_ = RunModel(entry_.config, true);
  }
  return computed_.At(element.role, element.tensor);
}

TensorSet GoldenElements::RunModel(const Settings& config, bool taps) const {
  return golden::RunModel(kernel_, config, reader_.info().contract, taps, inputs_, threads_)
      .results;
}

void GoldenElements::UpdateInputs() const {
  last_inputs_ = inputs_;
  const std::optional<Settings> earlier = kernel_.EarlierLaunches(entry_.config);
  if (!earlier) return;
  for (Tensor& updated : RunModel(*earlier, false).tensors) {
    if (Tensor* input = last_inputs_.Find(Role::kInput, updated.spec.name)) {
      input->data = std::move(updated.data);
    }
  }
}

ObservedElements::ObservedElements(const Reader& reader, const CaseEntry& entry,
                                   const Kernel& kernel, const Contract& contract,
                                   const GoldenElements& golden)
    : reader_(reader),
      entry_(entry),
      kernel_(kernel),
      contract_(contract),
      golden_(golden),
      has_taps_(HasTaps(entry)) {}

std::optional<uint32_t> ObservedElements::Stored(const ElementRef& element) const {
  const Tensor* stored = harness::Stored(reader_, entry_, element, &read_);
  if (stored == nullptr) return std::nullopt;
  const std::vector<bool>& captured = Captured(element);
  if (!captured.empty() && !captured[element.index]) return std::nullopt;
  return ElementBits(*stored, element.index);
}

const std::vector<bool>& ObservedElements::Captured(const ElementRef& element) const {
  const auto [known, made] = captured_.try_emplace(std::pair(element.role, element.tensor));
  std::vector<bool>& captured = known->second;
  if (!made) return captured;
  const golden::TensorEntry& stored = *entry_.Find(element.role, element.tensor);
  const std::vector<golden::Range> ranges = reader_.Covered(entry_, stored);
  if (golden::CountOf(ranges) == stored.spec.elements()) return captured;
  captured.resize(stored.spec.elements());
  for (const golden::Range& range : ranges) {
    std::fill(captured.begin() + range.begin, captured.begin() + range.end, true);
  }
  return captured;
}

uint32_t ObservedElements::Bits(const ElementRef& element) const {
  // What earlier launches make of captured inputs is not known.
  const bool first = !kernel_.EarlierLaunches(entry_.config);
  if (element.role != Role::kInput || first) {
    if (const std::optional<uint32_t> stored = Stored(element)) return *stored;
  }
  if (element.role == Role::kInput) return golden_.Bits(element);
  // Without any tap nothing is known that could make it another.
  if (!has_taps_) return golden_.Bits(element);
  if (const auto known = computed_.find(element); known != computed_.end()) return known->second;
  const Trace trace = kernel_.TraceElement(entry_.config, contract_, element, *this);
  return computed_.emplace(element, trace.nodes.at(trace.root).bits).first->second;
}

}  // namespace samebits::harness
