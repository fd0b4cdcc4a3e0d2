// The lane interface on NVIDIA GPUs: clusters of blocks and their distributed shared memory.
#ifndef SAMEBITS_GPU_LANE_CUDA_CLUSTER_CUH_
#define SAMEBITS_GPU_LANE_CUDA_CLUSTER_CUH_

#include <cstdint>

#include "gpu/lane/annotate.h"
#include "gpu/lane/cuda_address.cuh"
#include "gpu/lane/types.h"

namespace samebits::gpu::cuda {

struct ClusterOperations {
  /// Shared memory of any block of the cluster.
  struct Remote {
    uint32_t address;
    SAMEBITS_DEVICE Remote operator+(int bytes) const {
      return {address + static_cast<uint32_t>(bytes)};
    }
  };

  static SAMEBITS_DEVICE int ClusterRank() {
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
  static SAMEBITS_DEVICE int ClusterIndex() {
    int index;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(index));
    return index;
  }
  static SAMEBITS_DEVICE int ClusterBlocks() {
    int blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
  }
  static SAMEBITS_DEVICE Remote MapShared(const void* shared, int rank) {
    Remote remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(remote.address)
        : "r"(SharedAddress(shared)), "r"(rank));
    return remote;
  }

  static SAMEBITS_DEVICE void ClusterArrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  }
  static SAMEBITS_DEVICE void ClusterArriveRelaxed() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  }
  static SAMEBITS_DEVICE void ClusterWait() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }

  static SAMEBITS_DEVICE void MbarrierArriveRemote(Remote barrier) {
    asm volatile(
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier.address)
        : "memory");
  }
  static SAMEBITS_DEVICE void MbarrierWaitCluster(uint64_t* barrier, int parity) {
    const uint32_t address = SharedAddress(barrier);
    uint32_t complete;
    do {
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(complete)
          : "r"(address), "r"(parity)
          : "memory");
    } while (complete == 0);
  }

  static SAMEBITS_DEVICE void StoreAsync(Remote to, uint32_t value, Remote barrier) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                     to.address),
                 "r"(value), "r"(barrier.address)
                 : "memory");
  }
  static SAMEBITS_DEVICE void StoreAsync(Remote to, float value, Remote barrier) {
    StoreAsync(to, __float_as_uint(value), barrier);
  }
  static SAMEBITS_DEVICE void StoreAsync(Remote to, Word2 value, Remote barrier) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(
            to.address),
        "r"(value.x), "r"(value.y), "r"(barrier.address)
        : "memory");
  }
  static SAMEBITS_DEVICE void StoreAsync(Remote to, Float2 value, Remote barrier) {
    StoreAsync(to, Word2{__float_as_uint(value.x), __float_as_uint(value.y)}, barrier);
  }
  static SAMEBITS_DEVICE void StoreAsync(Remote to, Word4 value, Remote barrier) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
        "[%5];" ::"r"(to.address),
        "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(barrier.address)
        : "memory");
  }
  static SAMEBITS_DEVICE void StoreAsync(Remote to, Float4 value, Remote barrier) {
    StoreAsync(to,
               Word4{__float_as_uint(value.x), __float_as_uint(value.y), __float_as_uint(value.z),
                     __float_as_uint(value.w)},
               barrier);
  }
  static SAMEBITS_DEVICE void BulkCopyRemote(Remote to, const void* shared, int bytes,
                                             Remote barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(to.address),
        "r"(SharedAddress(shared)), "r"(bytes), "r"(barrier.address)
        : "memory");
  }
};

}  // namespace samebits::gpu::cuda

#endif  // SAMEBITS_GPU_LANE_CUDA_CLUSTER_CUH_
