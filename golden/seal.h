// The seal of a file: its user block (the first 512 bytes) holds the size and the XXH3-128 of
// everything behind it, as three lines of text and zeros:
//   samebits-file 1
//   bytes 123456
//   xxh3-128 0123456789abcdef0123456789abcdef
// HDF5's own checksums leave bytes uncovered; the seal covers every byte, itself included, because
// only one text is right.
#ifndef SAMEBITS_GOLDEN_SEAL_H_
#define SAMEBITS_GOLDEN_SEAL_H_

#include <cstdint>
#include <string>

#include "golden/hdf5.h"

namespace samebits::golden {

struct SealCheck {
  enum class Verdict : uint8_t {
    kIntact,
    kForeign,    // not a file of this project
    kNewer,      // a seal of a later version
    kTruncated,  // or too long
    kDamaged,
  };
  Verdict verdict = Verdict::kIntact;
  std::string detail;  // what was expected and found; empty if intact
};

/// Writes the seal of a finished file and forces everything to disk. Throws StorageError.
void WriteSeal(const std::string& path);
/// Reads the whole file. Throws ConfigError if it cannot be opened.
SealCheck CheckSeal(const std::string& path);
/// Opens a file whose seal is whole, so that HDF5 never parses damaged bytes. Throws
/// IntegrityError, ConfigError if there is no such file.
H5File OpenSealed(const std::string& path);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_SEAL_H_
