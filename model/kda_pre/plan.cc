#include "model/kda_pre/plan.h"

#include <algorithm>
#include <utility>

#include "model/kda_pre/operands.h"
#include "model/plan_addresses.h"

namespace samebits::kda_pre {
namespace {

class Planner {
 public:
  Planner(const Config& config, bool taps)
      : c_(config), taps_(taps), gapped_(config.pages == Pages::kGapped) {}

  MemoryPlan Build() {
    AddSeamInputs();
    AddAttentionInputs();
    if (taps_) AddTaps();
    Add(Role::kOutput, "core_out", DType::kBf16, {"token_row", "channel"},
        {c_.token_rows(), kProjection});
    return std::move(plan_);
  }

 private:
  /// An operand with an allocation of its own; `gaps[i]` elements follow each index of dimension i.
  Operand& Add(Role role, std::string name, DType dtype, std::vector<std::string> dims,
               std::vector<int64_t> shape, std::vector<int64_t> gaps = {}) {
    Operand operand;
    operand.spec = {std::move(name), role, dtype, std::move(dims), std::move(shape)};
    const auto& extents = operand.spec.shape;
    operand.strides.resize(extents.size());
    const auto size = static_cast<int64_t>(SizeOf(dtype));
    int64_t stride = size;
    for (size_t i = extents.size(); i-- > 0;) {
      if (gapped_ && i < gaps.size()) stride += gaps[i] * size;
      operand.strides[i] = stride;
      stride *= extents[i];
    }
    operand.allocation = static_cast<int>(plan_.allocations.size());
    plan_.allocations.push_back({operand.spec.name, stride});
    return plan_.operands.emplace_back(std::move(operand));
  }

  Operand& AddInput(std::string name, DType dtype, std::vector<std::string> dims,
                    std::vector<int64_t> shape, std::vector<int64_t> gaps = {}) {
    return Add(Role::kInput, std::move(name), dtype, std::move(dims), std::move(shape),
               std::move(gaps));
  }

  void AddSeamInputs() {
    const int64_t rows = c_.token_rows();
    AddInput("prefix", DType::kBf16, {"token_row", "column"}, {rows, kHidden}).output =
        c_.updates_prefix();
    if (c_.delta != Delta::kNone) {
      AddInput("delta", c_.delta == Delta::kMemory ? DType::kBf16 : DType::kF32,
               {"token_row", "column"}, {rows, kHidden});
    }
    AddInput("blocks", DType::kBf16, {"token_row", "block", "column"},
             {rows, c_.block_slots(), kHidden}, {kTokenGap, kBlockGap})
        .output = c_.updates_blocks();
    for (const char* name : {"ares_nw", "ares_qk", "in_nw"}) {
      AddInput(name, DType::kBf16, {"column"}, {kHidden});
    }
    AddInput("w_in", DType::kBf16, {"row", "column"}, {kInProjRows, kHidden});
  }

  void AddConvState() {
    const bool dim_first = c_.conv_layout == ConvLayout::kDimFirst;
    std::vector<std::string> dims = {"slot", "channel", "position"};
    std::vector<int64_t> shape = {SlotCount(c_), kConvChannels, c_.state_len};
    if (!dim_first) {
      std::swap(dims[1], dims[2]);
      std::swap(shape[1], shape[2]);
    }
    AddInput("conv_state", DType::kBf16, std::move(dims), std::move(shape), {kConvGap}).output =
        true;
  }

  void AddAttentionInputs() {
    AddInput("w_fb", DType::kBf16, {"channel", "rank"}, {kProjection, kHeadDim});
    AddInput("conv_w", DType::kF32, {"channel", "tap"}, {kConvChannels, kConvWidth});
    AddConvState();
    AddInput("a_log", DType::kF32, {"head"}, {kHeads});
    AddInput("dt_bias", DType::kF32, {"channel"}, {kProjection});
    AddInput("on_w", DType::kBf16, {"value"}, {kHeadDim});
    AddInput("rstate", DType::kF32, {"slot", "head", "value", "key"},
             {SlotCount(c_), kHeads, kHeadDim, kHeadDim}, {kStateGap})
        .output = true;
    AddInput("st_idx", DType::kI32, {"request", "token"}, {c_.requests, c_.tokens}, {kTableGap});
    AddInput("num_acc", DType::kI32, {"request"}, {c_.requests});
  }

  void AddTap(std::string name, std::vector<std::string> dims, std::vector<int64_t> shape,
              DType dtype = DType::kF32) {
    Add(Role::kTap, std::move(name), dtype, std::move(dims), std::move(shape));
  }

  void AddTaps() {
    const int64_t rows = c_.token_rows(), sources = c_.sources();
    AddTap("part", {"slice", "token_row", "source", "kind"}, {kSlices, rows, sources, 2});
    AddTap("logit", {"token_row", "source"}, {rows, sources});
    AddTap("weight", {"token_row", "source"}, {rows, sources + 1});
    AddTap("mixed", {"token_row", "column"}, {rows, kHidden});
    AddTap("msq", {"slice", "token_row"}, {kSlices, rows});
    AddTap("x", {"token_row", "column"}, {rows, kHidden}, DType::kBf16);
    AddTap("proj", {"token_row", "row"}, {rows, kInProjRows});
    AddTap("qk", {"request", "head", "token", "part", "channel"},
           {c_.requests, kHeads, c_.tokens, 2, kHeadDim});
    AddTap("v", {"request", "head", "token", "channel"},
           {c_.requests, kHeads, c_.tokens, kHeadDim});
    AddTap("beta", {"token_row", "head"}, {rows, kHeads});
    AddTap("gate.raw", {"token_row", "channel"}, {rows, kProjection});
    AddTap("decay", {"token_row", "channel"}, {rows, kProjection});
    AddTap("qkn", {"token_row", "head", "part", "channel"}, {rows, kHeads, 2, kHeadDim});
    AddTap("dot", {"token_row", "head", "value"}, {rows, kHeads, kHeadDim});
    AddTap("correction", {"token_row", "head", "value"}, {rows, kHeads, kHeadDim});
    AddTap("state.after", {"token_row", "head", "value", "key"},
           {rows, kHeads, kHeadDim, kHeadDim});
    AddTap("out.raw", {"token_row", "head", "value"}, {rows, kHeads, kHeadDim});
    AddTap("onrm", {"request", "head", "token", "chunk"},
           {c_.requests, kHeads, c_.tokens, kValueChunks});
  }

  const Config& c_;
  const bool taps_;
  const bool gapped_;
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
      return 1 + (request + 1) % config.tokens;  // the first request has 2
  }
  return 1;
}

int SlotCount(const Config& config) {
  int active = 0;
  for (int r = 0; r < config.requests; ++r) active += !IsPadded(config, r);
  return 1 + active * config.tokens + kSpareSlots;
}

MemoryPlan MakePlan(const Config& config, bool taps) { return Planner(config, taps).Build(); }

Operands MakeOperands(const Config& config, std::span<void* const> addresses) {
  // Allocations of taps stand before core_out's, so that the plan must be the caller's.
  MemoryPlan plan = MakePlan(config, false);
  if (addresses.size() != plan.allocations.size()) plan = MakePlan(config, true);
  const PlanAddresses at(std::move(plan), addresses, false);
  const bool lds = config.delta == Delta::kLds;
  return {
      .prefix = at.At<uint16_t>("prefix"),
      .delta = lds ? nullptr : at.At<const uint16_t>("delta"),
      .delta_lds = lds ? at.At<const float>("delta") : nullptr,
      .blocks = at.At<uint16_t>("blocks"),
      .blocks_token = at.Stride("blocks", "token_row"),
      .blocks_block = at.Stride("blocks", "block"),
      .ares_nw = at.At<const uint16_t>("ares_nw"),
      .ares_qk = at.At<const uint16_t>("ares_qk"),
      .in_nw = at.At<const uint16_t>("in_nw"),
      .w_in = at.At<const uint16_t>("w_in"),
      .w_fb = at.At<const uint16_t>("w_fb"),
      .conv_w = at.At<const float>("conv_w"),
      .conv_state = at.At<uint16_t>("conv_state"),
      .conv_slot = at.Stride("conv_state", "slot"),
      .conv_channel = at.Stride("conv_state", "channel"),
      .conv_position = at.Stride("conv_state", "position"),
      .a_log = at.At<const float>("a_log"),
      .dt_bias = at.At<const float>("dt_bias"),
      .on_w = at.At<const uint16_t>("on_w"),
      .rstate = at.At<float>("rstate"),
      .rstate_slot = at.Stride("rstate", "slot"),
      .st_idx = at.At<const int32_t>("st_idx"),
      .st_idx_request = at.Stride("st_idx", "request"),
      .num_acc = at.At<const int32_t>("num_acc"),
      .core_out = at.At<uint16_t>("core_out"),
  };
}

Taps MakeTaps(const Config& config, bool taps, std::span<void* const> addresses) {
  if (!taps) return {};
  const PlanAddresses at(MakePlan(config, true), addresses, true);
  const auto tap = [&](std::string_view name) { return at.At<float>(name); };
  return {
      .part = tap("part"),
      .logit = tap("logit"),
      .weight = tap("weight"),
      .mixed = tap("mixed"),
      .msq = tap("msq"),
      .x = at.At<uint16_t>("x"),
      .proj = tap("proj"),
      .qk = tap("qk"),
      .v = tap("v"),
      .beta = tap("beta"),
      .gate_raw = tap("gate.raw"),
      .decay = tap("decay"),
      .qkn = tap("qkn"),
      .dot = tap("dot"),
      .correction = tap("correction"),
      .state_after = tap("state.after"),
      .out_raw = tap("out.raw"),
      .onrm = tap("onrm"),
  };
}

}  // namespace samebits::kda_pre
