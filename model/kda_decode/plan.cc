#include "model/kda_decode/plan.h"

#include <algorithm>
#include <utility>

#include "model/kda_decode/operands.h"
#include "model/plan_addresses.h"

namespace samebits::kda_decode {
namespace {

// Gaps, in elements. Row strides of x, gate and f_a stay multiples of 8 (16-byte granules), slot
// strides multiples of 16 bytes.
constexpr int64_t kRowGap = 24;
constexpr int64_t kBetaGap = 5;
constexpr int64_t kStateGap = 68;
constexpr int64_t kConvGap = 24;

int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
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
  Planner(const Config& config, bool taps) : c_(config), taps_(taps) {}

  MemoryPlan Build() {
    AddInputs();
    if (taps_) AddTaps();
    AddOutputs();
    return std::move(plan_);
  }

 private:
  int Allocate(std::string name, int64_t bytes) {
    plan_.allocations.push_back({std::move(name), bytes});
    return static_cast<int>(plan_.allocations.size()) - 1;
  }

  TensorSpec Spec(Role role, std::string name, DType dtype, std::vector<std::string> dims,
                  std::vector<int64_t> shape) {
    return {std::move(name), role, dtype, std::move(dims), std::move(shape)};
  }

  /// An operand with an allocation of its own; `outer` elements from one index of the first
  /// dimension to the next, 0 for a dense tensor.
  Operand& Add(TensorSpec spec, int64_t outer = 0) {
    Operand operand;
    operand.strides = DenseStrides(spec);
    if (outer > 0) operand.strides[0] = outer * static_cast<int64_t>(SizeOf(spec.dtype));
    operand.allocation = Allocate(spec.name, operand.strides[0] * spec.shape[0]);
    operand.spec = std::move(spec);
    return plan_.operands.emplace_back(std::move(operand));
  }

  void AddRows(const std::string& name, std::vector<std::string> dims, int64_t columns,
               int64_t packed_offset, int64_t gap) {
    TensorSpec spec =
        Spec(Role::kInput, name, DType::kBf16, std::move(dims), {c_.token_rows(), columns});
    if (c_.rows != Rows::kPacked) {
      Add(std::move(spec), c_.rows == Rows::kPadded ? columns + gap : 0);
      return;
    }
    const int64_t row_bytes = 2 * PackedColumns();
    if (packed_ < 0) packed_ = Allocate("projection", row_bytes * c_.token_rows());
    plan_.operands.push_back({.spec = std::move(spec),
                              .output = false,
                              .allocation = packed_,
                              .offset = 2 * packed_offset,
                              .strides = {row_bytes, 2}});
  }

  /// q | k | v | gate | f_a | beta | zero padding (SPEC.md 2.1).
  int64_t PackedColumns() const { return RoundUp(4 * c_.dim() + kHeadDim + c_.heads, 16); }

  void AddConvState() {
    const int64_t channels = 3 * c_.dim();
    const bool channel_inner = c_.conv_layout == ConvLayout::kChannelInner;
    const DType dtype = c_.conv_type == ConvType::kBf16 ? DType::kBf16 : DType::kF32;
    TensorSpec spec = channel_inner
                          ? Spec(Role::kInput, "conv_state", dtype, {"slot", "position", "channel"},
                                 {SlotCount(c_), c_.window, channels})
                          : Spec(Role::kInput, "conv_state", dtype, {"slot", "channel", "position"},
                                 {SlotCount(c_), channels, c_.window});
    const int64_t gap = c_.pages == Pages::kGapped ? kConvGap : 0;
    Add(std::move(spec), channels * c_.window + gap).output = true;
  }

  void AddState() {
    const int64_t page = int64_t{kHeadDim} * kHeadDim * c_.heads;
    const int64_t gap = c_.pages == Pages::kGapped ? kStateGap : 0;
    TensorSpec spec = Spec(Role::kInput, "state", DType::kF32, {"slot", "head", "value", "key"},
                           {SlotCount(c_), c_.heads, kHeadDim, kHeadDim});
    Add(std::move(spec), page + gap).output = !c_.record;
  }

  void AddInputs() {
    const int64_t d = c_.dim();
    AddRows("x", {"token_row", "channel"}, 3 * d, 0, kRowGap);
    Add(Spec(Role::kInput, "weights", DType::kF32, {"part", "tap", "channel"}, {3, kConvWidth, d}));
    if (c_.has_bias) Add(Spec(Role::kInput, "bias", DType::kF32, {"channel"}, {3 * d}));
    AddConvState();
    AddRows("f_a", {"token_row", "rank"}, kHeadDim, 4 * d, kRowGap);
    AddRows("beta", {"token_row", "head"}, c_.heads, 4 * d + kHeadDim, kBetaGap);
    Add(Spec(Role::kInput, "a_log", DType::kF32, {"head"}, {c_.heads}));
    Add(Spec(Role::kInput, "dt_bias", DType::kF32, {"channel"}, {d}));
    if (c_.tokens == 1) {
      Add(Spec(Role::kInput, "slots", DType::kI32, {"request"}, {c_.requests}));
    } else {
      Add(Spec(Role::kInput, "slots", DType::kI32, {"request", "column"},
               {c_.requests, SlotColumns(c_)}));
      Add(Spec(Role::kInput, "num_accepted", DType::kI32, {"request"}, {c_.requests}));
    }
    AddState();
    AddRows("gate", {"token_row", "channel"}, d, 3 * d, kRowGap);
    Add(Spec(Role::kInput, "norm_weight", DType::kF32, {"channel"}, {kHeadDim}));
    Add(Spec(Role::kInput, "f_b", DType::kBf16, {"channel", "rank"}, {d, kHeadDim}));
  }

  void AddTap(const std::string& name, std::vector<std::string> inner) {
    std::vector<std::string> dims = {"request", "token", "head"};
    std::vector<int64_t> shape = {c_.requests, c_.tokens, c_.heads};
    for (std::string& dim : inner) {
      dims.push_back(std::move(dim));
      shape.push_back(kHeadDim);
    }
    Add(Spec(Role::kTap, name, DType::kF32, std::move(dims), std::move(shape)));
  }

  void AddTaps() {
    for (const char* part : {"q", "k", "v"}) AddTap(std::string("conv.acc.") + part, {"channel"});
    for (const char* part : {"q", "k", "v"}) AddTap(std::string("conv.") + part, {"channel"});
    for (const char* part : {"q", "k"}) AddTap(std::string("norm.") + part + ".sum", {});
    for (const char* part : {"q", "k"}) AddTap(std::string("norm.") + part + ".inv", {});
    for (const char* part : {"q", "k"}) AddTap(std::string("norm.") + part, {"channel"});
    for (const char* name : {"gate.acc", "gate.raw", "gate.arg", "gate.sigmoid", "decay"}) {
      AddTap(name, {"channel"});
    }
    AddTap("beta", {});
    for (const char* name : {"dot", "correction"}) AddTap(name, {"value"});
    AddTap("state.after", {"value", "key"});
    for (const char* name : {"out.acc", "out.raw"}) AddTap(name, {"value"});
    for (const char* name : {"out.sum", "out.inv"}) AddTap(name, {});
    for (const char* name : {"out.gate", "out.scaled"}) AddTap(name, {"value"});
  }

  void AddOutputs() {
    Add(Spec(Role::kOutput, "output", DType::kBf16, {"token_row", "channel"},
             {c_.token_rows(), c_.dim()}),
        c_.rows == Rows::kPadded ? c_.dim() + kRowGap : 0);
    if (!c_.record) return;
    const int64_t rows = SlotCount(c_);
    Add(Spec(Role::kOutput, "correction_record", DType::kF32, {"slot", "head", "token", "value"},
             {rows, c_.heads, c_.tokens, kHeadDim}));
    Add(Spec(Role::kOutput, "key_gate_record", DType::kBf16, {"slot", "head", "token", "channel"},
             {rows, c_.heads, c_.tokens, 2 * kHeadDim}));
  }

  const Config& c_;
  const bool taps_;
  int packed_ = -1;
  MemoryPlan plan_;
};

}  // namespace

bool IsPadded(const Config& config, int request) {
  switch (config.padding) {
    case Padding::kNone:
      return false;
    case Padding::kFirst:
      return request == 0;
    case Padding::kLast:
      return request == config.requests - 1;
    case Padding::kAlternate:
      return request % 2 == 1;
    case Padding::kAll:
      return true;
  }
  return false;
}

int AcceptedTokens(const Config& config, int request) {
  if (config.tokens == 1 || IsPadded(config, request)) return 1;
  switch (config.accepted) {
    case Accepted::kOne:
      return 1;
    case Accepted::kFull:
      return config.tokens;
    case Accepted::kMixed:
      return 1 + request % config.tokens;
  }
  return 1;
}

int SlotColumns(const Config& config) {
  if (config.tokens == 1) return 1;
  return config.record && config.accepted == Accepted::kOne ? 1 : config.tokens;
}

int SlotCount(const Config& config) {
  int active = 0;
  for (int r = 0; r < config.requests; ++r) active += !IsPadded(config, r);
  // At least R, so that records can also be indexed by the request (contract choice record_row).
  return std::max(1 + active * SlotColumns(config) + kSpareSlots, config.requests);
}

MemoryPlan MakePlan(const Config& config, bool taps) { return Planner(config, taps).Build(); }

Operands MakeOperands(const Config& config, std::span<void* const> addresses) {
  // Allocations of taps stand behind those of the inputs, so that the plan must be the caller's.
  MemoryPlan plan = MakePlan(config, false);
  if (addresses.size() != plan.allocations.size()) plan = MakePlan(config, true);
  const PlanAddresses at(std::move(plan), addresses, false);
  return {
      .x = at.At<const uint16_t>("x"),
      .x_stride = at.Stride("x"),
      .weights = at.At<const float>("weights"),
      .bias = at.At<const float>("bias"),
      .conv_state = at.At<void>("conv_state"),
      .conv_slot_stride = at.Stride("conv_state"),
      .f_a = at.At<const uint16_t>("f_a"),
      .f_a_stride = at.Stride("f_a"),
      .beta = at.At<const uint16_t>("beta"),
      .beta_stride = at.Stride("beta"),
      .a_log = at.At<const float>("a_log"),
      .dt_bias = at.At<const float>("dt_bias"),
      .slots = at.At<const int32_t>("slots"),
      .slots_stride = at.Stride("slots"),
      .num_accepted = at.At<const int32_t>("num_accepted"),
      .state = at.At<float>("state"),
      .state_slot_stride = at.Stride("state"),
      .gate = at.At<const uint16_t>("gate"),
      .gate_stride = at.Stride("gate"),
      .norm_weight = at.At<const float>("norm_weight"),
      .f_b = at.At<const uint16_t>("f_b"),
      .lower_bound = config.lower_bound,
      .scale = config.scale,
      .eps = config.eps,
      .output = at.At<uint16_t>("output"),
      .output_stride = at.Stride("output"),
      .correction_record = at.At<float>("correction_record"),
      .key_gate_record = at.At<uint16_t>("key_gate_record"),
  };
}

Taps MakeTaps(const Config& config, bool taps, std::span<void* const> addresses) {
  if (!taps) return {};
  const PlanAddresses at(MakePlan(config, true), addresses, true);
  const auto tap = [&](std::string_view name) { return at.At<float>(name); };
  return {
      .conv_acc = {tap("conv.acc.q"), tap("conv.acc.k"), tap("conv.acc.v")},
      .conv = {tap("conv.q"), tap("conv.k"), tap("conv.v")},
      .norm_sum = {tap("norm.q.sum"), tap("norm.k.sum")},
      .norm_inv = {tap("norm.q.inv"), tap("norm.k.inv")},
      .norm = {tap("norm.q"), tap("norm.k")},
      .gate_acc = tap("gate.acc"),
      .gate_raw = tap("gate.raw"),
      .gate_arg = tap("gate.arg"),
      .gate_sigmoid = tap("gate.sigmoid"),
      .decay = tap("decay"),
      .beta = tap("beta"),
      .dot = tap("dot"),
      .correction = tap("correction"),
      .out_acc = tap("out.acc"),
      .out_raw = tap("out.raw"),
      .state_after = tap("state.after"),
      .out_sum = tap("out.sum"),
      .out_inv = tap("out.inv"),
      .out_gate = tap("out.gate"),
      .out_scaled = tap("out.scaled"),
  };
}

}  // namespace samebits::kda_decode
