// The lane interface on NVIDIA GPUs: copies of boxes of a matrix, through tensor maps.
#ifndef SAMEBITS_GPU_LANE_CUDA_TENSOR_COPIES_CUH_
#define SAMEBITS_GPU_LANE_CUDA_TENSOR_COPIES_CUH_

#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/lane/cuda_address.cuh"
#include "gpu/lane/types.h"

namespace samebits::gpu::cuda {

struct TensorCopies {
  static SAMEBITS_DEVICE void TensorMapAcquire(const TensorMap* map) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
  }
  static SAMEBITS_DEVICE void TensorMapPrefetch(const TensorMap* map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
  }
  static SAMEBITS_DEVICE void TensorLoad(void* shared, const TensorMap* map, int column, int row,
                                         uint64_t* barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3}], [%4];" ::"r"(SharedAddress(shared)),
        "l"(map), "r"(column), "r"(row), "r"(SharedAddress(barrier))
        : "memory");
  }
  static SAMEBITS_DEVICE void TensorLoadOnce(void* shared, const TensorMap* map, int column,
                                             int row, uint64_t* barrier) {
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
        "L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(SharedAddress(shared)),
        "l"(map), "r"(column), "r"(row), "r"(SharedAddress(barrier)), "l"(policy)
        : "memory");
  }
  static SAMEBITS_DEVICE void TensorLoadMulticast(void* shared, const TensorMap* map, int column,
                                                  int row, uint64_t* barrier, uint16_t ranks) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
        "multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(SharedAddress(shared)),
        "l"(map), "r"(column), "r"(row), "r"(SharedAddress(barrier)), "h"(ranks)
        : "memory");
  }
  static SAMEBITS_DEVICE void TensorPrefetch(const TensorMap* map, int column, int row) {
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map),
                 "r"(column), "r"(row)
                 : "memory");
  }
};

}  // namespace samebits::gpu::cuda

#endif  // SAMEBITS_GPU_LANE_CUDA_TENSOR_COPIES_CUH_
