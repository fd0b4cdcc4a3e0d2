// Turns a verify run into evidence (golden/evidence.h).
#ifndef SAMEBITS_HARNESS_EVIDENCE_RECORDER_H_
#define SAMEBITS_HARNESS_EVIDENCE_RECORDER_H_

#include <string>

#include "golden/evidence.h"
#include "golden/reader.h"
#include "harness/backends.h"
#include "harness/options.h"
#include "harness/verify_case.h"
#include "model/kernel.h"

namespace samebits::harness {

class EvidenceRecorder {
 public:
  /// Before the run. Throws UsageError: the dataset was not generated from a matrix, --nan class;
  /// ConfigError: options.evidence exists already (without force).
  EvidenceRecorder(const VerifyOptions& options, const golden::Reader& reader, const Kernel& kernel,
                   const Target& target);
  /// The bits of the last launch; a case that was not run leaves no evidence.
  void Add(const VerifiedCase& verified);
  /// Writes the file; an interrupted run, or one without any case, leaves none.
  void Finish() const;

 private:
  std::string path_;
  bool force_;
  golden::EvidenceBuilder builder_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EVIDENCE_RECORDER_H_
