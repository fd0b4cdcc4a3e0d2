// One element of a tensor: its bits, what they mean, and where it is.
#ifndef SAMEBITS_HARNESS_COMPARE_ELEMENT_H_
#define SAMEBITS_HARNESS_COMPARE_ELEMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/tensor.h"

namespace samebits::harness {

/// Row-major `index`; 16-bit types in the low half.
uint32_t ElementBits(const Tensor& tensor, int64_t index);

/// The value of a float type, exact (bf16, f16, f32); an integer rounded to float32.
float ToFloat(DType dtype, uint32_t bits);

/// "0x3f80" or "0x3f800000", by the width of the type.
std::string HexBits(DType dtype, uint32_t bits);

/// Shortest text that reads back to the same value; "nan", "-inf", "-0" as they are.
std::string ValueText(DType dtype, uint32_t bits);

/// Index per dimension of the row-major `index`.
std::vector<int64_t> Coordinates(const TensorSpec& spec, int64_t index);

/// "request=0 token=3 head=1 channel=17"; "scalar" without dimensions.
std::string CoordinateText(const TensorSpec& spec, int64_t index);

/// "outputs/state"
std::string FullName(const TensorSpec& spec);

/// "state[slot=7, head=12, v=128, k=128] f32"
std::string SpecText(const TensorSpec& spec);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_COMPARE_ELEMENT_H_
