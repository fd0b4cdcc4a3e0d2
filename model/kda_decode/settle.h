// The taps of an item, settled (model/settle.h).
#ifndef SAMEBITS_MODEL_KDA_DECODE_SETTLE_H_
#define SAMEBITS_MODEL_KDA_DECODE_SETTLE_H_

#include "model/kda_decode/stages.h"
#include "model/settle.h"

namespace samebits::kda_decode {

/// One scalar per token.
void SettleScalars(const Launch& launch, const Place& place, const TapPair<float>& tap,
                   float* values);
/// The channels of all tokens.
void SettleChannels(const Launch& launch, const Place& place, const TapPair<float>& tap,
                    Channels* values);
/// A block of the values of one token, from value `first` on.
void SettleBlock(const Launch& launch, const Place& place, int token, int first,
                 const TapPair<float>& tap, float* values);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_SETTLE_H_
