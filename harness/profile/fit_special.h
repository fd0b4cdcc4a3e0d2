// The closed forms of a chip's special functions from a capture alone: no profile is read.
#ifndef SAMEBITS_HARNESS_PROFILE_FIT_SPECIAL_H_
#define SAMEBITS_HARNESS_PROFILE_FIT_SPECIAL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/profile/capture.h"
#include "harness/profile/fit_table.h"
#include "model/units/special_functions.h"

namespace samebits::harness::profile {

/// How many recorded results of an operation a closed form gives.
struct Proof {
  std::string name;
  int64_t blocks = 0;                // compared, of 65536 inputs each
  std::vector<uint16_t> bad_blocks;  // that differ
  int64_t edges = 0, bad_edges = 0;  // single inputs compared, and differing
  uint32_t bad_input = 0;            // the first differing one
  bool exact() const { return bad_blocks.empty() && bad_edges == 0; }
};

/// What was found for one function and the instructions that stand on it.
struct FunctionFit {
  enum class Form : uint8_t { kInterpolated, kCorrectlyRounded, kNotFitted };
  std::string function;  // "ex2", as SpecialFunctionTables names its tables; "cos" uses "sin"
  Form form = Form::kNotFitted;
  TableFit table;                          // kInterpolated; of "sin" for cos
  std::vector<units::TanhBinade> binades;  // tanh
  std::string failure;                     // kNotFitted: the nearest
  std::vector<std::string> rules;          // reduction and special cases, as the samples show them
  std::vector<Proof> proofs;               // of every instruction
  bool exact() const;
};

struct SpecialFit {
  std::vector<FunctionFit> functions;
  /// nullptr if the function was not recorded.
  const FunctionFit* Find(const std::string& function) const;
  /// Every function was interpolated, or every one is correctly rounded: one profile can hold it.
  bool uniform() const;
};

struct FitOptions {
  int threads = 1;
  std::function<void(int64_t done, int64_t total)> progress;  // instructions proved
};

SpecialFit FitSpecial(const Capture& capture, const FitOptions& options);

/// One fitted function alone; the others have no rows.
units::SpecialFunctionTables TablesOf(const FunctionFit& fit);

/// Compares every recorded result of one operation with the model.
Proof Prove(const Capture& capture, const UnaryCapture& unary,
            const units::SpecialFunctionTables& tables, int threads);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_FIT_SPECIAL_H_
