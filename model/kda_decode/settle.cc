#include "model/kda_decode/settle.h"

namespace samebits::kda_decode {

void SettleScalars(const Launch& launch, const Place& place, const TapPair<float>& tap,
                   float* values) {
  for (int t = 0; t < launch.config.tokens; ++t) {
    Settle(tap, TapIndex(launch.config, place, t), 1, values + t);
  }
}

void SettleChannels(const Launch& launch, const Place& place, const TapPair<float>& tap,
                    Channels* values) {
  for (int t = 0; t < launch.config.tokens; ++t) {
    Settle(tap, TapIndex(launch.config, place, t) * kHeadDim, kHeadDim, values[t]);
  }
}

void SettleBlock(const Launch& launch, const Place& place, int token, int first,
                 const TapPair<float>& tap, float* values) {
  Settle(tap, TapIndex(launch.config, place, token) * kHeadDim + first, kBlockValues, values);
}

}  // namespace samebits::kda_decode
