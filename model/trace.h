// The exact computation of one element as data: every operation with the bits of its result.
#ifndef SAMEBITS_MODEL_TRACE_H_
#define SAMEBITS_MODEL_TRACE_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/tensor.h"

namespace samebits {

/// One element of a tensor of a case; `index` is row-major.
struct ElementRef {
  Role role = Role::kInput;
  std::string tensor;
  int64_t index = 0;
  auto operator<=>(const ElementRef&) const = default;
};

/// The bits that a computation starts from: inputs, and the taps before the traced element.
class ElementSource {
 public:
  virtual ~ElementSource() = default;
  /// 16-bit types in the low half. Throws ConfigError for an element that it cannot know.
  virtual uint32_t Bits(const ElementRef& element) const = 0;
  /// The value of the occurrence-th sum of that name (model/sum.h) in the computation, where its
  /// terms shall not decide it.
  virtual std::optional<float> SumValue(std::string_view sum, int occurrence) const {
    (void)sum, (void)occurrence;
    return std::nullopt;
  }
};

struct TraceNode {
  enum class Kind : uint8_t {
    kElement,    // an input or an earlier tap: `element`
    kConstant,   // a number of the specification, of the configuration, or no result at all
    kOperation,  // `op` of `operands`
  };
  Kind kind = Kind::kConstant;
  std::string op;             // "fma", "add.ftz", "ex2.approx.f32", "matrix block"
  std::string label;          // what it is in the specification's terms; may be empty
  std::vector<int> operands;  // earlier nodes. fma: a, b, c of a*b + c. matrix block: accumulator,
                              // then a and b of every product
  DType dtype = DType::kF32;
  uint32_t bits = 0;
  ElementRef element;
};

/// A sum in a trace (model/sum.h): nodes of its terms, products a*b or (b < 0) values a, of the
/// caller's start value (or -1), and of its result.
struct TracedSum {
  std::string name;
  std::vector<std::pair<int, int>> terms;
  int start = -1;
  int result = -1;
};

/// Operands stand before what uses them; `root` is the traced element.
struct Trace {
  std::vector<TraceNode> nodes;
  int root = 0;
  std::vector<TracedSum> sums = {};  // that the root needs
};

}  // namespace samebits

#endif  // SAMEBITS_MODEL_TRACE_H_
