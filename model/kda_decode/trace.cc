#include "model/kda_decode/trace.h"

#include <optional>
#include <stdexcept>

#include "model/arith/float32.h"
#include "model/kda_decode/plan.h"
#include "model/kda_decode/raw_gate.h"
#include "model/kda_decode/trace_math.h"
#include "model/kda_decode/trees.h"
#include "model/kernel.h"
#include "model/tracing/builder.h"

namespace samebits::kda_decode {
namespace {

using tracing::Builder;
using Leaf = Builder::Leaf;

constexpr int kHistory = kConvWidth - 1;
constexpr char kParts[] = "qkv";
const float kNormEpsilon = arith::FromBits(0x358637BDu);  // 1e-6 (3.3)

/// One element: channel, or value and key.
struct At {
  int request = 0, token = 0, head = 0;
  int channel = 0;  // or value
  int key = 0;
};

/// SPEC.md 2.4; read from the operands.
struct Slots {
  int offset = 0;
  int32_t slot = 0, conv_slot = 0;
};

/// Writes the stages down for one element each; what comes before a stage is taps.
class Tracer {
 public:
  Tracer(const Config& config, const Choices& choices, const ElementSource& source)
      : c_(config),
        choices_(choices),
        source_(source),
        b_(source, choices.arithmetic == Arithmetic::kFtz ? tracing::Subnormals::kFlushed
                                                          : tracing::Subnormals::kKept),
        math_(choices, &b_),
        trees_(MakeTrees(config, choices)) {}

  Trace Tap(const TensorSpec& spec, int64_t index);
  Trace Output(const TensorSpec& spec, int64_t index);

 private:
  int Integer(std::string_view tensor, int64_t index) const {
    return static_cast<int32_t>(source_.Bits({Role::kInput, std::string(tensor), index}));
  }
  int SlotAt(int request, int column) const {
    return Integer("slots", int64_t{request} * SlotColumns(c_) + column);
  }
  /// Nothing for a padded row.
  std::optional<Slots> Locate(int request) const;

  int64_t Channel(const At& at) const { return int64_t{at.head} * kHeadDim + at.channel; }
  int64_t Row(const At& at) const { return int64_t{at.request} * c_.tokens + at.token; }
  int64_t Scalar(const At& at) const { return Row(at) * c_.heads + at.head; }
  int64_t Vector(const At& at) const { return Scalar(at) * kHeadDim + at.channel; }
  int VectorTap(const std::string& name, const At& at) { return b_.Tap(name, Vector(at)); }
  int ScalarTap(const std::string& name, const At& at) { return b_.Tap(name, Scalar(at)); }
  static At With(At at, int channel) {
    at.channel = channel;
    return at;
  }

  int Window(const At& at, const Slots& slots, int part, int position);
  int64_t ConvStateIndex(int32_t slot, int64_t channel, int position) const;
  int ConvAcc(const At& at, const Slots& slots, int part);
  int SquareSum(std::string_view name, const order::Tree& tree, const std::string& tap,
                const At& at);
  int Normalised(const At& at, int part);
  int GateAcc(const At& at);
  int Rate(const At& at);
  int Decay(const At& at);
  int StateBefore(const At& at, const Slots& slots, int key);
  int Decayed(const At& at, const Slots& slots, int key);
  int Dot(const At& at, const Slots& slots);
  int Correction(const At& at);
  int StateAfter(const At& at, const Slots& slots);
  int OutAcc(const At& at);
  int OutInv(const At& at);
  int OutScaled(const At& at);
  int Stage(const std::string& name, const At& at, const Slots& slots);

  int State(int64_t index);
  int ConvState(const TensorSpec& spec, int64_t index);
  int OutputElement(int64_t index);
  int Record(const TensorSpec& spec, int64_t index);
  int64_t RecordRowOf(int request, const Slots& slots) const;
  int Unwritten(DType dtype) { return b_.Pattern(dtype, PoisonBits(dtype), "never written"); }

  const Config& c_;
  const Choices& choices_;
  const ElementSource& source_;
  Builder b_;
  TraceMath math_;
  const Trees trees_;
};

std::optional<Slots> Tracer::Locate(int request) const {
  Slots slots;
  if (c_.tokens > 1) slots.offset = Integer("num_accepted", request) - 1;
  slots.slot = SlotAt(request, slots.offset);
  slots.conv_slot = SlotAt(request, 0);
  if (slots.slot <= 0) return std::nullopt;
  return slots;
}

int64_t Tracer::ConvStateIndex(int32_t slot, int64_t channel, int position) const {
  const int64_t channels = 3 * c_.dim();
  return c_.conv_layout == ConvLayout::kChannelInner
             ? (int64_t{slot} * c_.window + position) * channels + channel
             : (int64_t{slot} * channels + channel) * c_.window + position;
}

/// z (3.2): history, then the inputs of the step.
int Tracer::Window(const At& at, const Slots& slots, int part, int position) {
  const int64_t channel = part * c_.dim() + Channel(at);
  if (position < kHistory) {
    const DType dtype = c_.conv_type == ConvType::kBf16 ? DType::kBf16 : DType::kF32;
    return b_.Input("conv_state", dtype,
                    ConvStateIndex(slots.conv_slot, channel, slots.offset + position));
  }
  const int64_t row = int64_t{at.request} * c_.tokens + position - kHistory;
  return b_.Input("x", DType::kBf16, row * 3 * c_.dim() + channel);
}

/// 3.2, 4.1.
int Tracer::ConvAcc(const At& at, const Slots& slots, int part) {
  const int64_t channel = Channel(at);
  const int start = c_.has_bias ? b_.Input("bias", DType::kF32, part * c_.dim() + channel)
                                : b_.Constant(0.0f, "no bias");
  return b_.Sum(
      "convolution", trees_.convolution,
      [&](int i) -> Leaf {
        return {Window(at, slots, part, at.token + i),
                b_.Input("weights", DType::kF32, (part * kConvWidth + i) * c_.dim() + channel)};
      },
      start);
}

int Tracer::SquareSum(std::string_view name, const order::Tree& tree, const std::string& tap,
                      const At& at) {
  return b_.Sum(name, tree, [&](int i) -> Leaf {
    const int x = VectorTap(tap, With(at, i));
    return {x, x};
  });
}

/// 3.3, 3.4.
int Tracer::Normalised(const At& at, int part) {
  const std::string name = std::string("norm.") + kParts[part];
  const int u = VectorTap(std::string("conv.") + kParts[part], at);
  const bool fold = part == 0 && choices_.q_scale == QueryScale::kFolded;
  const bool divides = choices_.qk_norm_reciprocal == NormReciprocal::kDivSqrt && !fold;
  const auto scale = [&] { return b_.Constant(c_.scale, "scale"); };
  int y;
  if (divides) {
    y = math_.DivFull(u, math_.RootApprox(ScalarTap(name + ".sum", at)));
  } else {
    const int f = ScalarTap(name + ".inv", at);
    y = b_.Mul(u, fold ? b_.Mul(f, scale()) : f);
  }
  return part == 0 && !fold ? b_.Mul(y, scale()) : y;
}

/// 3.6.
int Tracer::GateAcc(const At& at) {
  return b_.Sum(
      "raw_gate", trees_.raw_gate,
      [&](int k) -> Leaf {
        return {b_.Input("f_b", DType::kBf16, Channel(at) * kHeadDim + k),
                b_.Input("f_a", DType::kBf16, Row(at) * kHeadDim + k)};
      },
      -1, &MatrixUnitOf(choices_));
}

/// A = exp(a_log).
int Tracer::Rate(const At& at) {
  return b_.Label(math_.Exp(b_.Input("a_log", DType::kF32, at.head)), "A");
}

/// 3.7.
int Tracer::Decay(const At& at) {
  const int sigmoid = VectorTap("gate.sigmoid", at);
  const int factor = choices_.gate_form == GateForm::kBoundedSigmoid
                         ? b_.Constant(c_.lower_bound, "lower_bound")
                         : b_.Negate(Rate(at));
  return math_.Exp(b_.Mul(sigmoid, factor));
}

/// S before the token.
int Tracer::StateBefore(const At& at, const Slots& slots, int key) {
  const int64_t element = int64_t{at.channel} * kHeadDim + key;
  if (at.token > 0) {
    At before = at;
    --before.token;
    return b_.Tap("state.after", Scalar(before) * kHeadDim * kHeadDim + element);
  }
  return b_.Input("state", DType::kF32,
                  (int64_t{slots.slot} * c_.heads + at.head) * kHeadDim * kHeadDim + element);
}

/// 3.8 a.
int Tracer::Decayed(const At& at, const Slots& slots, int key) {
  return b_.Mul(StateBefore(at, slots, key), VectorTap("decay", With(at, key)));
}

/// 3.8 b.
int Tracer::Dot(const At& at, const Slots& slots) {
  const bool decayed = choices_.decay_position == DecayPosition::kBeforeDot;
  return b_.Sum("key_dot", trees_.key_dot, [&](int k) -> Leaf {
    return {decayed ? Decayed(at, slots, k) : StateBefore(at, slots, k),
            VectorTap("norm.k", With(at, k))};
  });
}

/// 3.8 c.
int Tracer::Correction(const At& at) {
  const int v = VectorTap("conv.v", at), dot = VectorTap("dot", at), beta = ScalarTap("beta", at);
  if (choices_.correction_form == CorrectionForm::kSubMul) return b_.Mul(b_.Sub(v, dot), beta);
  return b_.Fma(b_.Negate(dot), beta, b_.Mul(v, beta));
}

/// 3.8 d; at.channel is the value.
int Tracer::StateAfter(const At& at, const Slots& slots) {
  const int s = Decayed(at, slots, at.key);
  const int kn = VectorTap("norm.k", With(at, at.key));
  const int correction = VectorTap("correction", at);
  if (choices_.update_multiply_add == MultiplyAdd::kFused) return b_.Fma(kn, correction, s);
  return b_.Add(s, b_.Mul(kn, correction));
}

/// 3.8 e.
int Tracer::OutAcc(const At& at) {
  return b_.Sum("out_dot", trees_.out_dot, [&](int k) -> Leaf {
    return {b_.Tap("state.after", Vector(at) * kHeadDim + k), VectorTap("norm.q", With(at, k))};
  });
}

/// 3.9.
int Tracer::OutInv(const At& at) {
  const int sum = ScalarTap("out.sum", at);
  const int inverse = b_.Constant(1.0f / kHeadDim, "1/128"), eps = b_.Constant(c_.eps, "eps");
  const int mean = choices_.variance == Variance::kFused ? b_.Fma(sum, inverse, eps)
                                                         : b_.Add(b_.Mul(sum, inverse), eps);
  return math_.ReciprocalRoot(choices_.out_norm_reciprocal, mean);
}

/// 3.9.
int Tracer::OutScaled(const At& at) {
  const int o = VectorTap("out.raw", at), rstd = ScalarTap("out.inv", at);
  const int gate = VectorTap("out.gate", at);
  const int weight = b_.Input("norm_weight", DType::kF32, at.channel);
  switch (choices_.out_product_order) {
    case OutProduct::kRstdWeightGate:
      return b_.Mul(b_.Mul(b_.Mul(o, rstd), weight), gate);
    case OutProduct::kWeightFirst:
      return b_.Mul(b_.Mul(o, b_.Mul(weight, rstd)), gate);
    case OutProduct::kGateFirst:
      return b_.Mul(b_.Mul(b_.Mul(o, rstd), gate), weight);
  }
  return o;
}

int Tracer::Stage(const std::string& name, const At& at, const Slots& slots) {
  for (int part = 0; part < 3; ++part) {
    const std::string letter(1, kParts[part]);
    if (name == "conv.acc." + letter) return ConvAcc(at, slots, part);
    if (name == "conv." + letter) {
      return math_.Round(choices_.silu_rounding, math_.Silu(VectorTap("conv.acc." + letter, at)));
    }
    const std::string norm = "norm." + letter;
    if (name == norm) return Normalised(at, part);
    if (name == norm + ".sum") {
      return b_.Add(SquareSum("qk_norm", trees_.qk_norm, "conv." + letter, at),
                    b_.Constant(kNormEpsilon, "1e-6"));
    }
    if (name == norm + ".inv") {
      return math_.ReciprocalRoot(choices_.qk_norm_reciprocal, ScalarTap(norm + ".sum", at));
    }
  }
  if (name == "gate.acc") return GateAcc(at);
  if (name == "gate.raw") {
    return math_.Round(choices_.raw_gate_rounding, VectorTap("gate.acc", at));
  }
  const bool bounded = choices_.gate_form == GateForm::kBoundedSigmoid;
  if (name == "gate.arg") {
    const int sum =
        b_.Add(VectorTap("gate.raw", at), b_.Input("dt_bias", DType::kF32, Channel(at)));
    return bounded ? b_.Mul(sum, Rate(at)) : sum;
  }
  if (name == "gate.sigmoid") {
    const int arg = VectorTap("gate.arg", at);
    return bounded ? math_.Sigmoid(arg) : math_.Softplus(arg);
  }
  if (name == "decay") return Decay(at);
  if (name == "beta") return math_.Sigmoid(b_.Input("beta", DType::kBf16, Scalar(at)));
  if (name == "dot") return Dot(at, slots);
  if (name == "correction") return Correction(at);
  if (name == "state.after") return StateAfter(at, slots);
  if (name == "out.acc") return OutAcc(at);
  if (name == "out.raw") return math_.Round(choices_.out_rounding, VectorTap("out.acc", at));
  if (name == "out.sum") return SquareSum("out_norm", trees_.out_norm, "out.raw", at);
  if (name == "out.inv") return OutInv(at);
  if (name == "out.gate") {
    return math_.Sigmoid(b_.Input("gate", DType::kBf16, Row(at) * c_.dim() + Channel(at)));
  }
  if (name == "out.scaled") return OutScaled(at);
  throw std::logic_error("kda_decode: no stage computes " + name);
}

/// A tap is float32 whatever its last operation made.
Trace Tracer::Tap(const TensorSpec& spec, int64_t index) {
  At at;
  const size_t inner = spec.shape.size() - 3;  // channel, or value and key
  if (inner == 2) at.key = static_cast<int>(index % kHeadDim), index /= kHeadDim;
  if (inner >= 1) at.channel = static_cast<int>(index % kHeadDim), index /= kHeadDim;
  at.head = static_cast<int>(index % c_.heads), index /= c_.heads;
  at.token = static_cast<int>(index % c_.tokens);
  at.request = static_cast<int>(index / c_.tokens);
  const std::optional<Slots> slots = Locate(at.request);
  if (!slots) return b_.Finish(Unwritten(spec.dtype));
  const int root = Stage(spec.name, at, *slots);
  const bool narrow = b_.is_bf16(root);
  return b_.Finish(narrow ? b_.Widen(root) : root);
}

int Tracer::State(int64_t index) {
  const int64_t element = index % (kHeadDim * kHeadDim);
  const int64_t page = index / (kHeadDim * kHeadDim);
  const auto slot = static_cast<int32_t>(page / c_.heads);
  for (int request = 0; request < c_.requests; ++request) {
    if (!Locate(request)) continue;
    for (int token = c_.tokens; token-- > 0;) {
      if (slot == 0 || SlotAt(request, token) != slot) continue;
      const At at = {.request = request, .token = token, .head = static_cast<int>(page % c_.heads)};
      return b_.Copy(b_.Tap("state.after", Scalar(at) * kHeadDim * kHeadDim + element), "store");
    }
  }
  return b_.Copy(b_.Input("state", DType::kF32, index), "left as it was");
}

/// Positions 0..T+1 hold the last two history entries and the inputs (5).
int Tracer::ConvState(const TensorSpec& spec, int64_t index) {
  const bool channel_inner = c_.conv_layout == ConvLayout::kChannelInner;
  const int64_t last = index % spec.shape[2], middle = index / spec.shape[2] % spec.shape[1];
  const auto slot = static_cast<int32_t>(index / spec.shape[2] / spec.shape[1]);
  const int64_t channel = channel_inner ? last : middle;
  const auto position = static_cast<int>(channel_inner ? middle : last);
  for (int request = 0; request < c_.requests && position < c_.tokens + kHistory - 1; ++request) {
    const std::optional<Slots> slots = Locate(request);
    if (!slots || slots->conv_slot != slot) continue;
    const auto part = static_cast<int>(channel / c_.dim());
    const At at = {.request = request,
                   .token = 0,
                   .head = static_cast<int>(channel % c_.dim() / kHeadDim),
                   .channel = static_cast<int>(channel % kHeadDim)};
    const int entry = Window(at, *slots, part, position + 1);
    const bool widens = spec.dtype == DType::kF32 && b_.is_bf16(entry);
    return widens ? b_.Widen(entry) : b_.Copy(entry, "store");
  }
  return b_.Copy(b_.Input("conv_state", spec.dtype, index), "left as it was");
}

int Tracer::OutputElement(int64_t index) {
  const int64_t row = index / c_.dim(), column = index % c_.dim();
  const At at = {.request = static_cast<int>(row / c_.tokens),
                 .token = static_cast<int>(row % c_.tokens),
                 .head = static_cast<int>(column / kHeadDim),
                 .channel = static_cast<int>(column % kHeadDim)};
  if (!Locate(at.request)) return b_.Pattern(DType::kBf16, 0, "padded row");
  const bool nearest = choices_.output_rounding == OutputRounding::kRn;
  return math_.Round(nearest ? ToBf16::kBf16 : ToBf16::kBf16Rz, VectorTap("out.scaled", at));
}

int64_t Tracer::RecordRowOf(int request, const Slots& slots) const {
  switch (choices_.record_row) {
    case RecordRow::kSlot0:
      return slots.conv_slot;
    case RecordRow::kCurrent:
      return slots.slot;
    case RecordRow::kRequest:
      return request;
  }
  return slots.conv_slot;
}

/// 2.5.
int Tracer::Record(const TensorSpec& spec, int64_t index) {
  const bool corrections = spec.name == "correction_record";
  const int64_t inner = spec.shape[3];
  const auto channel = static_cast<int>(index % inner);
  const int64_t row = index / inner / c_.tokens / c_.heads;
  for (int request = 0; request < c_.requests; ++request) {
    const std::optional<Slots> slots = Locate(request);
    if (!slots || RecordRowOf(request, *slots) != row) continue;
    const At at = {.request = request,
                   .token = static_cast<int>(index / inner % c_.tokens),
                   .head = static_cast<int>(index / inner / c_.tokens % c_.heads),
                   .channel = channel % kHeadDim};
    if (corrections) return b_.Copy(VectorTap("correction", at), "store");
    return b_.RoundToBf16(VectorTap(channel < kHeadDim ? "conv.k" : "gate.raw", at));
  }
  return Unwritten(spec.dtype);
}

Trace Tracer::Output(const TensorSpec& spec, int64_t index) {
  if (spec.name == "state") return b_.Finish(State(index));
  if (spec.name == "conv_state") return b_.Finish(ConvState(spec, index));
  if (spec.name == "output") return b_.Finish(OutputElement(index));
  return b_.Finish(Record(spec, index));
}

}  // namespace

Trace TraceOf(const Config& config, const Choices& choices, const ElementRef& element,
              const ElementSource& source) {
  const TensorSpec spec = TracedSpec(MakePlan(config, true), "kda_decode", element);
  Tracer tracer(config, choices, source);
  return spec.role == Role::kTap ? tracer.Tap(spec, element.index)
                                 : tracer.Output(spec, element.index);
}

}  // namespace samebits::kda_decode
