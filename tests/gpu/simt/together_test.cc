// Two grids that overlap: the second depends on the first and takes over what it hands out by
// words.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>
#include <vector>

#include "model/contract.h"
#include "tests/gpu/simt/run_kernel.h"

namespace samebits::gpu::simt {
namespace {

constexpr int kProducers = 3, kConsumers = 2, kThreads = 32;
constexpr uint32_t kEmpty = 0xFFFFFFFFu;

struct Pair {
  LaunchShape first{.blocks = kProducers, .threads = kThreads};
  LaunchShape second{.blocks = kConsumers, .threads = 2 * kThreads, .dependent = true};
  alignas(16) uint32_t words[kProducers * kThreads];
  alignas(16) uint32_t sums[kConsumers] = {};
  alignas(16) uint32_t plain[4] = {};
  alignas(16) uint32_t weights[4] = {1, 2, 3, 4};

  Pair() { std::fill_n(words, kProducers * kThreads, kEmpty); }

  GlobalMemory Memory() const {
    GlobalMemory memory;
    memory.Add("words", words, sizeof(words));
    memory.Add("sums", sums, sizeof(sums));
    memory.Add("plain", plain, sizeof(plain));
    memory.Add("weights", weights, sizeof(weights), true);
    return memory;
  }
  void Run(uint64_t schedule, const Kernel& producer, const Kernel& consumer) const {
    LaunchTogether({first, [&] { producer(HostLane()); }}, {second, [&] { consumer(HostLane()); }},
                   {.schedule = schedule}, TestUnits(), Memory());
  }
  std::optional<Fault> FaultOf(uint64_t schedule, const Kernel& producer,
                               const Kernel& consumer) const {
    try {
      Run(schedule, producer, consumer);
    } catch (const Fault& fault) {
      return fault;
    }
    return std::nullopt;
  }
  /// Under every schedule, with that text.
  void Expect(const Kernel& producer, const Kernel& consumer, FaultKind kind,
              const std::string& text) const {
    for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
      const std::optional<Fault> fault = FaultOf(schedule, producer, consumer);
      BOOST_TEST_REQUIRE(fault.has_value(), "schedule " << schedule << ": no fault");
      BOOST_TEST((fault->kind() == kind), "schedule " << schedule << ": " << fault->what());
      BOOST_TEST(std::string(fault->what()).find(text) != std::string::npos,
                 "schedule " << schedule << ": " << fault->what());
    }
  }
  void ExpectClean(const Kernel& producer, const Kernel& consumer) const {
    for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
      const std::optional<Fault> fault = FaultOf(schedule, producer, consumer);
      const std::string what = fault ? fault->what() : "";
      BOOST_TEST(what == "", "schedule " << schedule << ": " << what);
    }
  }
};

bool IsFirst(const HostLane& lane) { return lane.BlockIndex() == 0 && lane.ThreadIndex() == 0; }
void Nothing(const HostLane&) {}

/// Every thread hands out one word: its number in the grid, times 3.
void Produce(const HostLane& lane, uint32_t* words) {
  lane.GridLaunchDependents();
  const int i = lane.BlockIndex() * kThreads + lane.ThreadIndex();
  lane.BlockBarrier();
  lane.StoreRelaxed(words + i, static_cast<uint32_t>(3 * i));
}

/// Consumer block b adds up the words i with i % kConsumers == b, each by one thread, and empties
/// them.
void Consume(const HostLane& lane, uint32_t* words, uint32_t* sum) {
  auto* partial = reinterpret_cast<uint32_t*>(lane.shared());
  uint32_t value = 0;
  const int i = lane.ThreadIndex() * lane.GridBlocks() + lane.BlockIndex();
  if (i < kProducers * kThreads) {
    while ((value = lane.LoadRelaxed(words + i)) == kEmpty) {
    }
    lane.StoreRelaxed(words + i, kEmpty);
  }
  lane.StoreShared(partial + lane.ThreadIndex(), value);
  lane.BlockBarrier();
  if (lane.ThreadIndex() == 0) {
    uint32_t total = 0;
    for (int t = 0; t < 2 * kThreads; ++t) total += lane.LoadShared(partial + t);
    lane.StoreGlobal(sum + lane.BlockIndex(), total);
  }
  lane.GridDependencyWait();
}

BOOST_AUTO_TEST_SUITE(two_grids)

BOOST_AUTO_TEST_CASE(words_are_handed_over) {
  uint32_t expected[kConsumers] = {};
  for (uint32_t i = 0; i < kProducers * kThreads; ++i) expected[i % kConsumers] += 3 * i;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    Pair pair;
    pair.second.shared_bytes = 4 * 2 * kThreads;
    pair.Run(
        schedule, [&](const HostLane& lane) { Produce(lane, pair.words); },
        [&](const HostLane& lane) { Consume(lane, pair.words, pair.sums); });
    BOOST_TEST(pair.sums == expected, boost::test_tools::per_element());
    BOOST_TEST(std::count(pair.words, std::end(pair.words), kEmpty) == kProducers * kThreads);
  }
}

// Some schedules start the consumers before the producers end, some after.
BOOST_AUTO_TEST_CASE(the_grids_overlap_under_some_schedules) {
  int overlapped = 0, apart = 0;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const Pair pair;
    int producers = kProducers * kThreads;
    bool early = false;
    pair.Run(
        schedule,
        [&](const HostLane& lane) {
          lane.GridLaunchDependents();
          for (int i = 0; i < 100; ++i) lane.BlockBarrier();
          --producers;
        },
        [&](const HostLane&) { early |= producers != 0; });
    ++(early ? overlapped : apart);
  }
  BOOST_TEST(overlapped >= kSchedules / 4);
  BOOST_TEST(apart >= kSchedules / 8);
}

BOOST_AUTO_TEST_CASE(the_second_starts_when_every_block_of_the_first_lets_it) {
  for (const bool ends : {false, true}) {
    for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
      const Pair pair;
      int let = 0;
      bool too_early = false;
      pair.Run(
          schedule,
          [&](const HostLane& lane) {
            for (int i = 0; i < 10 * lane.BlockIndex(); ++i) lane.BlockBarrier();
            if (lane.ThreadIndex() != 5) return;
            ++let;
            if (!ends) lane.GridLaunchDependents();
          },
          [&](const HostLane&) { too_early |= let != kProducers; });
      BOOST_TEST(!too_early, "schedule " << schedule);
    }
  }
}

BOOST_AUTO_TEST_CASE(plain_reads_need_the_wait) {
  Pair pair;
  const Kernel producer = [&](const HostLane& lane) {
    lane.GridLaunchDependents();
    lane.BlockBarrier();
    if (IsFirst(lane)) lane.StoreGlobal(pair.plain, 7u);
  };
  pair.Expect(
      producer, [&](const HostLane& lane) { lane.LoadGlobal(pair.plain); }, FaultKind::kRace,
      "accesses global memory before the wait for the grid");
  uint32_t seen = 0;
  const Kernel waits = [&](const HostLane& lane) {
    if (lane.ThreadIndex() == 0) lane.GridDependencyWait();
    lane.BlockBarrier();  // orders the others after the wait
    seen = lane.LoadGlobal(pair.plain);
  };
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    pair.plain[0] = seen = 0;
    pair.Run(schedule, producer, waits);
    BOOST_TEST(seen == 7u);
  }
}

// Whichever comes first under the schedule finds the other.
BOOST_AUTO_TEST_CASE(an_atomic_access_does_not_make_the_other_one_atomic) {
  const Pair pair;
  uint32_t* word = const_cast<uint32_t*>(pair.plain);
  const auto run = [&](auto access) {
    return [=](const HostLane& lane) {
      lane.GridLaunchDependents();
      lane.BlockBarrier();
      if (IsFirst(lane)) access(lane);
    };
  };
  const Kernel load = run([=](const HostLane& lane) { lane.LoadGlobal(word); });
  const Kernel store = run([=](const HostLane& lane) { lane.StoreGlobal(word, 1u); });
  const Kernel atomic_load = run([=](const HostLane& lane) { lane.LoadRelaxed(word); });
  const Kernel atomic_store = run([=](const HostLane& lane) { lane.StoreRelaxed(word, 2u); });
  const Kernel add = run([=](const HostLane& lane) { lane.AtomicAdd<Order::kRelaxed>(word, 1); });
  const std::string text = "no wait for the grid before orders them";
  for (const Kernel* second : {&atomic_load, &atomic_store, &add, &store}) {
    pair.Expect(store, *second, FaultKind::kRace, text);
  }
  for (const Kernel* second : {&atomic_store, &add, &store}) {
    pair.Expect(load, *second, FaultKind::kRace, text);
  }
  for (const Kernel* first : {&atomic_load, &atomic_store, &add}) {
    pair.Expect(*first, store, FaultKind::kRace, text);
    pair.ExpectClean(*first, atomic_store);
    pair.ExpectClean(*first, add);
  }
  pair.ExpectClean(atomic_store, atomic_load);
}

BOOST_AUTO_TEST_CASE(a_plain_access_counts_beside_atomic_ones) {
  const Pair pair;
  uint32_t* word = const_cast<uint32_t*>(pair.plain);
  for (const bool plain_first : {false, true}) {
    pair.Expect(
        [&](const HostLane& lane) {
          if (!IsFirst(lane)) return;
          lane.GridLaunchDependents();
          if (plain_first) lane.StoreGlobal(word, 1u);
          lane.StoreRelaxed(word, 2u);
          if (!plain_first) lane.StoreGlobal(word, 1u);
        },
        [&](const HostLane& lane) { lane.LoadRelaxed(word); }, FaultKind::kRace,
        "no wait for the grid before orders them");
  }
}

BOOST_AUTO_TEST_CASE(a_fault_names_the_grid) {
  const Pair pair;
  uint32_t* word = const_cast<uint32_t*>(pair.plain) + 1;
  bool by_first = false, by_second = false;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const std::optional<Fault> fault = pair.FaultOf(
        schedule,
        [&](const HostLane& lane) {
          lane.GridLaunchDependents();
          for (int i = 0; i < 20; ++i) lane.BlockBarrier();
          if (lane.BlockIndex() == 2 && lane.ThreadIndex() == 3) lane.StoreGlobal(word, 1u);
        },
        [&](const HostLane& lane) {
          if (lane.BlockIndex() == 1 && lane.ThreadIndex() == 40) lane.LoadRelaxed(word);
        });
    BOOST_TEST_REQUIRE(fault.has_value());
    const std::string what = fault->what();
    const auto has = [&](const char* text) { return what.find(text) != std::string::npos; };
    BOOST_TEST(has("byte 4 of \"plain\""), what);
    by_first |= has("grid 0 block 2 thread 3 (warp 0 lane 3) writes global") &&
                has("which grid 1 block 1 thread 40 (warp 1 lane 8) atomically reads at line");
    by_second |= has("grid 1 block 1 thread 40 (warp 1 lane 8) atomically reads global") &&
                 has("which grid 0 block 2 thread 3 (warp 0 lane 3) writes at line");
  }
  BOOST_TEST(by_first);
  BOOST_TEST(by_second);
}

BOOST_AUTO_TEST_CASE(a_word_that_is_never_written) {
  const Pair pair;
  pair.Expect(
      Nothing,
      [&](const HostLane& lane) {
        while (lane.LoadRelaxed(pair.words) == kEmpty) {
        }
      },
      FaultKind::kDeadlock, "grid 1 block 0: 64 threads (0..63) wait at together_test.cc");
}

BOOST_AUTO_TEST_CASE(a_word_that_only_an_earlier_launch_can_have_written) {
  const Pair pair;
  pair.Expect(
      Nothing, [&](const HostLane& lane) { lane.LoadRelaxed(pair.words + 5); }, FaultKind::kRace,
      "reads global memory at byte 20 of \"words\"");
  pair.ExpectClean(Nothing, [&](const HostLane& lane) {
    lane.GridDependencyWait();
    lane.LoadRelaxed(pair.words + 5);
  });
}

// Nothing starts the second grid before the first one has ended.
BOOST_AUTO_TEST_CASE(the_first_cannot_wait_for_the_second) {
  Pair pair;
  int found = 0;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    pair.words[0] = kEmpty;
    const std::optional<Fault> fault = pair.FaultOf(
        schedule,
        [&](const HostLane& lane) {
          lane.GridLaunchDependents();
          while (lane.LoadRelaxed(pair.words) == kEmpty) {
          }
        },
        [&](const HostLane& lane) {
          if (lane.ThreadIndex() == 0 && lane.BlockIndex() == 0) lane.StoreRelaxed(pair.words, 1);
        });
    if (!fault) continue;
    ++found;
    BOOST_TEST((fault->kind() == FaultKind::kDeadlock));
    BOOST_TEST(std::string(fault->what()).find("clusters of grid 1 have not started") !=
               std::string::npos);
  }
  BOOST_TEST(found >= kSchedules / 8);
}

BOOST_AUTO_TEST_CASE(the_second_may_end_first) {
  const Pair pair;
  uint32_t* words = const_cast<uint32_t*>(pair.words);
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    std::fill_n(words, kProducers * kThreads, kEmpty);
    pair.Run(
        schedule, [&](const HostLane& lane) { Produce(lane, words); }, Nothing);
    BOOST_TEST(words[kProducers * kThreads - 1] == 3u * (kProducers * kThreads - 1));
  }
}

// Copies that the first one has started are complete when the second one's wait returns.
BOOST_AUTO_TEST_CASE(the_wait_completes_copies) {
  Pair pair;
  pair.first.shared_bytes = 16;
  uint32_t seen = 0;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    std::fill_n(pair.plain, 4, 0);
    pair.Run(
        schedule,
        [&](const HostLane& lane) {
          if (!IsFirst(lane)) return;
          lane.StoreShared(reinterpret_cast<Word4*>(lane.shared()), Word4{5, 6, 7, 8});
          lane.FenceProxyAsync();
          lane.GridLaunchDependents();
          lane.BulkStore(pair.plain, lane.shared(), 16);
          lane.BulkCommit();
          lane.BulkWaitRead();
        },
        [&](const HostLane& lane) {
          lane.GridDependencyWait();
          seen = lane.LoadGlobal(pair.plain + 3);
        });
    BOOST_TEST(seen == 8u);
  }
}

BOOST_AUTO_TEST_CASE(weights_are_read_at_any_time_and_written_never) {
  const Pair pair;
  uint32_t* weights = const_cast<uint32_t*>(pair.weights);
  const Kernel reads = [&](const HostLane& lane) { lane.LoadGlobal(weights); };
  pair.ExpectClean(reads, reads);
  pair.Expect([&](const HostLane& lane) { lane.StoreGlobal(weights, 1u); }, reads, FaultKind::kRace,
              "writes \"weights\"");
}

// What the second grid writes before its wait: launches before the first one must have ended, which
// it only knows if the first waited for them before it let the second one start.
BOOST_AUTO_TEST_CASE(early_results_need_a_first_grid_that_has_waited) {
  Pair pair;
  const Kernel writes = [&](const HostLane& lane) {
    if (IsFirst(lane)) {
      lane.StoreGlobal(pair.sums, 1u);
      lane.LoadGlobal(pair.sums);
    }
  };
  const auto let = [](bool waits_before, bool waits_after) {
    return [=](const HostLane& lane) {
      if (waits_before) lane.GridDependencyWait();
      lane.GridLaunchDependents();
      if (waits_after) lane.GridDependencyWait();
    };
  };
  pair.ExpectClean(let(false, false), writes);  // not dependent: starts after them
  pair.first.dependent = true;
  pair.ExpectClean(let(true, false), writes);
  pair.ExpectClean([](const HostLane& lane) { lane.GridDependencyWait(); }, writes);
  pair.Expect(let(false, true), writes, FaultKind::kRace, "no block waits for earlier grids");
  pair.Expect(let(false, false), writes, FaultKind::kRace, "no block waits for earlier grids");
}

BOOST_AUTO_TEST_CASE(a_first_grid_that_depends_keeps_its_rules) {
  Pair pair;
  pair.first.dependent = true;
  pair.Expect([&](const HostLane& lane) { lane.LoadRelaxed(pair.plain); }, Nothing,
              FaultKind::kRace, "accesses global memory before the wait for the grid");
}

BOOST_AUTO_TEST_CASE(each_grid_has_barriers_and_ids_of_its_own) {
  Pair pair;
  pair.first.co_resident = pair.second.co_resident = true;
  const auto run = [](const HostLane& lane, int blocks, bool* wrong) {
    lane.GridLaunchDependents();
    *wrong |= lane.GridBlocks() != blocks || lane.BlockIndex() >= blocks;
    for (int i = 0; i < 5; ++i) lane.GridBarrier();
    lane.BlockBarrier();
  };
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    bool wrong = false;
    pair.Run(
        schedule, [&](const HostLane& lane) { run(lane, kProducers, &wrong); },
        [&](const HostLane& lane) { run(lane, kConsumers, &wrong); });
    BOOST_TEST(!wrong);
  }
}

BOOST_AUTO_TEST_CASE(the_first_alone_is_a_launch) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    Pair together, alone;
    const auto of = [](Pair& pair) {
      return [&pair](const HostLane& lane) { Produce(lane, pair.words); };
    };
    together.Run(schedule, of(together), Nothing);
    RunKernel(alone.first, schedule, alone.Memory(), of(alone));
    BOOST_TEST(together.words == alone.words, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_second_grid_that_does_not_depend_is_refused) {
  Pair pair;
  pair.second.dependent = false;
  BOOST_CHECK_THROW(pair.Run(0, Nothing, Nothing), ConfigError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::simt
