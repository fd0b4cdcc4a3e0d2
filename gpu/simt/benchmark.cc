#include "gpu/simt/benchmark.h"

#include <time.h>

#include <functional>
#include <vector>

#include "gpu/lane/host.h"
#include "gpu/simt/fiber.h"
#include "gpu/simt/launch.h"

namespace samebits::gpu::simt {
namespace {

constexpr int kThreads = 256;

/// Of this thread's processor time, so that other work on the machine counts little.
double Now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double Nanoseconds(const std::function<void()>& work) {
  const double start = Now();
  work();
  return Now() - start;
}

/// Without what the launch itself costs.
template <typename Operation>
double PerOperation(uint64_t schedule, int rounds, const Operation& operation) {
  const auto run = [&](int count) {
    return Nanoseconds([&] {
      Launch({.threads = kThreads}, {.schedule = schedule, .cpu_threads = 1}, {}, {}, [&] {
        const HostLane lane;
        for (int i = 0; i < count; ++i) operation(lane);
      });
    });
  };
  run(rounds);  // warms up
  return (run(2 * rounds) - run(rounds)) / (double(rounds) * kThreads);
}

/// A ring of fibres that hand over to the next one.
struct Ring {
  std::vector<Fiber> fibers = std::vector<Fiber>(kThreads);
  Fiber main;
  int rounds = 0;
};
struct Member {
  Ring* ring;
  int index;
};

void RunMember(void* argument) {
  const Member member = *static_cast<Member*>(argument);
  Ring& ring = *member.ring;
  Fiber& self = ring.fibers[static_cast<size_t>(member.index)];
  Fiber& next = ring.fibers[static_cast<size_t>((member.index + 1) % kThreads)];
  for (int i = 0; i < ring.rounds; ++i) self.SwitchTo(next);
  self.LeaveTo(member.index + 1 == kThreads ? ring.main : next);
}

double PerSwitch(int rounds) {
  Stacks stacks(kThreads, 64 << 10);
  Ring ring;
  ring.rounds = rounds;
  std::vector<Member> members;
  for (int i = 0; i < kThreads; ++i) members.push_back({&ring, i});
  for (int i = 0; i < kThreads; ++i) {
    const size_t shift = static_cast<size_t>(i % 32) * 320;  // as Team does
    ring.fibers[static_cast<size_t>(i)].Prepare(stacks.top(i) - shift, stacks.bytes() - shift,
                                                &RunMember, &members[static_cast<size_t>(i)]);
  }
  return Nanoseconds([&] { ring.main.SwitchTo(ring.fibers[0]); }) / (double(rounds) * kThreads);
}

}  // namespace

SwitchCost MeasureSwitches(uint64_t schedule, int rounds) {
  SwitchCost cost;
  cost.switch_ns = PerSwitch(rounds);
  cost.barrier_ns =
      PerOperation(schedule, rounds, [](const HostLane& lane) { lane.BlockBarrier(); });
  cost.shuffle_ns =
      PerOperation(schedule, rounds, [](const HostLane& lane) { lane.ShuffleXor(1.0f, 1); });
  return cost;
}

}  // namespace samebits::gpu::simt
