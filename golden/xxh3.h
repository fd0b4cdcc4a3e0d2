// XXH3-128 (seed 0) as 32 lower-case hex digits, most significant first, as xxh128sum prints it.
#ifndef SAMEBITS_GOLDEN_XXH3_H_
#define SAMEBITS_GOLDEN_XXH3_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "model/tensor.h"

namespace samebits::golden {

std::string HashHex(std::span<const std::byte> bytes);
std::string HashHex(std::string_view text);
/// Of the logical bytes: row-major, little-endian, no padding.
std::string HashHex(const Tensor& tensor);

/// The same of bytes that arrive in pieces.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  void Update(std::span<const std::byte> bytes);
  void Update(std::string_view text);
  std::string Hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_XXH3_H_
