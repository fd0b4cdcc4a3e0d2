// The receiving side of all ranks (SPEC.md 4.9), after every rank's push: sums over source ranks. A
// thread takes eight output columns of a token and leaves them empty for the next step.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_CONSUMER_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_CONSUMER_CUH_

#include "gpu/lane/annotate.h"
#include "gpu/shared_expert/params.h"
#include "gpu/shared_expert/situ.cuh"

namespace samebits::gpu::shared_expert {

using samebits::shared_expert::kSentinel;

inline constexpr int kConsumerThreads = 128;

struct ConsumerParams {
  uint16_t* peers[kMaxTp];
  uint16_t* reduced;  // bf16 [batch][width], of this step
  int32_t batch, width, shard, tp, parity, capacity;
};

template <class Lane>
SAMEBITS_DEVICE void Consume(const Lane& lane, const ConsumerParams& params) {
  const int items = params.batch * (params.width / 8);
  const int step = lane.GridBlocks() * kConsumerThreads;
  SAMEBITS_ROLLED
  for (int item = lane.BlockIndex() * kConsumerThreads + lane.ThreadIndex(); item < items;
       item += step) {
    const int token = item / (params.width / 8), column = item % (params.width / 8) * 8;
    uint16_t* mailbox = params.peers[column / params.shard];
    float sum[8] = {};
    SAMEBITS_ROLLED
    for (int source = 0; source < params.tp; ++source) {
      const int64_t row = (int64_t{params.parity} * params.tp + source) * params.capacity + token;
      auto* from = reinterpret_cast<Word4*>(mailbox + row * params.shard + column % params.shard);
      const Word4 words = lane.LoadGlobal(from);
      lane.StoreGlobal(from, Word4{kSentinel, kSentinel, kSentinel, kSentinel});
      const uint32_t word[4] = {words.x, words.y, words.z, words.w};
      SAMEBITS_UNROLL
      for (int i = 0; i < 8; ++i) {
        const auto bits = static_cast<uint16_t>(word[i / 2] >> (i % 2 * 16));
        sum[i] = lane.Add(sum[i], lane.FromBf16(bits));
      }
    }
    uint32_t pair[4];
    SAMEBITS_UNROLL
    for (int i = 0; i < 4; ++i) {
      pair[i] = lane.ToBf16(sum[2 * i]) | static_cast<uint32_t>(lane.ToBf16(sum[2 * i + 1])) << 16;
    }
    const int64_t at = int64_t{token} * params.width + column;
    lane.StoreGlobal(reinterpret_cast<Word4*>(params.reduced + at),
                     Word4{pair[0], pair[1], pair[2], pair[3]});
  }
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_CONSUMER_CUH_
