// Vector operations on a state held as [key][value], 128 x 128, and its page in memory,
// [value][key].
#ifndef SAMEBITS_MODEL_KDA_DECODE_PAGE_H_
#define SAMEBITS_MODEL_KDA_DECODE_PAGE_H_

namespace samebits::kda_decode {

/// All need order::SimdSupported(). Bits are those of the plain code in recurrence.cc but for NaN
/// payloads inside the state, which no sum and no stored page shows.

/// state[k][v] = page[v][k].
void LoadPageSimd(const float* page, float (*state)[128]);
/// page[v][k] = state[k][v], NaNs canonical.
void StorePageSimd(const float (*state)[128], float* page);
/// state[k][v] *= d[k] (SPEC.md 3.8 a).
void ScaleKeysSimd(const float* d, float (*state)[128]);
/// state[k][v] = fma(kn[k], correction[v], state[k][v]), or with the product rounded (3.8 d).
void AddOuterProductSimd(const float* kn, const float* correction, bool fused, float (*state)[128]);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_PAGE_H_
