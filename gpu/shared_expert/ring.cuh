// Places in a ring of stages. A place moves one stage at a time: a division per block would cost
// the thread that issues the loads more than the loads do.
#ifndef SAMEBITS_GPU_SHARED_EXPERT_RING_CUH_
#define SAMEBITS_GPU_SHARED_EXPERT_RING_CUH_

#include "gpu/lane/annotate.h"
#include "gpu/shared_expert/params.h"

namespace samebits::gpu::shared_expert {

struct RingPlace {
  int slot = 0;
  int phase = 0;  // parity of the full barrier's phase; the empty barrier's is the other

  SAMEBITS_DEVICE void Advance(int stages) {
    if (++slot == stages) {
      slot = 0;
      phase ^= 1;
    }
  }
};

/// x / Params::ks.
SAMEBITS_DEVICE int DivideByKs(const Params& params, int x) {
  return static_cast<int>(static_cast<uint32_t>(x) * params.ks_reciprocal >> 20);
}
/// K blocks of rank c: the longer spans come first (SPEC.md 3.1).
SAMEBITS_DEVICE Span SpanOf(const Params& params, int c) {
  const int longer = params.longer_spans;
  return {c * params.span_blocks + (c < longer ? c : longer),
          params.span_blocks + (c < longer ? 1 : 0)};
}

}  // namespace samebits::gpu::shared_expert

#endif  // SAMEBITS_GPU_SHARED_EXPERT_RING_CUH_
