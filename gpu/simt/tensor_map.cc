#include "gpu/simt/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/simt/access.h"
#include "gpu/simt/barriers.h"
#include "gpu/simt/copies.h"
#include "gpu/simt/team.h"
#include "model/contract.h"

namespace samebits::gpu::simt {
namespace {

constexpr uint64_t kMagic = 0x7465'6E73'6F72'6D61;
constexpr int64_t kChunk = 16;
constexpr int64_t kElement = 2;

struct Encoded {
  uint64_t magic;
  TensorDescription description;
};
static_assert(sizeof(Encoded) <= sizeof(TensorMap));

TensorDescription Decode(Thread& self, const TensorMap* map) {
  Encoded encoded;
  std::memcpy(&encoded, map->words, sizeof(encoded));
  if (encoded.magic != kMagic) {
    Fail(self, FaultKind::kOperand, "copies through something that is no tensor map");
  }
  return encoded.description;
}

/// The elements [begin, end) of a dimension that lie in a box from `start`.
struct Span {
  int64_t begin, end;
  bool empty() const { return begin >= end; }
};
Span Inside(int64_t start, int box, int64_t count) {
  return {std::max<int64_t>(start, 0), std::min<int64_t>(start + box, count)};
}

class TensorCopy : public AsyncWork {
 public:
  TensorCopy(const TensorDescription& description, int64_t column, int64_t row, int64_t to,
             int64_t mbarrier, std::vector<Block*> targets)
      : description_(description),
        column_(column),
        row_(row),
        to_(to),
        mbarrier_(mbarrier),
        targets_(std::move(targets)) {}

  void Complete(const Copy& copy) override {
    for (Block* target : targets_) {
      if (target->running == 0) {
        Fail(*copy.owner, FaultKind::kUnfinished,
             fmt::format("copies to the shared memory of {}, which has ended", Describe(*target)));
      }
      WriteTo(target->shared);
      CompleteBytes(*target, mbarrier_, description_.box_bytes(), copy.stamp, *copy.owner);
    }
  }
  bool Touches(const Block& block) const override {
    return std::find(targets_.begin(), targets_.end(), &block) != targets_.end();
  }

 private:
  void WriteTo(SharedMemory& shared) const {
    const TensorDescription& d = description_;
    const Span columns = Inside(column_, d.box_columns, d.columns);
    const int64_t row_bytes = kElement * d.box_columns;
    std::vector<std::byte> line(static_cast<size_t>(row_bytes));
    for (int r = 0; r < d.box_rows; ++r) {
      std::fill(line.begin(), line.end(), std::byte{0});
      const int64_t row = row_ + r;
      if (row >= 0 && row < d.rows && !columns.empty()) {
        const auto* from = static_cast<const std::byte*>(d.base) + row * d.row_bytes;
        std::memcpy(line.data() + kElement * (columns.begin - column_),
                    from + kElement * columns.begin,
                    static_cast<size_t>(kElement * (columns.end - columns.begin)));
      }
      for (int64_t c = 0; c < row_bytes; c += kChunk) {
        const int64_t linear = to_ + r * row_bytes + c;
        const int64_t place = d.swizzle == Swizzle::kNone ? linear : Swizzle128(linear);
        std::memcpy(shared.data() + place, line.data() + c, kChunk);
      }
    }
  }

  TensorDescription description_;
  int64_t column_, row_;
  int64_t to_, mbarrier_;  // offsets, the same in every block
  std::vector<Block*> targets_;
};

/// Every row of the box that the matrix has may be read.
void CheckSource(Thread& self, const TensorDescription& d, int column, int row) {
  const Span rows = Inside(row, d.box_rows, d.rows);
  const Span columns = Inside(column, d.box_columns, d.columns);
  if (rows.empty() || columns.empty()) return;
  for (int64_t r = rows.begin; r < rows.end; ++r) {
    const auto* from =
        static_cast<const std::byte*>(d.base) + r * d.row_bytes + kElement * columns.begin;
    const int64_t bytes = kElement * (columns.end - columns.begin);
    CheckGlobalRange(self, from, bytes, kElement, GlobalUse::kLoad);
    CheckGlobalFence(self, from, bytes);
  }
}

std::vector<Block*> TargetsOf(Thread& self, uint32_t ranks) {
  const auto& blocks = self.block->cluster->blocks;
  if (ranks == 0 || ranks >> blocks.size() != 0) {
    Fail(self, FaultKind::kOperand,
         fmt::format("names ranks {:#x} of a cluster of {}", ranks, blocks.size()));
  }
  std::vector<Block*> targets;
  for (size_t rank = 0; rank < blocks.size(); ++rank) {
    if (ranks >> rank & 1) targets.push_back(blocks[rank].get());
  }
  return targets;
}

}  // namespace

TensorMap EncodeTensorMap(const TensorDescription& description) {
  if (const char* problem = description.Problem()) {
    throw ConfigError(std::string("tensor map: ") + problem);
  }
  const Encoded encoded{kMagic, description};
  TensorMap map{};
  std::memcpy(map.words, &encoded, sizeof(encoded));
  return map;
}

uint32_t OwnRank(const Thread& self) { return 1u << self.block->rank; }

void CheckTensorMap(Thread& self, const TensorMap* map, Where where) {
  self.where = where;
  const bool global = self.team->memory().Find(map, sizeof(TensorMap), self.memory_hint) != nullptr;
  const auto& acquired = self.tensor_maps;
  if (global && std::find(acquired.begin(), acquired.end(), map) == acquired.end()) {
    Fail(self, FaultKind::kProxy,
         "copies through a tensor map in global memory that it has not acquired");
  }
  Decode(self, map);
}

void TensorMapAcquire(Thread& self, const TensorMap* map, Where where) {
  self.where = where;
  self.tensor_maps.push_back(map);
}

void TensorLoad(Thread& self, void* shared, const TensorMap* map, int column, int row,
                void* mbarrier, uint32_t ranks, Where where) {
  CheckTensorMap(self, map, where);
  const TensorDescription d = Decode(self, map);
  CheckSource(self, d, column, row);
  const Block& own = SharedBlock(self, shared, d.box_bytes(), 128);
  const int64_t to = own.shared.OffsetOf(shared);
  const int64_t barrier = SharedBlock(self, mbarrier, 8, 8).shared.OffsetOf(mbarrier);
  std::vector<Block*> targets = TargetsOf(self, ranks);
  const Stamp stamp = NewBulkStamp(self);
  for (Block* target : targets) {
    FindAsyncMbarrier(self, target->shared.data() + barrier);
    Report(
        self, *target,
        target->shared.WriteByCopy(self.clock, to, d.box_bytes(), {stamp, self.where.line()}, true),
        "starts a copy to", d.box_bytes());
  }
  StartWork(self, std::make_unique<TensorCopy>(d, column, row, to, barrier, std::move(targets)),
            stamp);
  self.team->Pause(self);
}

}  // namespace samebits::gpu::simt
