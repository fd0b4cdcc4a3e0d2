// A kernel that multiplies on the asynchronous matrix units, the way shared_expert does, with one
// synchronisation fault at a time: clusters of blocks share the K blocks of one product, tensor
// copies or 16-byte copies feed a ring, partial sums go to the first block of the cluster, which
// adds them in order of rank.
#ifndef SAMEBITS_TESTS_GPU_SIMT_PRODUCT_KERNEL_H_
#define SAMEBITS_TESTS_GPU_SIMT_PRODUCT_KERNEL_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "gpu/lane/types.h"

namespace samebits::gpu::simt {

enum class Broken : uint8_t {
  kNothing,
  kNoClusterBarrier,      // peers store before the receiver's barrier is there
  kNoLastClusterBarrier,  // the sender ends while its bulk copy reads
  kBytesTooFew,           // of a tensor copy
  kBytesTooMany,          // of what the peers send
  kFullCountTooLarge,     // arrivals
  kEmptyCountTooSmall,    // arrivals
  kRemoteArrivalMissing,  // of one block at another
  kWrongPhase,            // of the full barrier
  kNoEmptyWait,           // the producer overwrites a stage
  kNoProxyFence,          // 16-byte copies, then products
  kNoStagingFence,        // ordinary stores, then a bulk copy to another block
  kNoInitFence,           // mbarriers and the asynchronous proxy
  kNoFullWait,            // products start before their operands are there
  kNoProductWait,         // wgmma results, or tcgen05's
  kEarlyRelease,          // a stage is free before its products have read it
  kNoCommit,              // of products
  kNoRegisterFence,       // wgmma.fence
  kNoFenceAfter,          // tcgen05
  kNoLoadWait,            // of tensor memory
  kNoFree,                // of tensor memory
  kWrongSwizzle,          // of the 16-byte copies
  kNotAcquired,           // a tensor map in global memory
  kBlockScope,            // wait for other blocks
  kNoCopyArrival,         // an arrival that does not wait for the 16-byte copies
  kCount
};
inline constexpr std::array<std::string_view, static_cast<size_t>(Broken::kCount)> kBrokenNames = {
    "nothing",
    "no cluster barrier in front of remote stores",
    "no cluster barrier at the end",
    "a copy's bytes expected too few",
    "remote bytes expected too many",
    "one arrival too many in the full barrier's count",
    "one arrival too few in the empty barrier's count",
    "one remote arrival too few",
    "wrong phase",
    "no wait for an empty stage",
    "no proxy fence between 16-byte copies and products",
    "no proxy fence between stores and a remote bulk copy",
    "no fence after the mbarriers' initialisation",
    "no wait for the operands",
    "no wait for the products",
    "a stage released before its products are complete",
    "no commit of the products",
    "no wgmma fence",
    "no tcgen05 fence after the wait",
    "no wait for the read of tensor memory",
    "tensor memory not freed",
    "a wrong swizzle",
    "a tensor map not acquired",
    "a wait with the scope of a block for the cluster",
    "an arrival that does not wait for its 16-byte copies"};

struct ProductParams {
  static constexpr int kN = 24;
  static constexpr int kRows = 64;
  static constexpr int kBlockK = 64;  // elements of K in a stage
  static constexpr int kRanks = 3;    // blocks of a cluster
  static constexpr int kSteps = 3;    // K blocks of each
  static constexpr int kColumns = kRanks * kSteps * kBlockK;

  const TensorMap* a;  // [64, kColumns], in global memory
  const uint16_t* b;   // [kN, kColumns]
  const TensorMap* b_map;
  float* out;  // [kN, 64] of each cluster
  Broken broken = Broken::kNothing;
};

/// kTcgen05: else wgmma. kMapped: B comes through its tensor map, else by 16-byte copies. 160
/// threads; warps 0..3 multiply (wgmma) or read (tcgen05), warp 4 loads (and multiplies).
template <class Lane, bool kTcgen05, bool kMapped>
struct ProductKernel {
  using P = ProductParams;
  using Remote = typename Lane::Remote;
  static constexpr int kStages = 2, kThreads = 160, kConsumers = 128;
  static constexpr int kA = P::kRows * 128, kB = P::kN * 128, kStage = 12288;
  static constexpr int kPart = P::kRows * P::kN * 4;  // bytes of partial sums
  static constexpr int kStaged = kStages * kStage;    // own
  static constexpr int kReceived = kStaged + kPart;   // of every rank
  static constexpr int kBarriers = kReceived + P::kRanks * kPart;
  static constexpr int kSharedBytes = kBarriers + 128;

  const Lane& lane;
  const P& p;
  const int thread, warp, rank;

  uint64_t* Barrier(int i) const {
    return reinterpret_cast<uint64_t*>(lane.shared() + kBarriers) + i;
  }
  uint64_t* Full(int s) const { return Barrier(s); }
  uint64_t* Empty(int s) const { return Barrier(kStages + s); }
  uint64_t* Done() const { return Barrier(2 * kStages); }
  uint64_t* Received() const { return Barrier(2 * kStages + 1); }
  uint64_t* Ended() const { return Barrier(2 * kStages + 2); }
  uint32_t* Tmem() const { return reinterpret_cast<uint32_t*>(Barrier(2 * kStages + 3)); }
  std::byte* Stage(int s) const { return lane.shared() + s * kStage; }
  bool Is(Broken broken) const { return p.broken == broken; }
  bool FirstWarpOfBoth() const { return kTcgen05 ? warp == 4 : warp < 4; }

  void Run() const {
    Prepare();
    if (warp == 4) {
      Load();
    } else if constexpr (!kTcgen05) {
      float d[P::kN / 2] = {};
      Multiply(d);
      StageRegisters(d);
    }
    if constexpr (kTcgen05) {
      if (warp < 4) ReadProducts();
    }
    if (warp < 4) {
      Send();
      if (rank == 0) Sum();
      if (thread == 0) Goodbye();
    }
    if constexpr (kTcgen05) {
      lane.BlockBarrier();
      if (warp == 4 && !Is(Broken::kNoFree)) lane.TmemFree(lane.LoadShared(Tmem()), 32);
    }
    if (!Is(Broken::kNoLastClusterBarrier)) {
      lane.ClusterArriveRelaxed();
      lane.ClusterWait();
    }
  }

  void Prepare() const {
    if (thread == 0) {
      const int copies = kMapped ? 0 : 32;
      for (int s = 0; s < kStages; ++s) {
        lane.MbarrierInit(Full(s), 1 + copies + Is(Broken::kFullCountTooLarge));
        lane.MbarrierInit(Empty(s), kTcgen05 ? 1 : 4 - Is(Broken::kEmptyCountTooSmall));
      }
      lane.MbarrierInit(Done(), 1);
      lane.MbarrierInit(Received(), 1);
      lane.MbarrierInit(Ended(), P::kRanks);
      if (!Is(Broken::kNoInitFence)) lane.MbarrierInitFence();
      const int more = Is(Broken::kBytesTooMany) ? 16 : 0;
      if (rank == 0) lane.MbarrierArriveExpect(Received(), P::kRanks * kPart + more);
    }
    if constexpr (kTcgen05) {
      if (warp == 4) {
        lane.TmemAllocate(Tmem(), 32);
        lane.TmemRelinquish();
      }
      lane.Tcgen05FenceBefore();
    }
    lane.BlockBarrier();
    if constexpr (kTcgen05) lane.Tcgen05FenceAfter();
    if (Is(Broken::kNoClusterBarrier)) return;
    lane.ClusterArriveRelaxed();
    lane.ClusterWait();
  }

  /// Warp 4: fills the ring; with tcgen05 it multiplies as well, one stage behind.
  void Load() const {
    const bool first = thread % 32 == 0;
    if (!Is(Broken::kNotAcquired)) lane.TensorMapAcquire(p.a);
    lane.TensorMapAcquire(p.b_map);
    for (int k = 0; k < P::kSteps; ++k) {
      const int s = k % kStages;
      if (k >= kStages && !Is(Broken::kNoEmptyWait)) {
        lane.MbarrierWait(Empty(s), (k / kStages - 1) % 2);
      }
      // What the first lane starts may end the phase that other lanes still wait for.
      lane.WarpBarrier();
      const int column = (rank * P::kSteps + k) * P::kBlockK;
      if (first) {
        const int few = Is(Broken::kBytesTooFew) && k == 0 ? 16 : 0;
        lane.MbarrierArriveExpect(Full(s), kA + (kMapped ? kB : 0) - few);
        lane.TensorLoad(Stage(s), p.a, column, 0, Full(s));
        lane.TensorLoad(Stage(s) + kA / 2, p.a, column, P::kRows / 2, Full(s));
        if (kMapped) lane.TensorLoad(Stage(s) + kA, p.b_map, column, 0, Full(s));
      }
      if constexpr (!kMapped) LoadRows(Stage(s) + kA, column, Full(s));
      if constexpr (kTcgen05) MultiplyStage(k);
    }
    if constexpr (kTcgen05) {
      if (first && !Is(Broken::kNoCommit)) lane.Tcgen05Commit(Done());
    }
    // Copies that an mbarrier tracks need no wait of their own.
    if (Is(Broken::kNoCopyArrival)) lane.CopyAsyncWaitAll();
  }

  void LoadRows(std::byte* tile, int column, uint64_t* full) const {
    for (int i = thread % 32; i < P::kN * 8; i += 32) {
      const int row = i / 8, chunk = i % 8;
      const int place = Is(Broken::kWrongSwizzle) ? chunk : chunk ^ row % 8;
      lane.CopyAsync16(tile + row / 8 * 1024 + row % 8 * 128 + place * 16,
                       p.b + row * P::kColumns + column + chunk * 8);
    }
    if (Is(Broken::kNoCopyArrival)) {
      lane.CopyAsyncCommit();
      lane.MbarrierArrive(full);
    } else {
      lane.CopyAsyncArrive(full);
    }
  }

  void WaitFull(int k) const {
    const int phase = k / kStages % 2;
    if (!Is(Broken::kNoFullWait)) {
      lane.MbarrierWait(Full(k % kStages), Is(Broken::kWrongPhase) ? 1 - phase : phase);
    }
    if (!kMapped && !Is(Broken::kNoProxyFence)) lane.FenceProxyAsync();
  }

  void Multiply(float (&d)[P::kN / 2]) const {
    for (int k = 0; k < P::kSteps; ++k) {
      const int s = k % kStages;
      WaitFull(k);
      const uint64_t a = lane.WgmmaDescriptor(Stage(s));
      const uint64_t b = lane.WgmmaDescriptor(Stage(s) + kA);
      if (!Is(Broken::kNoRegisterFence)) lane.WgmmaFence();
      for (int i = 0; i < 4; ++i) {
        const uint64_t step = 2 * static_cast<uint64_t>(i);
        lane.template Wgmma<P::kN>(d, a + step, b + step, k + i != 0);
      }
      if (!Is(Broken::kNoCommit)) lane.WgmmaCommit();
      if (Is(Broken::kEarlyRelease)) Release(s);
      if (!Is(Broken::kNoProductWait)) lane.template WgmmaWait<0>();
      if (!Is(Broken::kEarlyRelease)) Release(s);
    }
  }
  void Release(int s) const {
    lane.WarpBarrier();
    if (thread % 32 == 0) lane.MbarrierArrive(Empty(s));
  }

  void MultiplyStage(int k) const {
    const int s = k % kStages;
    WaitFull(k);
    lane.Tcgen05FenceAfter();
    if (thread % 32 != 0) return;
    const uint32_t d = lane.LoadShared(Tmem());
    const uint64_t a = lane.Tcgen05Descriptor(Stage(s));
    const uint64_t b = lane.Tcgen05Descriptor(Stage(s) + kA);
    if (Is(Broken::kEarlyRelease)) lane.MbarrierArrive(Empty(s));
    for (int i = 0; i < 4; ++i) {
      const uint64_t step = 2 * static_cast<uint64_t>(i);
      lane.Tcgen05Mma(d, a + step, b + step, Tcgen05Instruction(P::kN), k + i != 0);
    }
    if (!Is(Broken::kEarlyRelease) && !Is(Broken::kNoCommit)) lane.Tcgen05Commit(Empty(s));
  }

  float* Staged() const { return reinterpret_cast<float*>(lane.shared() + kStaged); }

  void StageRegisters(const float (&d)[P::kN / 2]) const {
    const int l = thread % 32;
    for (int i = 0; i < P::kN / 2; ++i) {
      const int row = 16 * warp + l / 4 + 8 * (i % 4 / 2);
      const int column = 8 * (i / 4) + 2 * (l % 4) + i % 2;
      lane.StoreShared(Staged() + column * P::kRows + row, d[i]);
    }
  }

  void ReadProducts() const {
    if (!Is(Broken::kNoProductWait)) lane.MbarrierWait(Done(), 0);
    if (!Is(Broken::kNoFenceAfter)) lane.Tcgen05FenceAfter();
    float r[32];
    lane.TmemLoad(r, lane.LoadShared(Tmem()) + (static_cast<uint32_t>(32 * warp) << 16));
    if (!Is(Broken::kNoLoadWait)) lane.TmemLoadWait();
    lane.Tcgen05FenceBefore();
    if (thread % 32 >= 16) return;
    for (int j = 0; j < P::kN; ++j) {
      lane.StoreShared(Staged() + j * P::kRows + 16 * warp + thread % 32, r[j]);
    }
  }

  /// Half of the staged sums by one bulk copy, the rest by stores of 4, 8 and 16 bytes.
  void Send() const {
    if (!Is(Broken::kNoStagingFence)) lane.FenceProxyAsync();
    lane.NamedBarrier(1, kConsumers);
    const Remote to = lane.MapShared(lane.shared() + kReceived + rank * kPart, 0);
    const Remote received = lane.MapShared(Received(), 0);
    constexpr int kHalf = kPart / 2;
    if (thread == 0) lane.BulkCopyRemote(to, lane.shared() + kStaged, kHalf, received);
    const std::byte* from = lane.shared() + kStaged;
    for (int at = kHalf + 16 * thread; at < kPart; at += 16 * kConsumers) {
      switch (at / 16 % 3) {
        case 0:
          lane.StoreAsync(to + at, Load<Float4>(from + at), received);
          break;
        case 1:
          lane.StoreAsync(to + at, Load<Word2>(from + at), received);
          lane.StoreAsync(to + (at + 8), Load<Float2>(from + at + 8), received);
          break;
        default:
          for (int i = 0; i < 4; ++i) {
            lane.StoreAsync(to + (at + 4 * i), Load<float>(from + at + 4 * i), received);
          }
      }
    }
  }
  template <typename V>
  V Load(const std::byte* from) const {
    return lane.LoadShared(reinterpret_cast<const V*>(from));
  }

  void Sum() const {
    if (Is(Broken::kBlockScope)) {
      lane.MbarrierWait(Received(), 0);
    } else {
      lane.MbarrierWaitCluster(Received(), 0);
    }
    const auto* parts = reinterpret_cast<const float*>(lane.shared() + kReceived);
    for (int i = thread; i < kPart / 4; i += kConsumers) {
      float sum = 0;
      for (int c = 0; c < P::kRanks; ++c) {
        sum = lane.Add(sum, lane.LoadShared(parts + c * (kPart / 4) + i));
      }
      lane.StoreGlobal(p.out + lane.ClusterIndex() * (kPart / 4) + i, sum);
    }
  }

  /// Every block tells the first one that it is done.
  void Goodbye() const {
    const Remote ended = lane.MapShared(Ended(), 0);
    if (!Is(Broken::kRemoteArrivalMissing) || rank != 1) lane.MbarrierArriveRemote(ended);
    if (rank == 0) lane.MbarrierWaitCluster(Ended(), 0);
  }
};

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_TESTS_GPU_SIMT_PRODUCT_KERNEL_H_
