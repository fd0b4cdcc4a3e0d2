// Is evidence whole, and does the model still compute what the device computed?
#ifndef SAMEBITS_GOLDEN_CHECK_EVIDENCE_H_
#define SAMEBITS_GOLDEN_CHECK_EVIDENCE_H_

#include <functional>
#include <string_view>

#include "golden/check.h"
#include "golden/hdf5.h"

namespace samebits::golden {

/// Appends to the report: every case is one of the matrix and has exactly the taps and outputs of
/// the kernel's plan; with options.recompute, every hash is that of the model under the file's
/// contract, and no case diverged or varied. Called by Check after the seal. Throws IntegrityError
/// for a broken structure.
void CheckEvidence(const H5Node& root, const std::function<const Kernel*(std::string_view)>& find,
                   const CheckOptions& options, CheckReport* report);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_CHECK_EVIDENCE_H_
