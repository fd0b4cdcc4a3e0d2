// Evidence as an HDF5 file: one table for all cases, behind a seal.
#ifndef SAMEBITS_GOLDEN_EVIDENCE_FILE_H_
#define SAMEBITS_GOLDEN_EVIDENCE_FILE_H_

#include <string>

#include "golden/evidence.h"
#include "golden/hdf5.h"

namespace samebits::golden {

inline constexpr char kEvidenceSchema[] = "samebits-evidence";
inline constexpr int kEvidenceSchemaVersion = 1;

/// Equal evidence gives equal bytes. The file is there whole or not at all. Throws ConfigError if
/// it exists (without `force`) or has more than 65536 kernels, StorageError.
void WriteEvidence(const std::string& path, const Evidence& evidence, bool force = false);

/// A whole file with the schema of evidence? Throws IntegrityError if the seal is broken,
/// ConfigError if there is no such file.
bool IsEvidence(const std::string& path);
bool IsEvidence(const H5Node& root);

/// The structure is checked; whether the cases are those of the matrix is for SpecsOf. Throws
/// IntegrityError, ConfigError if there is no such file.
Evidence ReadEvidence(const std::string& path);
Evidence ReadEvidence(const H5Node& root);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_EVIDENCE_FILE_H_
