// A profile: what the units of a chip compute, each entry with how it is known. A TOML file and,
// for tables, an HDF5 file beside it (data/profiles).
#ifndef SAMEBITS_HARNESS_PROFILE_PROFILE_H_
#define SAMEBITS_HARNESS_PROFILE_PROFILE_H_

#include <map>
#include <string>
#include <vector>

#include "gpu/probe/operations.h"
#include "gpu/probe/prober.h"
#include "model/profiles/matrix_units.h"
#include "model/units/matrix_unit.h"
#include "model/units/special_functions.h"

namespace samebits::harness::profile {

struct Evidence {
  profiles::Evidence kind = profiles::Evidence::kAssumed;
  std::string source;  // one line
  bool operator==(const Evidence&) const = default;
};

struct MatrixEntry {
  std::string instruction;  // "mma.sync.m16n8k16"
  int m = 0, n = 0, k = 0;
  units::MatrixUnit unit;
  Evidence evidence;
  bool operator==(const MatrixEntry&) const = default;
};

/// One special function: "ex2", "rcp", "rsq", "sqrt", "lg2", "tanh" or "sin" (of sin and cos).
struct FunctionEntry {
  units::Interpolator shape;  // without rows
  std::vector<units::QuadraticRow> rows;
  Evidence evidence;
};

struct Profile {
  std::string name, architecture;
  gpu::probe::Vendor vendor = gpu::probe::Vendor::kNvidia;
  units::SpecialFunctionMethod method = units::SpecialFunctionMethod::kInterpolated;
  std::map<std::string, FunctionEntry> functions;
  std::vector<units::TanhBinade> tanh_binades;
  std::vector<MatrixEntry> matrix;

  /// Refers to this profile's rows. Functions without an entry have no rows.
  units::SpecialFunctionTables tables() const;
  bool has(const std::string& function) const { return functions.count(function) != 0; }
  /// Owns what it refers to.
  gpu::probe::Chip chip() const;
};

inline constexpr const char* kFunctionNames[] = {"ex2", "rcp", "rsq", "sqrt", "lg2", "tanh", "sin"};
/// The table of that name.
units::Interpolator& TableNamed(const std::string& function, units::SpecialFunctionTables* tables);

/// Tables of the model as entries, all with the same evidence.
void SetFunctions(const units::SpecialFunctionTables& tables, const Evidence& evidence,
                  Profile* profile);

/// Names of the profiles in this program.
std::vector<std::string> ProfileNames();
/// By name, or a TOML file, which wins over an embedded one. Throws UsageError, ConfigError,
/// IntegrityError.
Profile LoadProfile(const std::string& name_or_file);
/// Writes PATH (which ends in .toml) and, if there are tables, the .h5 beside it. Throws
/// ConfigError if one exists (without `force`), StorageError.
void SaveProfile(const std::string& path, const Profile& profile, bool force);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_PROFILE_H_
