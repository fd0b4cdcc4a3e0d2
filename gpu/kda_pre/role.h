// What every role of a kda_pre block has at hand: its place, its memory, and the messages.
#ifndef SAMEBITS_GPU_KDA_PRE_ROLE_H_
#define SAMEBITS_GPU_KDA_PRE_ROLE_H_

#include <cstddef>
#include <cstdint>

#include "gpu/kda_pre/lds.h"
#include "gpu/kda_pre/math.h"
#include "gpu/kda_pre/params.h"

namespace samebits::gpu::kda_pre {

using samebits::kda_pre::kConvWidth;
using samebits::kda_pre::kGroupSlices;
using samebits::kda_pre::kHeadDim;
using samebits::kda_pre::kHeads;
using samebits::kda_pre::kHidden;
using samebits::kda_pre::kInProjRows;
using samebits::kda_pre::kProjection;
using samebits::kda_pre::kSliceColumns;
using samebits::kda_pre::kSliceGroups;
using samebits::kda_pre::kSlices;
using samebits::kda_pre::kValueChunk;
using samebits::kda_pre::kValueChunks;
using samebits::kda_pre::kWaves;

SAMEBITS_DEVICE int Least(int a, int b) { return a < b ? a : b; }

template <class Lane, Form kForm>
class Role {
 public:
  SAMEBITS_DEVICE Role(const Lane& l, const Params& params, uint32_t launch_tag)
      : lane(l),
        math(l),
        p(params),
        tag(launch_tag),
        block(l.BlockIndex()),
        thread(l.ThreadIndex()),
        wave(l.Uniform(l.ThreadIndex() / kWaveLanes)),
        wave_lane(l.ThreadIndex() % kWaveLanes) {}

  const Lane& lane;
  const Math<Lane, kForm> math;
  const Params& p;
  const uint32_t tag;
  const int block, thread, wave, wave_lane;

 protected:
  template <typename T>
  SAMEBITS_DEVICE T* Lds(int offset) const {
    return reinterpret_cast<T*>(lane.shared() + offset);
  }

  SAMEBITS_DEVICE void Put(Word2* region, int64_t index, float value) const {
    lane.PutMessage(region + index, lane.Bits(value), tag);
  }
  /// Waits for all of them; what has not come after p.poll_rounds is taken as it is.
  template <int kCount>
  SAMEBITS_DEVICE void Poll(const Word2* const (&at)[kCount], Stage stage,
                            uint32_t (&values)[kCount]) const {
    if (lane.template PollMessages<kCount>(at, tag, p.poll_rounds, values)) return;
    lane.StoreGlobal(p.alarm, Word2{static_cast<uint32_t>(stage), static_cast<uint32_t>(block)});
  }
  SAMEBITS_DEVICE float PollOne(const Word2* at, Stage stage) const {
    const Word2* const list[1] = {at};
    uint32_t value[1];
    Poll<1>(list, stage, value);
    return lane.FromBits(value[0]);
  }
  /// SEQ of the partials of the seven slices of a group, `stride` messages apart.
  SAMEBITS_DEVICE float SumOfGroup(const Word2* first, int64_t stride, Stage stage) const {
    const Word2* list[kGroupSlices];
    uint32_t values[kGroupSlices];
    SAMEBITS_UNROLL
    for (int i = 0; i < kGroupSlices; ++i) list[i] = first + i * stride;
    Poll<kGroupSlices>(list, stage, values);
    float sum = lane.FromBits(values[0]);
    SAMEBITS_UNROLL
    for (int i = 1; i < kGroupSlices; ++i) sum = lane.Add(sum, lane.FromBits(values[i]));
    return sum;
  }
  /// SEQ of the eight groups' sums, `stride` words apart.
  SAMEBITS_DEVICE float SumOfGroups(const float* first, int stride) const {
    float sum = lane.LoadShared(first);
    SAMEBITS_UNROLL
    for (int g = 1; g < kSliceGroups; ++g) sum = lane.Add(sum, lane.LoadShared(first + g * stride));
    return sum;
  }

  /// Four bf16 values, 8-byte aligned.
  SAMEBITS_DEVICE void LoadQuad(const uint16_t* from, float (&to)[4]) const {
    const Word2 words = lane.LoadGlobal(reinterpret_cast<const Word2*>(from));
    to[0] = lane.FromBits(words.x << 16);
    to[1] = lane.FromBits(words.x & 0xFFFF0000u);
    to[2] = lane.FromBits(words.y << 16);
    to[3] = lane.FromBits(words.y & 0xFFFF0000u);
  }
  SAMEBITS_DEVICE Word2 PackQuad(const float (&v)[4]) const {
    return {lane.ToBf16Pair(v[0], v[1]), lane.ToBf16Pair(v[2], v[3])};
  }
  SAMEBITS_DEVICE float LoadBf16(const uint16_t* from) const {
    return lane.FromBf16(lane.LoadGlobal(from));
  }
};

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_GPU_KDA_PRE_ROLE_H_
