// Finds the changes of a contract, a configuration or an operand that give the observed bits.
#ifndef SAMEBITS_HARNESS_EXPLAIN_EXPLAIN_H_
#define SAMEBITS_HARNESS_EXPLAIN_EXPLAIN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/explain/bounds.h"
#include "harness/explain/effort.h"
#include "harness/explain/evidence.h"
#include "harness/explain/hypothesis.h"
#include "harness/explain/pattern.h"

namespace samebits::harness {

enum class Verdict : uint8_t {
  kIdentical,
  kLegalReordering,  // the same operations in another order give exactly these bits, or can
  kDifferent,        // some other computation
};
/// "identical", "legal_reordering", "different_computation".
std::string_view Name(Verdict verdict);

/// A tensor whose observed elements are not what its stage makes of the observed inputs.
struct GuiltyTensor {
  TensorSpec spec;
  int64_t differing = 0, captured = 0;  // elements
  int64_t unexplained = 0;              // under all findings together
};

/// One cause.
struct Finding {
  Hypothesis changes;                    // made together; empty: nothing that is known explains it
  std::vector<std::string> tensors;      // "taps/dot", in dataflow order: where the cause acts
  int64_t explained = 0;                 // their differing elements that it accounts for
  int64_t differing = 0;                 // all of those
  bool in_part = false;                  // only where the elements differ; others do not follow it
  bool rest = false;                     // of tensors that other findings explain for the most part
  bool recording = false;                // what follows was computed from the right values
  std::vector<Hypothesis> alternatives;  // other changes that explain as much
  int64_t more_alternatives = 0;         // others that do in a sample
  std::optional<OrderBound> bound;       // unexplained, but inside what another order can give
  std::optional<Pattern> pattern;  // of the first tensor, where the place is part of the answer
  std::string sentence;
};

struct Explanation {
  Verdict verdict = Verdict::kIdentical;
  std::string named_contract;          // whose bits these are; "": none that is known
  std::vector<GuiltyTensor> tensors;   // in dataflow order
  std::vector<Finding> findings;       // in dataflow order of where they act first
  int64_t runs = 0;                    // of the model
  std::vector<std::string> not_tried;  // "12 of 30 pairs of choices at taps/dot": at the limit
};

struct ExplainSettings {
  int threads = 1;
  /// Tried first: what explained other cases.
  std::vector<Hypothesis> hints = {};
  int64_t limit = Effort::kUsual;  // of work, as in Effort; 0: none
  SearchProgress progress = {};    // called after every run of the model
};

Explanation Explain(const Evidence& evidence, const ExplainSettings& settings);

/// The sentence that a person would write.
std::string Sentence(const Kernel& kernel, const Finding& finding);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_EXPLAIN_H_
