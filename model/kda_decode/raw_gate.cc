#include "model/kda_decode/raw_gate.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "model/arith/bfloat16.h"
#include "model/kda_decode/config.h"
#include "model/order/evaluate.h"
#include "model/profiles/matrix_units.h"

namespace samebits::kda_decode {
namespace {

const units::MatrixUnit& Unit(MatrixUnitName choice) {
  static constexpr std::string_view kNames[] = {"sm_90.mma_sync", "sm_80.mma_sync",
                                                "sm_100.mma_sync", "reference.exact_rn",
                                                "reference.sequential_fma"};
  const auto* named = profiles::FindMatrixUnit(kNames[static_cast<size_t>(choice)]);
  if (named == nullptr) throw std::logic_error("kda_decode: a matrix unit has no profile");
  return named->unit;
}

void Gather(const uint16_t* row, std::span<const int> leaves, uint16_t* values) {
  for (const int leaf : leaves) *values++ = row[leaf];
}

/// f_b [128][128] without the columns that are not among the leaves, in the leaves' order.
units::PackedMatrix Pack(const uint16_t* f_b, std::span<const int> leaves) {
  const int first = *std::ranges::min_element(leaves);
  std::vector<int> order;
  std::vector<bool> seen(leaves.size());
  for (const int leaf : leaves) {
    const size_t column = leaf - first;
    if (column >= seen.size() || seen[column]) {
      throw std::logic_error("a chain of the raw gate has leaves that do not follow one another");
    }
    seen[column] = true;
    order.push_back(leaf - first);
  }
  return units::PackedMatrix(f_b + first, kHeadDim, kHeadDim, order);
}

/// One output, one instruction after the other.
class InstructionMachine {
 public:
  InstructionMachine(const Math& math, const units::MatrixUnit& unit, const uint16_t* weights,
                     const uint16_t* activations)
      : math_(math), unit_(unit), w_(weights), x_(activations) {}

  void Zero(int slot) { stack_[slot] = 0.0f; }
  void Start(int) { throw std::logic_error("the raw gate has no start value"); }
  void Leaf(int, int) { throw std::logic_error("the raw gate is a sum of matrix instructions"); }
  void Chain(int, std::span<const int>) { Leaf(0, 0); }
  void Add(int slot, int other) { stack_[slot] = math_.Add(stack_[slot], stack_[other]); }
  void Matrix(int slot, std::span<const int> leaves) {
    uint16_t w[kHeadDim], x[kHeadDim];
    Gather(w_, leaves, w);
    Gather(x_, leaves, x);
    stack_[slot] = units::Dot(unit_, w, x, static_cast<int>(leaves.size()), stack_[slot]);
  }
  float result() const { return stack_[0]; }

 private:
  const Math& math_;
  const units::MatrixUnit& unit_;
  const uint16_t* w_;
  const uint16_t* x_;
  std::array<float, order::kMaxStack> stack_{};
};

bool HasMatrix(const order::Tree& tree) { return order::Count(tree).matrix > 0; }

}  // namespace

const units::MatrixUnit& MatrixUnitOf(const Choices& choices) { return Unit(choices.matrix_unit); }

/// Turns the tree into steps; instructions that pass the accumulator on become one chain.
class RawGate::StepMaker {
 public:
  explicit StepMaker(std::vector<Step>* steps) : steps_(*steps) {}

  void Zero(int slot) { steps_.push_back({.kind = Step::Kind::kZero, .slot = slot}); }
  void Start(int) { throw std::logic_error("the raw gate has no start value"); }
  void Leaf(int, int) { throw std::logic_error("the raw gate is a sum of matrix instructions"); }
  void Chain(int, std::span<const int>) { Leaf(0, 0); }
  void Add(int slot, int other) {
    steps_.push_back({.kind = Step::Kind::kAdd, .slot = slot, .other = other});
  }
  void Matrix(int slot, std::span<const int> leaves) {
    if (steps_.back().kind != Step::Kind::kChain || steps_.back().slot != slot) {
      steps_.push_back({.kind = Step::Kind::kChain, .slot = slot});
    }
    auto& chain = steps_.back().leaves;
    chain.insert(chain.end(), leaves.begin(), leaves.end());
  }

 private:
  std::vector<Step>& steps_;
};

RawGate::RawGate(const Choices& choices, const Math& math, const order::Tree& tree, Path path,
                 const uint16_t* f_b)
    : math_(math),
      tree_(tree),
      unit_(MatrixUnitOf(choices)),
      f_b_(f_b),
      packed_(path == Path::kFast) {
  if (!HasMatrix(tree)) {
    columns_.resize(kHeadDim * kHeadDim);
    for (int f = 0; f < kHeadDim; ++f) {
      for (int k = 0; k < kHeadDim; ++k) {
        columns_[k * kHeadDim + f] = arith::Widen(f_b[f * kHeadDim + k]);
      }
    }
    return;
  }
  if (!packed_) return;
  StepMaker maker(&steps_);
  order::Execute(tree, maker);
  for (Step& step : steps_) {
    if (step.kind == Step::Kind::kChain) step.weights = Pack(f_b, step.leaves);
  }
}

void RawGate::Project(const uint16_t* f_a, int64_t stride, int tokens, float (*sums)[128]) const {
  if (!columns_.empty()) {
    ProjectLanes(f_a, stride, tokens, sums);
  } else if (packed_) {
    ProjectPacked(f_a, stride, tokens, sums);
  } else {
    ProjectPlain(f_a, stride, tokens, sums);
  }
}

void RawGate::ProjectLanes(const uint16_t* f_a, int64_t stride, int tokens,
                           float (*sums)[128]) const {
  for (int t = 0; t < tokens; ++t) {
    float x[kHeadDim];
    for (int k = 0; k < kHeadDim; ++k) x[k] = arith::Widen(f_a[t * stride + k]);
    const order::Columns products = {.a = columns_.data(), .a_stride = kHeadDim, .b = x};
    math_.SumColumns(tree_, products, Out(sums[t], kHeadDim));
  }
}

void RawGate::ProjectPlain(const uint16_t* f_a, int64_t stride, int tokens,
                           float (*sums)[128]) const {
  for (int t = 0; t < tokens; ++t) {
    for (int f = 0; f < kHeadDim; ++f) {
      InstructionMachine machine(math_, unit_, f_b_ + f * kHeadDim, f_a + t * stride);
      order::Execute(tree_, machine);
      sums[t][f] = arith::Canonical(machine.result());
    }
  }
}

void RawGate::ProjectPacked(const uint16_t* f_a, int64_t stride, int tokens,
                            float (*sums)[128]) const {
  const size_t width = static_cast<size_t>(tokens) * kHeadDim;
  std::vector<float> stack(tree_.stack * width);
  const auto slot = [&](int i) { return Out(stack.data() + i * width, width); };
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::kZero:
        std::ranges::fill(slot(step.slot), 0.0f);
        break;
      case Step::Kind::kAdd:
        math_.Add(slot(step.slot), slot(step.other), slot(step.slot));
        break;
      case Step::Kind::kChain: {
        const int k = step.weights.k();
        uint16_t x[kMaxTokens * kHeadDim];
        for (int t = 0; t < tokens; ++t) Gather(f_a + t * stride, step.leaves, &x[t * k]);
        float* sum = slot(step.slot).data();
        units::Gemm(unit_, step.weights, tokens, x, k, sum, {1, kHeadDim}, sum, {1, kHeadDim});
        break;
      }
    }
  }
  for (size_t i = 0; i < width; ++i) stack[i] = arith::Canonical(stack[i]);
  std::memcpy(sums, stack.data(), width * sizeof(float));
}

}  // namespace samebits::kda_decode
