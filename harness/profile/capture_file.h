// A capture as a sealed HDF5 file; layout: gpu/probe/README.md.
#ifndef SAMEBITS_HARNESS_PROFILE_CAPTURE_FILE_H_
#define SAMEBITS_HARNESS_PROFILE_CAPTURE_FILE_H_

#include <string>

#include "harness/profile/capture.h"

namespace samebits::harness::profile {

inline constexpr char kCaptureSchema[] = "samebits-capture";
inline constexpr int kCaptureSchemaVersion = 1;

/// The file is there whole or not at all. Throws ConfigError if it exists (without `force`),
/// StorageError.
void WriteCapture(const std::string& path, const Capture& capture, bool force);
/// Throws IntegrityError, ConfigError if there is no such file.
Capture ReadCapture(const std::string& path);
/// XXH3-128 of the sealed bytes: names the file as evidence.
std::string CaptureHash(const std::string& path);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_CAPTURE_FILE_H_
