// The records of a launch that keeps its checkpoint state (SPEC.md 2.5).
#ifndef SAMEBITS_MODEL_KDA_DECODE_RECORD_H_
#define SAMEBITS_MODEL_KDA_DECODE_RECORD_H_

#include "model/kda_decode/stages.h"

namespace samebits::kda_decode {

/// What a commit needs to replay accepted tokens: corrections, keys before normalisation, raw
/// gates.
void Record(const Launch& launch, const Place& place, const Item& item);

/// Records that are given hold intermediates: the launch goes on with them. A block of corrections
/// of one token, from value `first` on:
void TakeRecordedCorrection(const Launch& launch, const Place& place, int token, int first,
                            float* correction);
/// Keys (and raw gates) of all tokens, unless the record is what their computed values round to.
void TakeRecordedKeys(const Launch& launch, const Place& place, Channels* keys);
void TakeRecordedGates(const Launch& launch, const Place& place, Channels* gates);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_RECORD_H_
