#include "gpu/simt/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "gpu/simt/cluster.h"
#include "gpu/simt/dependency.h"
#include "gpu/simt/tcgen05.h"

namespace samebits::gpu::simt {

// Written at every switch: initial-exec spares a call to the dynamic linker's lookup. Has a name
// outside this file for debuggers (README.md), which can read it but hardly call Self().
[[gnu::tls_model("initial-exec")]] thread_local Thread* running_thread = nullptr;

namespace {

uint64_t TeamSeed(uint64_t schedule, int first) {
  return Random(schedule ^ (static_cast<uint64_t>(first) << 32)).Next();
}

}  // namespace

Thread& Self() { return *running_thread; }

Team::Team(std::span<const GridPart> parts, const Options& options, const Units& units,
           const GlobalMemory& memory, Stacks& stacks)
    : units_(units),
      memory_(memory),
      policy_(Policy::Of(options.schedule)),
      random_(TeamSeed(options.schedule, parts.front().first)),
      ready_(policy_.order, random_.Next()) {
  for (const GridPart& part : parts) AddGrid(part);
  if (parts.size() == 2) LinkGrids();
  StartThreads(stacks);
}

void Team::AddGrid(const GridPart& part) {
  const int threads_before = running_;
  Grid& grid = *grids_.emplace_back(std::make_unique<Grid>(part, static_cast<int>(grids_.size())));
  for (int c = 0; c < part.count; ++c) {
    AddCluster(grid, part.first + c);
    grid.barrier.gathers.emplace_back(&clusters_.back()->arena);
  }
  grid.barrier.expected = running_ - threads_before;
  grid.running_blocks = grid.holding_blocks = part.count * part.shape.cluster;
}

void Team::LinkGrids() {
  Grid &first = *grids_[0], &second = *grids_[1];
  first.after = &second;
  second.before = &first;
  handover_ = std::make_unique<Handover>();
  for (const auto& cluster : clusters_) {
    if (cluster->blocks.front()->grid != &second) continue;
    const bool late = policy_.start == Policy::Start::kLate ||
                      (policy_.start == Policy::Start::kMixed && random_.Chance(2));
    (late ? second.late : second.early).push_back(cluster.get());
  }
}

void Team::AddCluster(Grid& grid, int index) {
  const LaunchShape& shape = grid.shape;
  const int per_block = shape.threads;
  auto& cluster = *clusters_.emplace_back(std::make_unique<Cluster>(
      per_block * shape.cluster,
      (per_block + shape.warp_size - 1) / shape.warp_size * shape.cluster, shape.cluster, index));
  cluster.first_thread = running_;
  for (int rank = 0; rank < shape.cluster; ++rank) {
    cluster.blocks.push_back(
        std::make_unique<Block>(&cluster, index * shape.cluster + rank, rank, per_block,
                                (per_block + shape.warp_size - 1) / shape.warp_size,
                                shape.shared_bytes, static_cast<uint8_t>(random_.Next())));
    Block& block = *cluster.blocks.back();
    block.grid = &grid;
    for (Warp& warp : block.warps) warp.registers = shape.registers;
    for (int i = 0; i < per_block; ++i) {
      Thread& thread = cluster.threads[static_cast<size_t>(rank * per_block + i)];
      thread.team = this;
      thread.block = &block;
      thread.index = i;
      thread.warp = i / shape.warp_size;
      thread.lane = i % shape.warp_size;
    }
  }
  running_ += per_block * shape.cluster;
}

void Team::StartThreads(Stacks& stacks) {
  // Stacks at one distance would share cache sets.
  constexpr size_t kStagger = 320;
  int next_stack = 0, warp_level = 0;
  for (const auto& cluster : clusters_) {
    for (Thread& thread : cluster->threads) {
      const size_t shift = static_cast<size_t>(next_stack % 32) * kStagger;
      thread.fiber.Prepare(stacks.top(next_stack) - shift, stacks.bytes() - shift, &RunThread,
                           &thread);
      ++next_stack;
      if (thread.lane == 0) warp_level = ready_.RandomLevel();
      thread.level = random_.Chance(16) ? ready_.RandomLevel() : warp_level;
      if (!thread.block->grid->before) ready_.Push(&thread, thread.level);
    }
  }
}

void Team::RunThread(void* argument) {
  Thread& self = *static_cast<Thread*>(argument);
  Team& team = *self.team;
  running_thread = &self;
  Fiber* next = &team.main_;
  try {
    AtThread(self.block->index, self.warp, self.lane);
    self.block->grid->body();
    team.End(self);
    if (team.running_ > 0) {
      Thread* other = team.Next();
      if (!other) team.FailOfDeadlock();
      next = &other->fiber;
    }
  } catch (...) {
    team.error_ = std::current_exception();
    next = &team.main_;
  }
  self.fiber.LeaveTo(*next);
}

void Team::Run() {
  main_.SwitchTo(Next()->fiber);
  running_thread = nullptr;
  if (error_) std::rethrow_exception(error_);
  // What the grid wrote is complete when the grid is.
  while (!copies_.empty()) copies_.StepAny(random_);
  if (handover_) handover_->CheckEnd(*this);
}

Thread* Team::NextAmongCopies() {
  for (;;) {
    if (policy_.complete_one_in != 0 && !copies_.empty() &&
        random_.Chance(policy_.complete_one_in)) {
      copies_.StepAny(random_);
    }
    if (!ready_.empty()) return ready_.Pop();
    if (copies_.empty()) return nullptr;
    copies_.StepAny(random_);
  }
}

void Team::SwitchTo(Thread& self, Thread& next) {
  if (&next == &self) return;
  self.fiber.SwitchTo(next.fiber);
  running_thread = &self;
}

void Team::FailOfDeadlock() const { throw Fault(FaultKind::kDeadlock, DescribeWaits(*this)); }

void Team::Spin(Thread& self) {
  // As many idle rounds say that nobody else has anything to do: random choices would have met it.
  // A copy that everybody waits for should not take as long.
  constexpr int64_t kIdleRounds = 1024, kRoundsToCopy = 4;
  self.spins = true;
  const int64_t rounds = copies_.empty() ? kIdleRounds : kRoundsToCopy;
  if (++spins_ > rounds * static_cast<int64_t>(running_)) {
    if (copies_.empty()) FailOfDeadlock();
    copies_.StepAny(random_);
    spins_ = 0;
  }
  self.wait = WaitFor::kNothing;
  ready_.Push(&self, ReadyThreads::kLevels - 1);
  SwitchTo(self, *Next());
  self.spins = false;
}

void Team::Suspend(Thread& self) {
  spins_ = 0;
  Thread* next = Next();
  if (!next) FailOfDeadlock();
  SwitchTo(self, *next);
  self.wait = WaitFor::kNothing;
}

void Team::Wake(Thread& thread) {
  if (policy_.order == Policy::Order::kPriorities && random_.Chance(256)) {
    thread.level = ready_.RandomLevel();
  }
  ready_.Push(&thread, thread.level);
}

void Team::Wake(std::span<Thread* const> threads) {
  if (policy_.order != Policy::Order::kPriorities) return ready_.PushAll(threads);
  for (Thread* thread : threads) Wake(*thread);
}

void Team::Yield(Thread& self) {
  spins_ = 0;
  ready_.Push(&self, ready_.RandomLevel());
  SwitchTo(self, *Next());
}

void Team::End(Thread& self) {
  CheckNoCopies(self);
  CheckNoProducts(self);
  messages_.Complete(&self);
  self.ended = true;
  spins_ = 0;
  --running_;
  LeaveCluster(self);
  if (--self.block->running == 0) EndBlock(self);
}

void Team::EndBlock(Thread& last) {
  const Block& block = *last.block;
  for (size_t id = 0; id < block.barriers.size(); ++id) {
    const NamedBarrier& barrier = block.barriers[id];
    if (barrier.arrived == 0) continue;
    last.where = barrier.where;
    Fail(last, FaultKind::kBarrier,
         fmt::format("ends the block, while barrier {} has {} of {} arrivals", id, barrier.arrived,
                     barrier.expected));
  }
  for (const auto& [offset, mbarrier] : block.mbarriers) {
    if (mbarrier.bytes == 0) continue;
    Fail(last, FaultKind::kUnfinished,
         fmt::format("ends the block, while the mbarrier at {:#x} expects {} bytes", offset,
                     mbarrier.bytes));
  }
  copies_.CheckBlockEnd(last);
  CheckBlockProducts(last);
  EndBlockOfGrid(last);
}

namespace {

std::string DescribeWait(const Thread& thread) {
  switch (thread.wait) {
    case WaitFor::kWarp: {
      const auto& warp = thread.block->warps[static_cast<size_t>(thread.warp)];
      const auto mask = static_cast<uint64_t>(thread.wait_object);
      const Meeting& meeting = warp.meetings[static_cast<size_t>(std::countr_zero(mask))];
      return fmt::format("lanes {:#x} of the warp, of which {:#x} have come", mask,
                         meeting.arrived);
    }
    case WaitFor::kNamedBarrier: {
      const auto& barrier = thread.block->barriers[static_cast<size_t>(thread.wait_object)];
      return fmt::format("barrier {}, {} of {} threads have come", thread.wait_object,
                         barrier.arrived, barrier.expected);
    }
    case WaitFor::kMbarrier: {
      // Of the thread's own block or of another one of its cluster.
      for (const auto& block : thread.block->cluster->blocks) {
        const auto found = block->mbarriers.find(thread.wait_object);
        if (block.get() != thread.block || found == block->mbarriers.end()) continue;
        const Mbarrier& m = found->second;
        return fmt::format(
            "parity {} of the mbarrier at {:#x}, which is in phase {} with {} of {} arrivals and "
            "{} "
            "bytes to come",
            thread.wait_detail, thread.wait_object, m.phase, m.pending, m.count, m.bytes);
      }
      return "an mbarrier of another block";
    }
    case WaitFor::kSplitBarrier:
      return "the cluster or grid barrier";
    case WaitFor::kTensorMemory:
      return fmt::format("{} columns of tensor memory", thread.wait_object);
    case WaitFor::kRegisters:
      return fmt::format("{} registers per thread, {} are free", thread.wait_object,
                         thread.block->registers.free);
    case WaitFor::kMessage:
      return fmt::format("a message with tag {:#x}", thread.wait_detail);
    case WaitFor::kGrid:
      return fmt::format("the end of grid {}", thread.block->grid->before->index);
    case WaitFor::kNothing:
      return "a change of global memory";
  }
  return {};
}

/// Only another block can end it, whose own wait may be the cause.
bool WaitsForOtherBlocks(WaitFor wait) {
  return wait == WaitFor::kNothing || wait == WaitFor::kMessage || wait == WaitFor::kSplitBarrier ||
         wait == WaitFor::kGrid;
}

/// Of the first thread of those that wait alike: where, and what is there instead.
std::string DescribeMessage(const Team& team, const Thread& thread) {
  const auto* at = reinterpret_cast<const Word2*>(static_cast<intptr_t>(thread.wait_object));
  return fmt::format(" (thread {} at {}, which has tag {:#x})", thread.index,
                     team.memory().Locate(at), at->y);
}

}  // namespace

std::string DescribeWaits(const Team& team) {
  constexpr size_t kShown = 12;
  struct Group {
    int last, count;
    const Thread* first;
    std::string text;
  };
  std::vector<Group> groups;                                      // by first thread
  std::map<std::pair<const Block*, std::string>, size_t> places;  // (block, text) -> group
  int ended = 0, waiting = 0, spinning = 0;
  for (const auto& cluster : team.clusters()) {
    for (const Thread& thread : cluster->threads) {
      ended += thread.ended;
      if (thread.wait == WaitFor::kNothing) {
        if (thread.ended || !thread.spins) continue;
        ++spinning;
      }
      ++waiting;
      std::string text = fmt::format("at {} for {}", Describe(thread.where), DescribeWait(thread));
      const auto [place, fresh] = places.try_emplace({thread.block, text}, groups.size());
      if (fresh) groups.push_back({thread.index, 0, &thread, std::move(text)});
      Group& group = groups[place->second];
      group.last = thread.index;
      ++group.count;
    }
  }
  std::stable_partition(groups.begin(), groups.end(),
                        [](const Group& group) { return !WaitsForOtherBlocks(group.first->wait); });
  std::string report =
      fmt::format("deadlock: {} threads wait and none can run, {} have ended", waiting, ended);
  if (spinning != 0) report += fmt::format(", {} look at global memory again and again", spinning);
  for (size_t i = 0; i < groups.size() && i < kShown; ++i) {
    const Group& group = groups[i];
    report += fmt::format("; {}: {} threads ({}..{}) wait {}", Describe(*group.first->block),
                          group.count, group.first->index, group.last, group.text);
    if (group.first->wait == WaitFor::kMessage) report += DescribeMessage(team, *group.first);
  }
  if (groups.size() > kShown) {
    report += fmt::format("; and {} more groups of threads", groups.size() - kShown);
  }
  for (const auto& grid : team.grids()) {
    const size_t held = grid->early.size() + grid->late.size();
    if (held == 0) continue;
    report += fmt::format("; {} of {} clusters of grid {} have not started", held,
                          grid->shape.blocks / grid->shape.cluster, grid->index);
  }
  return report;
}

}  // namespace samebits::gpu::simt
