#ifndef SAMEBITS_GOLDEN_INTEGRITY_ERROR_H_
#define SAMEBITS_GOLDEN_INTEGRITY_ERROR_H_

#include <stdexcept>

namespace samebits::golden {

/// A damaged or foreign file: one line, "FILE: place: what was expected". The command line exits
/// with status 4.
class IntegrityError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that cannot be created, written or renamed (full disk, no permission): status 3.
class StorageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_INTEGRITY_ERROR_H_
