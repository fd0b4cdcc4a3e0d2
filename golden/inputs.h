// Input values as a pure function of (style, seed, tensor name, index): integer operations, exact
// scaling by powers of two and single correctly rounded float32 operations, so that every machine
// makes the same bits. schema.md has the definition.
#ifndef SAMEBITS_GOLDEN_INPUTS_H_
#define SAMEBITS_GOLDEN_INPUTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "golden/case.h"
#include "model/kernel.h"

namespace samebits::golden {

/// "realistic", "wide", "tiny", "cancelling", "specials", "onehot", "discriminating".
std::span<const std::string_view> StyleNames();

class InputGenerator : public InputSource {
 public:
  /// Throws ConfigError for an unknown style. `threads` does not change a bit.
  InputGenerator(std::string_view style, uint64_t seed, int threads = 1);
  std::string_view style() const override { return style_; }
  uint64_t Draw(std::string_view tensor, uint64_t index) const override;
  /// Throws std::invalid_argument for an i32 tensor.
  void Fill(const Recipe& recipe, Tensor* tensor) const override;

 private:
  uint64_t Key(std::string_view tensor) const;

  std::string style_;
  size_t style_index_ = 0;
  uint64_t seed_;
  int threads_;
};

/// Every input tensor of the case, in the order of the plan, generated and checked
/// (Kernel::GenerateInputs, CheckInputs).
TensorSet GenerateInputs(const CaseSpec& spec, int threads = 1);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_INPUTS_H_
