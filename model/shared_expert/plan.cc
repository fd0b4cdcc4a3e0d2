#include "model/shared_expert/plan.h"

#include <algorithm>
#include <utility>

#include "model/plan_addresses.h"
#include "model/shared_expert/derived.h"
#include "model/shared_expert/operands.h"

namespace samebits::shared_expert {
namespace {

struct Dim {
  const char* name;
  int64_t extent;
};
using Dims = std::vector<Dim>;

TensorSpec Spec(Role role, std::string name, DType dtype, const Dims& dims) {
  TensorSpec spec = {std::move(name), role, dtype, {}, {}};
  for (const Dim& dim : dims) {
    spec.dims.emplace_back(dim.name);
    spec.shape.push_back(dim.extent);
  }
  return spec;
}

std::vector<int64_t> DenseStrides(const TensorSpec& spec) {
  std::vector<int64_t> strides(spec.shape.size());
  int64_t stride = static_cast<int64_t>(SizeOf(spec.dtype));
  for (size_t i = spec.shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= spec.shape[i];
  }
  return strides;
}

class Planner {
 public:
  explicit Planner(const Config& config) : c_(config), d_(Derive(config)) {}

  MemoryPlan Build(bool taps) {
    AddInputs();
    if (taps) AddTaps();
    AddOutputs();
    return std::move(plan_);
  }

 private:
  int Allocate(std::string name, int64_t bytes) {
    plan_.allocations.push_back({std::move(name), bytes});
    return static_cast<int>(plan_.allocations.size()) - 1;
  }

  /// A dense operand with an allocation of its own.
  Operand& Add(Role role, const std::string& name, DType dtype, const Dims& dims) {
    Operand operand;
    operand.spec = Spec(role, name, dtype, dims);
    operand.strides = DenseStrides(operand.spec);
    operand.allocation = Allocate(name, static_cast<int64_t>(operand.spec.bytes()));
    return plan_.operands.emplace_back(std::move(operand));
  }

  void AddInputs() {
    const Dim rank = {"rank", c_.ranks()};
    const Dim k = {"k", c_.geometry.width};
    Add(Role::kInput, "x", DType::kBf16, {{"step", c_.steps}, {"token", c_.batch}, k});
    Add(Role::kInput, "gate_up", DType::kBf16, {rank, {"row", 2 * d_.hidden}, k});
    Add(Role::kInput, "down", DType::kBf16,
        {rank, {"column", c_.geometry.width}, {"k", d_.hidden}});
    if (c_.has_front()) {
      Add(Role::kInput, "front", DType::kBf16, {rank, {"row", c_.front.rows}, k});
    }
    if (c_.variant == Variant::kFused) {
      Add(Role::kInput, "counters", DType::kI32, {rank, {"counter", kCounters}}).output = true;
    }
    AddMailbox();
    if (c_.has_front()) AddFrontMailbox();
  }

  void AddMailbox() {
    Operand operand;
    operand.spec = Spec(Role::kInput, "mailbox", DType::kBf16,
                        {{"peer", c_.tp},
                         {"parity", 2},
                         {"source", c_.tp},
                         {"token", c_.capacity},
                         {"column", d_.shard}});
    operand.output = true;
    operand.strides = DenseStrides(operand.spec);
    operand.strides[0] += kPeerGap;
    operand.allocation = Allocate("mailbox", operand.strides[0] * c_.tp);
    plan_.operands.push_back(std::move(operand));
  }

  /// Two operands in the rows of one allocation; what the pitch leaves of a row is nobody's.
  void AddFrontMailbox() {
    const int64_t row = 2 * int64_t{c_.front.pitch};
    const int64_t peer = row * c_.batch + kPeerGap;
    const int allocation = Allocate("front_mailbox", peer * c_.tp);
    const Dim peers = {"peer", c_.tp}, tokens = {"token", c_.batch};
    plan_.operands.push_back({.spec = Spec(Role::kInput, "front_latent", DType::kBf16,
                                           {peers, tokens, {"column", c_.geometry.latent}}),
                              .output = true,
                              .allocation = allocation,
                              .offset = 0,
                              .strides = {peer, row, 2}});
    plan_.operands.push_back({.spec = Spec(Role::kInput, "front_logits", DType::kF32,
                                           {peers, tokens, {"expert", c_.geometry.experts}}),
                              .output = true,
                              .allocation = allocation,
                              .offset = 2 * int64_t{c_.geometry.latent},
                              .strides = {peer, row, 4}});
  }

  void AddTap(const char* name, DType dtype, Dims inner) {
    Dims dims = {{"step", c_.steps}, {"rank", c_.ranks()}};
    dims.insert(dims.end(), inner.begin(), inner.end());
    Add(Role::kTap, name, dtype, dims);
  }

  void AddTaps() {
    const Dim tile = {"tile", d_.tiles}, row = {"tile_row", kTileRows}, token = {"token", c_.batch};
    const Dim column = {"column", d_.hidden}, output = {"column", c_.geometry.width};
    AddTap("part", DType::kF32, {tile, {"split", d_.ks}, row, token});
    AddTap("sum", DType::kF32, {tile, row, token});
    for (const char* name : {"gate", "up"}) AddTap(name, DType::kBf16, {token, column});
    for (const char* name : {"situ.gate", "situ.up", "situ"}) {
      AddTap(name, DType::kF32, {token, column});
    }
    AddTap("h", DType::kBf16, {token, column});
    AddTap("down.acc", DType::kF32, {token, output});
    AddTap("push", DType::kBf16, {token, output});
    if (!c_.has_front()) return;
    if (c_.front.valid > 0) {
      AddTap("front.logits", DType::kF32, {token, {"logit", c_.front.valid}});
    }
    AddTap("front.latent", DType::kBf16, {token, {"column", d_.latent_shard}});
  }

  void AddOutputs() {
    Add(Role::kOutput, "h", DType::kBf16,
        {{"rank", c_.ranks()}, {"token", c_.batch}, {"column", d_.hidden}});
    if (!c_.consumer) return;
    Add(Role::kOutput, "reduced", DType::kBf16,
        {{"step", c_.steps}, {"token", c_.batch}, {"column", c_.geometry.width}});
  }

  const Config& c_;
  const Derived d_;
  MemoryPlan plan_;
};

}  // namespace

MemoryPlan MakePlan(const Config& config, bool taps) { return Planner(config).Build(taps); }

Operands MakeOperands(const Config& config, std::span<void* const> addresses) {
  // Allocations of taps stand between those of inputs and outputs: the plan must be the caller's.
  MemoryPlan plan = MakePlan(config, false);
  if (addresses.size() != plan.allocations.size()) plan = MakePlan(config, true);
  const PlanAddresses at(std::move(plan), addresses, false);
  return {
      .x = at.At<const uint16_t>("x"),
      .gate_up = at.At<const uint16_t>("gate_up"),
      .down = at.At<const uint16_t>("down"),
      .front = at.At<const uint16_t>("front"),
      .counters = at.At<int32_t>("counters"),
      .mailbox = at.At<uint16_t>("mailbox"),
      .mailbox_stride = at.Stride("mailbox"),
      .front_mailbox = at.At<uint16_t>("front_latent"),
      .front_mailbox_stride = at.Stride("front_latent"),
      .h = at.At<uint16_t>("h"),
      .reduced = at.At<uint16_t>("reduced"),
  };
}

Taps MakeTaps(const Config& config, bool taps, std::span<void* const> addresses) {
  if (!taps) return {};
  const PlanAddresses at(MakePlan(config, true), addresses, true);
  return {
      .part = at.At<float>("part"),
      .sum = at.At<float>("sum"),
      .gate = at.At<uint16_t>("gate"),
      .up = at.At<uint16_t>("up"),
      .situ_gate = at.At<float>("situ.gate"),
      .situ_up = at.At<float>("situ.up"),
      .situ = at.At<float>("situ"),
      .h = at.At<uint16_t>("h"),
      .down_acc = at.At<float>("down.acc"),
      .push = at.At<uint16_t>("push"),
      .front_logits = at.At<float>("front.logits"),
      .front_latent = at.At<uint16_t>("front.latent"),
  };
}

}  // namespace samebits::shared_expert
