// Changes of the inputs of a case that is made smaller.
#ifndef SAMEBITS_HARNESS_MINIMIZE_INPUTS_H_
#define SAMEBITS_HARNESS_MINIMIZE_INPUTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "golden/case.h"
#include "harness/minimize/minimize.h"
#include "model/kernel.h"

namespace samebits::harness {

/// How a number becomes simpler; signs stay.
enum class Simplification : uint8_t {
  kZero,        // +0
  kOne,         // 1
  kPowerOfTwo,  // the fraction bits become zero
};

/// The bits of the simpler element. NaN, infinities and zeros stay, but for kZero.
uint32_t Simplified(DType dtype, uint32_t bits, Simplification how);

/// Elements that would change, row-major.
std::vector<int64_t> Simplifiable(const Tensor& tensor, Simplification how);
void Simplify(std::span<const int64_t> elements, Simplification how, Tensor* tensor);

/// Inputs of a configuration whose extents are at most those of `from`: float inputs are the first
/// elements along every dimension, integers are made anew, as for style "realistic". Throws
/// ConfigError: the configuration has an input that `from` lacks, or a larger one.
TensorSet CutInputs(const Kernel& kernel, const Settings& config, const TensorSet& from);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_MINIMIZE_INPUTS_H_
