#include "golden/memory_image.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "golden/strided.h"

namespace samebits::golden {
namespace {

constexpr DType kGapPoison = DType::kBf16;  // its pattern is a NaN for pairs of bf16 and for f32

std::string Described(const TensorSpec& spec) {
  return std::string(GroupName(spec.role)) + "/" + spec.name;
}

void CheckOperand(const Operand& operand) {
  const size_t rank = operand.spec.shape.size();
  if (operand.spec.dims.size() != rank || operand.strides.size() != rank) {
    throw std::invalid_argument(Described(operand.spec) +
                                ": expected as many names and strides as extents");
  }
}

/// Copies one run; elements one by one are a copy of known size.
void CopyRun(std::byte* to, const std::byte* from, int64_t bytes) {
  switch (bytes) {
    case 2:
      std::memcpy(to, from, 2);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    default:
      std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}

/// Counts bytes that differ from what was expected.
class TrespassCounter {
 public:
  explicit TrespassCounter(std::string where) { found_.where = std::move(where); }

  void Compare(const std::byte* actual, const std::byte* expected, int64_t bytes, int64_t offset) {
    if (std::memcmp(actual, expected, static_cast<size_t>(bytes)) == 0) return;
    for (int64_t i = 0; i < bytes; ++i) {
      if (actual[i] == expected[i]) continue;
      if (found_.bytes++ == 0 || offset + i < found_.offset) found_.offset = offset + i;
    }
  }

  /// `offset` is even in the poisoned block, so that the pattern is in phase.
  void ComparePoison(const std::byte* actual, int64_t bytes, int64_t offset) {
    static const std::vector<std::byte> poison = [] {
      std::vector<std::byte> pattern(8192);
      FillPoison(kGapPoison, pattern);
      return pattern;
    }();
    for (int64_t at = 0; at < bytes;) {
      const int64_t phase = (offset + at) & 1;
      const int64_t length = std::min<int64_t>(bytes - at, poison.size() - 1);
      Compare(actual + at, poison.data() + phase, length, offset + at);
      at += length;
    }
  }

  void AppendTo(std::vector<Trespass>* list) const {
    if (found_.bytes > 0) list->push_back(found_);
  }

 private:
  Trespass found_;
};

}  // namespace

MemoryImage::MemoryImage(const MemoryPlan& plan) : plan_(plan) {
  for (const Operand& operand : plan_.operands) CheckOperand(operand);
  for (size_t i = 0; i < plan_.allocations.size(); ++i) {
    Block block;
    block.bytes = plan_.allocations[i].bytes;
    block.size = (block.bytes + 1) / 2 * 2 + 2 * kGuardBytes;
    const int64_t rounded = (block.size + kAlignment - 1) / kAlignment * kAlignment;
    void* memory = std::aligned_alloc(kAlignment, static_cast<size_t>(rounded));
    if (memory == nullptr) throw std::bad_alloc();
    block.memory = {static_cast<std::byte*>(memory), std::free};
    blocks_.push_back(std::move(block));
    AddGaps(static_cast<int>(i));
  }
  Poison();
}

void MemoryImage::AddGaps(int allocation) {
  struct Piece {
    int64_t begin, end;
    const Operand* operand;
  };
  std::vector<Piece> pieces;
  for (const Operand& operand : plan_.operands) {
    if (operand.allocation != allocation) continue;
    const StridedRuns runs = MemoryOrder(operand);
    runs.ForEach([&](int64_t at) { pieces.push_back({at, at + runs.run_bytes, &operand}); });
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  Block& block = blocks_[static_cast<size_t>(allocation)];
  const std::string& name = plan_.allocations[static_cast<size_t>(allocation)].name;
  int64_t end = 0;
  for (const Piece& piece : pieces) {
    if (piece.begin < end || piece.end > block.bytes) {
      throw std::invalid_argument(Described(piece.operand->spec) +
                                  ": expected elements inside allocation " + name +
                                  (piece.begin < end ? " that overlap no others" : ""));
    }
    if (piece.begin > end) block.gaps.push_back({end, piece.begin});
    end = piece.end;
  }
  if (end < block.bytes) block.gaps.push_back({end, block.bytes});
}

std::vector<void*> MemoryImage::addresses() {
  std::vector<void*> list;
  for (size_t i = 0; i < blocks_.size(); ++i) list.push_back(start(static_cast<int>(i)));
  return list;
}

std::span<std::byte> MemoryImage::block(size_t i) {
  return {blocks_[i].memory.get(), static_cast<size_t>(blocks_[i].size)};
}

std::span<const std::byte> MemoryImage::block(size_t i) const {
  return {blocks_[i].memory.get(), static_cast<size_t>(blocks_[i].size)};
}

void MemoryImage::Poison() {
  for (size_t i = 0; i < blocks_.size(); ++i) FillPoison(kGapPoison, block(i));
  for (const Operand& operand : plan_.operands) {
    if (operand.spec.role == Role::kInput) continue;
    const StridedRuns runs = MemoryOrder(operand);
    std::byte* base = start(operand.allocation);
    runs.ForEach([&](int64_t at) {
      FillPoison(operand.spec.dtype, {base + at, static_cast<size_t>(runs.run_bytes)});
    });
  }
}

const Operand& MemoryImage::Find(Role role, std::string_view name) const {
  for (const Operand& operand : plan_.operands) {
    const bool in_place = role == Role::kOutput && operand.output;
    if (operand.spec.name == name && (operand.spec.role == role || in_place)) return operand;
  }
  throw std::invalid_argument(std::string(GroupName(role)) + "/" + std::string(name) +
                              ": not in the plan");
}

void MemoryImage::Scatter(const Tensor& tensor) {
  const Operand& operand = Find(tensor.spec.role, tensor.spec.name);
  TensorSpec expected = operand.spec;
  expected.role = tensor.spec.role;
  if (expected != tensor.spec || tensor.data.size() != tensor.spec.bytes()) {
    throw std::invalid_argument(Described(tensor.spec) +
                                ": expected the type and shape of the plan");
  }
  const StridedRuns runs = DenseOrder(operand);
  std::byte* base = start(operand.allocation);
  const std::byte* from = tensor.data.data();
  runs.ForEach([&](int64_t at) {
    CopyRun(base + at, from, runs.run_bytes);
    from += runs.run_bytes;
  });
}

Tensor MemoryImage::Gather(Role role, std::string_view name) const {
  const Operand& operand = Find(role, name);
  TensorSpec spec = operand.spec;
  spec.role = role;
  Tensor tensor(std::move(spec));
  const StridedRuns runs = DenseOrder(operand);
  const std::byte* base = start(operand.allocation);
  std::byte* to = tensor.data.data();
  runs.ForEach([&](int64_t at) {
    CopyRun(to, base + at, runs.run_bytes);
    to += runs.run_bytes;
  });
  return tensor;
}

TensorSet MemoryImage::GatherResults() const {
  TensorSet set;
  for (const Role role : {Role::kTap, Role::kOutput}) {
    for (const TensorSpec& spec : Tensors(plan_)) {
      if (spec.role == role) set.tensors.push_back(Gather(role, spec.name));
    }
  }
  return set;
}

std::vector<Trespass> MemoryImage::CheckUntouched(const TensorSet& inputs) const {
  std::vector<Trespass> list;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const std::string& name = plan_.allocations[i].name;
    const Block& block = blocks_[i];
    const std::byte* base = start(static_cast<int>(i));
    TrespassCounter before("guard zone before " + name);
    before.ComparePoison(base - kGuardBytes, kGuardBytes, -kGuardBytes);
    before.AppendTo(&list);
    TrespassCounter gaps("gaps of " + name);
    for (const Interval& gap : block.gaps) {
      gaps.ComparePoison(base + gap.begin, gap.end - gap.begin, gap.begin);
    }
    gaps.AppendTo(&list);
    TrespassCounter after("guard zone after " + name);
    after.ComparePoison(base + block.bytes, block.size - kGuardBytes - block.bytes, block.bytes);
    after.AppendTo(&list);
  }
  for (const Operand& operand : plan_.operands) {
    if (operand.spec.role != Role::kInput || operand.output) continue;
    const Tensor& tensor = inputs.At(Role::kInput, operand.spec.name);
    TrespassCounter counter("input " + operand.spec.name);
    const StridedRuns runs = DenseOrder(operand);
    const std::byte* base = start(operand.allocation);
    const std::byte* expected = tensor.data.data();
    runs.ForEach([&](int64_t at) {
      counter.Compare(base + at, expected, runs.run_bytes, at);
      expected += runs.run_bytes;
    });
    counter.AppendTo(&list);
  }
  return list;
}

}  // namespace samebits::golden
