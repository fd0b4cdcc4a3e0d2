#include "gpu/simt/warp.h"

#include <fmt/format.h>

#include <array>

#include "gpu/simt/block.h"
#include "gpu/simt/team.h"

namespace samebits::gpu::simt {
namespace {

const char* NameOf(int operation) {
  switch (static_cast<Collective>(operation)) {
    case Collective::kSync:
      return "a warp barrier";
    case Collective::kShuffle:
      return "a shuffle";
    case Collective::kMma:
      return "a matrix product";
    case Collective::kRegisters:
      return "a change of registers";
    case Collective::kElect:
      return "an election";
    case Collective::kCluster:
      return "a cluster barrier";
    case Collective::kAsyncMma:
      return "an asynchronous matrix product";
    case Collective::kTensorMemory:
      return "an operation on tensor memory";
  }
  return "";
}

template <typename Function>
void ForLanes(uint64_t mask, const Function& function) {
  for (; mask != 0; mask &= mask - 1) function(std::countr_zero(mask));
}

struct ShuffleOperand {
  uint64_t bits;
  int from;
  uint64_t result;
};

void CombineShuffle(void* const* operands, uint64_t mask, const Thread& last) {
  ForLanes(mask, [&](int lane) {
    auto& own = *static_cast<ShuffleOperand*>(operands[lane]);
    if ((mask >> own.from & 1) == 0) {
      Fail(last, FaultKind::kBarrier,
           fmt::format("shuffles with lane {}, which reads lane {} outside the mask {:#x}", lane,
                       own.from, mask));
    }
    own.result = static_cast<const ShuffleOperand*>(operands[own.from])->bits;
  });
}

void CombineSync(void* const* operands, uint64_t mask, const Thread& last) {
  Gather gather(&last.block->cluster->arena);
  ForLanes(mask, [&](int lane) { gather.Add(*static_cast<ThreadClock*>(operands[lane])); });
  const ClockRef sum = gather.Take();
  ForLanes(mask, [&](int lane) { static_cast<ThreadClock*>(operands[lane])->base = sum; });
}

struct MmaOperand {
  float* d;
  const uint32_t* a;
  const uint32_t* b;
};

uint16_t Low(uint32_t pair) { return static_cast<uint16_t>(pair); }
uint16_t High(uint32_t pair) { return static_cast<uint16_t>(pair >> 16); }

void CombineMma(void* const* operands, uint64_t, const Thread& last) {
  constexpr int kM = 16, kN = 8, kK = 16;
  uint16_t a[kM][kK], b[kN][kK];
  float c[kM][kN];
  const auto fragments = [&](const auto& visit) {
    for (int lane = 0; lane < 32; ++lane) {
      visit(*static_cast<const MmaOperand*>(operands[lane]), lane / 4, 2 * (lane % 4));
    }
  };
  fragments([&](const MmaOperand& own, int g, int q) {
    for (int i = 0; i < 4; ++i) {
      const int row = g + 8 * (i % 2), k = q + 8 * (i / 2);
      a[row][k] = Low(own.a[i]);
      a[row][k + 1] = High(own.a[i]);
      c[g + 8 * (i / 2)][q + i % 2] = own.d[i];
    }
    for (int i = 0; i < 2; ++i) {
      b[g][q + 8 * i] = Low(own.b[i]);
      b[g][q + 8 * i + 1] = High(own.b[i]);
    }
  });
  units::Gemm(last.team->units().matrix, {kM, kN, kK}, a[0], kK, b[0], kK, c[0], kN, c[0], kN);
  fragments([&](const MmaOperand& own, int g, int q) {
    for (int i = 0; i < 4; ++i) own.d[i] = c[g + 8 * (i / 2)][q + i % 2];
  });
}

[[noreturn, gnu::noinline, gnu::cold]] void FailOfMask(const Thread& self, uint64_t mask) {
  Fail(self, FaultKind::kBarrier, fmt::format("is not in the mask {:#x} that it names", mask));
}

[[noreturn, gnu::noinline, gnu::cold]] void FailOfMeeting(const Thread& self, int operation,
                                                          uint64_t mask, const Meeting& meeting) {
  Fail(self, FaultKind::kBarrier,
       fmt::format("comes to {} of lanes {:#x}, while others of its warp are at {} for {} of "
                   "lanes {:#x}",
                   NameOf(operation), mask, Describe(meeting.where), NameOf(meeting.operation),
                   meeting.mask));
}

/// Apart from Meet, whose frame waiting threads keep in the cache.
[[gnu::noinline]] void WakeLanes(Thread& self, uint64_t lanes) {
  std::array<Thread*, kMaxWarpSize> woken;
  size_t count = 0;
  Thread* first = &self - self.lane;
  ForLanes(lanes, [&](int lane) { woken[count++] = first + lane; });
  self.team->Wake({woken.data(), count});
}

}  // namespace

uint64_t FullMask(const Thread& self) {
  const int threads =
      self.block->grid->shape.threads - self.warp * self.block->grid->shape.warp_size;
  const int width =
      threads < self.block->grid->shape.warp_size ? threads : self.block->grid->shape.warp_size;
  return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

void Meet(Thread& self, uint64_t mask, Collective operation, void* operand, Combine combine,
          Where where) {
  self.where = where;
  Warp& warp = self.block->warps[static_cast<size_t>(self.warp)];
  const uint64_t own = uint64_t{1} << self.lane;
  if ((mask & own) == 0) {
    FailOfMask(self, mask);
  }
  Meeting& meeting = warp.meetings[static_cast<size_t>(std::countr_zero(mask))];
  const int code = static_cast<int>(operation);
  if (meeting.mask == 0) {
    meeting = {mask, 0, code, where};
  } else if (meeting.mask != mask || meeting.operation != code) {
    FailOfMeeting(self, code, mask, meeting);
  }
  warp.operands[static_cast<size_t>(self.lane)] = operand;
  meeting.arrived |= own;
  if (meeting.arrived != mask) {
    self.wait = WaitFor::kWarp;
    self.wait_object = static_cast<int64_t>(mask);
    self.team->Suspend(self);
    return;
  }
  meeting.mask = 0;
  if (combine) combine(warp.operands.data(), mask, self);
  WakeLanes(self, mask & ~own);
  self.team->Pause(self);
}

void SyncWarp(Thread& self, uint64_t mask, Where where) {
  Meet(self, mask, Collective::kSync, &self.clock, &CombineSync, where);
}

uint64_t ShuffleBits(Thread& self, uint64_t mask, uint64_t bits, int from, Where where) {
  ShuffleOperand operand{bits, from & (self.block->grid->shape.warp_size - 1), 0};
  Meet(self, mask, Collective::kShuffle, &operand, &CombineShuffle, where);
  return operand.result;
}

void MmaBf16(Thread& self, float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
             Where where) {
  MmaOperand operand{d, a, b};
  const uint64_t mask = FullMask(self);
  if (mask != 0xFFFFFFFFu) {
    self.where = where;
    Fail(self, FaultKind::kBarrier, "needs a warp of 32 lanes for a matrix product");
  }
  Meet(self, mask, Collective::kMma, &operand, &CombineMma, where);
}

}  // namespace samebits::gpu::simt
