// A whole chip: everything that its capture says, fitted or compared with a profile.
#ifndef SAMEBITS_HARNESS_PROFILE_CHIP_H_
#define SAMEBITS_HARNESS_PROFILE_CHIP_H_

#include <string>
#include <vector>

#include "harness/profile/capture.h"
#include "harness/profile/check_operations.h"
#include "harness/profile/fit_matrix.h"
#include "harness/profile/fit_special.h"
#include "harness/profile/profile.h"

namespace samebits::harness::profile {

struct ChipFit {
  SpecialFit special;
  std::vector<OperationCheck> operations;  // with the fitted functions
  std::vector<Proof> conversions;
  std::vector<MatrixFit> matrix;
  /// Everything that was recorded follows from what was fitted.
  bool exact() const;
};

ChipFit FitChip(const Capture& capture, const FitOptions& options);

/// What was fitted exactly, as a profile with this capture as its evidence. `name`: "" for the
/// architecture's. `file`: the capture.
Profile ProfileOf(const ChipFit& fit, const Capture& capture, const std::string& name,
                  const std::string& file);

struct MatrixCheck {
  std::string instruction;
  bool known = false;  // the profile has it
  int64_t cases = 0, misses = 0;
};

struct ChipCheck {
  std::vector<Proof> unary;
  std::vector<std::string> unknown;  // recorded operations that the profile does not know
  std::vector<OperationCheck> operations;
  std::vector<MatrixCheck> matrix;
  /// No result differs, and something was compared.
  bool same() const;
};

ChipCheck CheckChip(const Capture& capture, const Profile& profile, int threads);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_CHIP_H_
