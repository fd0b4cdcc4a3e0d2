// Vector operations on a block of values of a state, held as [key][value], and its rows of a page
// in memory, [value][key].
#ifndef SAMEBITS_MODEL_KDA_DECODE_PAGE_H_
#define SAMEBITS_MODEL_KDA_DECODE_PAGE_H_

namespace samebits::kda_decode {

/// Values never meet in the recurrence, so that a block passes through all tokens on its own: 128
/// keys of 32 values stay in the first-level cache.
inline constexpr int kBlockValues = 32;

using BlockRow = float[kBlockValues];

/// All take a block of 128 keys, and need SimdSupported(). Bits are those of the plain code
/// in recurrence.cc but for NaN payloads inside the state, which no sum and no stored page shows.

/// state[k][v] = rows[v][k].
void LoadBlockSimd(const float* rows, BlockRow* state);
/// rows[v][k] = state[k][v], NaNs canonical.
void StoreBlockSimd(const BlockRow* state, float* rows);
/// state[k][v] *= d[k] (SPEC.md 3.8 a).
void ScaleKeysSimd(const float* d, BlockRow* state);
/// state[k][v] = fma(kn[k], correction[v], state[k][v]), or with the product rounded (3.8 d).
void AddOuterProductSimd(const float* kn, const float* correction, bool fused, BlockRow* state);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_PAGE_H_
