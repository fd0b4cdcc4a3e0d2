// The operations of math.h on vectors, subnormals kept.
#ifndef SAMEBITS_MODEL_KDA_DECODE_ELEMENTWISE_H_
#define SAMEBITS_MODEL_KDA_DECODE_ELEMENTWISE_H_

#include <cstddef>

namespace samebits::kda_decode {

/// All need SimdSupported(), compute the first elements of n, a whole number of vectors, and
/// return how many. NaN results are canonical. `out` may be an operand.
size_t AddSimd(const float* a, const float* b, float* out, size_t n);
size_t SubSimd(const float* a, const float* b, float* out, size_t n);
size_t MulSimd(const float* a, const float* b, float* out, size_t n);
size_t AddSimd(const float* a, float b, float* out, size_t n);
size_t MulSimd(const float* a, float b, float* out, size_t n);
/// To bf16, to nearest even, and back.
size_t RoundToBf16Simd(const float* x, float* out, size_t n);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_ELEMENTWISE_H_
