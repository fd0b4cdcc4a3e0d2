// Where a slice takes the bits of an element from: a file, or what is computed for it.
#ifndef SAMEBITS_HARNESS_SLICE_ELEMENTS_H_
#define SAMEBITS_HARNESS_SLICE_ELEMENTS_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "golden/reader.h"
#include "model/kernel.h"

namespace samebits::harness {

/// Inputs, taps and outputs of a golden case; what the file does not store, the model computes.
/// Inputs are those of the last launch (Kernel::EarlierLaunches).
class GoldenElements final : public ElementSource {
 public:
  GoldenElements(const golden::Reader& reader, const golden::CaseEntry& entry, const Kernel& kernel,
                 int threads);
  uint32_t Bits(const ElementRef& element) const override;

 private:
  const Tensor& TensorOf(const ElementRef& element) const;
  TensorSet RunModel(const Settings& config, bool taps) const;
  void UpdateInputs() const;

  const golden::Reader& reader_;
  const golden::CaseEntry& entry_;
  const Kernel& kernel_;
  const int threads_;
  mutable TensorSet inputs_, computed_;
  mutable TensorSet last_inputs_;  // after the earlier launches
  mutable std::map<std::pair<Role, std::string>, Tensor> read_;
};

/// A case as it was observed: the captured inputs, or else the golden ones; the stored taps and
/// outputs, and for what was not stored the contract's computation from these.
class ObservedElements final : public ElementSource {
 public:
  /// `golden`: of the case that `entry` belongs to.
  ObservedElements(const golden::Reader& reader, const golden::CaseEntry& entry,
                   const Kernel& kernel, const Contract& contract, const GoldenElements& golden);
  uint32_t Bits(const ElementRef& element) const override;
  /// The file's bits; nothing for an element that it does not have.
  std::optional<uint32_t> Stored(const ElementRef& element) const;

 private:
  const golden::Reader& reader_;
  const golden::CaseEntry& entry_;
  const Kernel& kernel_;
  const Contract& contract_;
  const GoldenElements& golden_;
  const bool has_taps_;
  /// Which elements of a tensor were captured; empty: all.
  const std::vector<bool>& Captured(const ElementRef& element) const;

  mutable std::map<std::pair<Role, std::string>, Tensor> read_;
  mutable std::map<std::pair<Role, std::string>, std::vector<bool>> captured_;
  mutable std::map<ElementRef, uint32_t> computed_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_SLICE_ELEMENTS_H_
