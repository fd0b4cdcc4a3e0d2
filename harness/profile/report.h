// What the verb `profile` prints, as text or as one JSON object.
#ifndef SAMEBITS_HARNESS_PROFILE_REPORT_H_
#define SAMEBITS_HARNESS_PROFILE_REPORT_H_

#include <string>

#include "harness/profile/capture.h"
#include "harness/profile/chip.h"
#include "harness/profile/profile.h"

namespace samebits::harness::profile {

void ReportCapture(const std::string& file, const Capture& capture, bool json);
void ReportFit(const std::string& file, const Capture& capture, const ChipFit& fit, bool json);
void ReportCheck(const std::string& file, const Profile& profile, const ChipCheck& check,
                 bool json);
/// One profile with the evidence of every entry; all names without one.
void ReportProfiles(const std::string& name_or_file, bool json);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_REPORT_H_
