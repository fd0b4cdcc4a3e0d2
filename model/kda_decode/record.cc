#include "model/kda_decode/record.h"

#include <cstring>

#include "model/arith/bfloat16.h"
#include "model/kda_decode/settle.h"

namespace samebits::kda_decode {
namespace {

int64_t RecordRowOf(const Launch& launch, const Place& place) {
  switch (launch.choices.record_row) {
    case RecordRow::kSlot0:
      return place.conv_slot;  // slots[r][0]
    case RecordRow::kCurrent:
      return place.slot;
    case RecordRow::kRequest:
      return place.request;
  }
  return place.conv_slot;
}

/// Of the record's vectors.
int64_t RecordIndex(const Launch& launch, const Place& place, int token) {
  const int64_t row = RecordRowOf(launch, place) * launch.config.heads + place.head;
  return row * launch.config.tokens + token;
}

/// Halves of the key and gate record: 0 keys, 1 gates.
void TakeRecorded(const Launch& launch, const Place& place, int half, Channels* values) {
  const uint16_t* record = launch.given.operands.key_gate_record;
  if (record == nullptr) return;
  for (int t = 0; t < launch.config.tokens; ++t) {
    const uint16_t* given = record + (2 * RecordIndex(launch, place, t) + half) * kHeadDim;
    for (int c = 0; c < kHeadDim; ++c) {
      if (IsGiven(given[c]) && arith::RoundToBf16(values[t][c]) != given[c]) {
        values[t][c] = arith::Widen(given[c]);
      }
    }
  }
}

}  // namespace

void Record(const Launch& launch, const Place& place, const Item& item) {
  for (int t = 0; t < launch.config.tokens; ++t) {
    const int64_t index = RecordIndex(launch, place, t);
    std::memcpy(launch.operands.correction_record + index * kHeadDim, item.correction[t],
                sizeof(Channels));
    uint16_t* keys = launch.operands.key_gate_record + index * 2 * kHeadDim;
    for (int c = 0; c < kHeadDim; ++c) {
      keys[c] = arith::RoundToBf16(item.conv[1][t][c]);
      keys[kHeadDim + c] = arith::RoundToBf16(item.gate_raw[t][c]);
    }
  }
}

void TakeRecordedCorrection(const Launch& launch, const Place& place, int token, int first,
                            float* correction) {
  const float* record = launch.given.operands.correction_record;
  if (record == nullptr) return;
  Take(record + RecordIndex(launch, place, token) * kHeadDim + first, kBlockValues, correction);
}

void TakeRecordedKeys(const Launch& launch, const Place& place, Channels* keys) {
  TakeRecorded(launch, place, 0, keys);
}

void TakeRecordedGates(const Launch& launch, const Place& place, Channels* gates) {
  TakeRecorded(launch, place, 1, gates);
}

}  // namespace samebits::kda_decode
