// Asynchronous copies of the rows of f_a (SPEC.md sections 2.1 and 7.3). One instance per thread of
// prep group 1.
#ifndef SAMEBITS_GPU_KDA_DECODE_FEATURES_CUH_
#define SAMEBITS_GPU_KDA_DECODE_FEATURES_CUH_

#include "gpu/kda_decode/block.cuh"

namespace samebits::gpu::kda_ws {

template <class Lane, int T>
class Features {
 public:
  SAMEBITS_DEVICE Features(const Lane& lane, const Params& params, Shared<T> shared, int p)
      : lane_(lane), params_(params), shared_(shared), p_(p) {}

  /// `at`: the item that Start is called for next.
  SAMEBITS_DEVICE void Locate(Position at) {
    const int64_t token = int64_t{at.request} * T + row();
    from_ = params_.operands.f_a + token * params_.operands.f_a_stride + element();
  }
  /// To the next request.
  SAMEBITS_DEVICE void Advance() { from_ += T * params_.operands.f_a_stride; }

  /// Starts the copies of local item j's rows. `staged` counts one arrival per thread.
  SAMEBITS_DEVICE void Start(int j, const Item&, uint64_t* staged) {
    if (row() < T) lane_.CopyAsync16(shared_.f_a_row(j % kStages, row()) + element(), from_);
    lane_.CopyAsyncArrive(staged);
  }

  /// Brings what Start will copy into the L2 cache.
  SAMEBITS_DEVICE void Prefetch(const Item&) {
    if (row() < T && element() % (kLineBytes / 2) == 0) lane_.PrefetchGlobal(from_);
  }

 private:
  // Thread p copies 16 bytes, chunk p % 16 of row p / 16.
  static constexpr int kChunkElements = 8, kChunks = kHeadDim / kChunkElements;
  static_assert(T <= kPrepThreads / kChunks);

  SAMEBITS_DEVICE int row() const { return p_ / kChunks; }
  SAMEBITS_DEVICE int element() const { return p_ % kChunks * kChunkElements; }

  const Lane& lane_;
  const Params& params_;
  Shared<T> shared_;
  int p_;
  const uint16_t* from_ = nullptr;  // this thread's chunk of the next item
};

}  // namespace samebits::gpu::kda_ws

#endif  // SAMEBITS_GPU_KDA_DECODE_FEATURES_CUH_
