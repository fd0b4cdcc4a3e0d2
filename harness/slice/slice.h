// The exact computation of one element, with the stages before it as far as they are opened; in two
// files, down to where their bits part.
#ifndef SAMEBITS_HARNESS_SLICE_SLICE_H_
#define SAMEBITS_HARNESS_SLICE_SLICE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/slice/elements.h"
#include "model/kernel.h"

namespace samebits::harness {

/// What the observed bits of an element say about its stage.
enum class Blame : uint8_t {
  kSame,     // the expected bits
  kCarried,  // other bits, which the contract's operations give for the observed operands
  kParts,    // bits that the contract's operations do not give for the observed operands
};
/// "same", "carried", "parts": words of JSON.
std::string_view Name(Blame blame);

/// One element and the operations of its stage.
struct SlicedElement {
  ElementRef element;
  TensorSpec spec;
  int stage = 1;  // 1: the element that was asked for, 2: what it is made of, ...
  Trace expected;
  uint32_t expected_bits = 0;     // as the golden file has it
  std::optional<Trace> observed;  // of the observed operands: the same nodes, other bits
  uint32_t observed_bits = 0;     // as the observed file has it
  bool observed_stored = false;   // false: the file has no such tensor; what its operands give
  Blame blame = Blame::kSame;
  int first_difference = -1;  // first node of other bits, in the order of execution
};

struct Slice {
  std::vector<SlicedElement> elements;  // the one that was asked for is the first
  std::map<ElementRef, int> place;      // in `elements`
  std::vector<int> path;                // from the first element to where the bits part
  std::vector<TensorSpec> specs;        // of every tensor of the case
  int64_t operations() const;
  /// Throws std::out_of_range.
  const TensorSpec& SpecOf(const ElementRef& element) const;
};

struct SliceRequest {
  ElementRef element;
  int stages = 1;                   // how many to open; 0: back to the inputs
  int64_t max_operations = 400000;  // of all elements together
};

/// `observed` may be null. Throws ConfigError: no such element, or more operations than the limit.
Slice MakeSlice(const Kernel& kernel, const Settings& config, const Contract& contract,
                const GoldenElements& expected, const ObservedElements* observed,
                const SliceRequest& request);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_SLICE_SLICE_H_
