// The executor: the fibres of the clusters that one operating-system thread runs together.
#ifndef SAMEBITS_GPU_SIMT_TEAM_H_
#define SAMEBITS_GPU_SIMT_TEAM_H_

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/simt/barriers.h"
#include "gpu/simt/block.h"
#include "gpu/simt/copies.h"
#include "gpu/simt/grid.h"
#include "gpu/simt/handover.h"
#include "gpu/simt/launch.h"
#include "gpu/simt/messages.h"
#include "gpu/simt/schedule.h"

namespace samebits::gpu::simt {

class Team {
 public:
  /// Clusters of one grid, or all of two of which the second depends on the first, on stacks
  /// [0, their threads).
  Team(std::span<const GridPart> parts, const Options& options, const Units& units,
       const GlobalMemory& memory, Stacks& stacks);

  /// Until every thread has ended. Throws what a thread throws, first of all Fault.
  void Run();

  // For the operations of threads.
  /// Another thread runs; returns after Wake(self).
  void Suspend(Thread& self);
  void Wake(Thread& thread);
  void Wake(std::span<Thread* const> threads);
  /// A point where the schedule may let others run.
  void Pause(Thread& self) {
    if (policy_.yield_one_in != 0 && random_.Chance(policy_.yield_one_in)) Yield(self);
  }
  void Yield(Thread& self);
  /// A look at global memory that another thread may have to change first: others run. Faults if
  /// all do nothing else.
  void Spin(Thread& self);

  const Units& units() const { return units_; }
  const GlobalMemory& memory() const { return memory_; }
  CopyQueue& copies() { return copies_; }
  MessageBoard& messages() { return messages_; }
  /// What need not be complete before someone waits for it is so now.
  bool CompletesEarly() {
    return policy_.complete_one_in != 0 && random_.Chance(policy_.complete_one_in);
  }
  /// What two grids that run together do to global memory; null for one grid.
  Handover* handover() { return handover_.get(); }
  const std::vector<std::unique_ptr<Grid>>& grids() const { return grids_; }
  const std::vector<std::unique_ptr<Cluster>>& clusters() const { return clusters_; }

 private:
  static void RunThread(void* thread);
  void AddGrid(const GridPart& part);
  void AddCluster(Grid& grid, int index);
  void LinkGrids();
  void StartThreads(Stacks& stacks);
  Thread* Next() {
    if (!copies_.empty() || ready_.empty()) return NextAmongCopies();
    Thread* next = ready_.Pop();
    // A switch mostly waits for the stack and the state of the thread that it enters.
    if (const Thread* after = ready_.Likely()) {
      after->fiber.Prefetch();
      __builtin_prefetch(reinterpret_cast<const std::byte*>(after) + 64, 1);
      __builtin_prefetch(reinterpret_cast<const std::byte*>(after) + 128, 1);
    }
    return next;
  }
  Thread* NextAmongCopies();
  [[noreturn, gnu::noinline, gnu::cold]] void FailOfDeadlock() const;
  void End(Thread& self);
  void EndBlock(Thread& last);
  void SwitchTo(Thread& self, Thread& next);

  const Units& units_;
  const GlobalMemory& memory_;
  Policy policy_;
  Random random_;
  ReadyThreads ready_;
  std::vector<std::unique_ptr<Cluster>> clusters_;  // in front of all that holds their clocks
  std::vector<std::unique_ptr<Grid>> grids_;
  std::unique_ptr<Handover> handover_;
  CopyQueue copies_;
  MessageBoard messages_;
  int running_ = 0;
  int64_t spins_ = 0;  // since something else happened
  Fiber main_;
  std::exception_ptr error_;
};

/// Who waits where, for a deadlock: threads that wait alike share a line.
std::string DescribeWaits(const Team& team);

}  // namespace samebits::gpu::simt

#endif  // SAMEBITS_GPU_SIMT_TEAM_H_
