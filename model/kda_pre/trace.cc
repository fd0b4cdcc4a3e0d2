#include "model/kda_pre/trace.h"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "model/kda_pre/constants.h"
#include "model/kda_pre/math.h"
#include "model/kda_pre/plan.h"
#include "model/kda_pre/projection.h"
#include "model/kda_pre/trees.h"
#include "model/kernel.h"
#include "model/tracing/builder.h"

namespace samebits::kda_pre {
namespace {

using tracing::Builder;
using Leaf = Builder::Leaf;
using Coordinates = std::vector<int64_t>;

constexpr int kHistory = kConvWidth - 1;
constexpr int64_t kPage = int64_t{kHeadDim} * kHeadDim;

Coordinates CoordinatesOf(const TensorSpec& spec, int64_t index) {
  Coordinates at(spec.shape.size());
  for (size_t d = at.size(); d-- > 0; index /= spec.shape[d]) at[d] = index % spec.shape[d];
  return at;
}

/// One (request, head) pair at a token (SPEC.md 2.3).
struct At {
  int64_t request = 0, token = 0, head = 0;
};
struct Slots {
  int64_t offset = 0;
  int32_t conv_slot = 0, slot = 0;
  bool live() const { return slot > 0; }
};

class Tracer {
 public:
  Tracer(const Config& config, const Choices& choices, const ElementSource& source)
      : c_(config),
        choices_(choices),
        source_(source),
        b_(source, tracing::Subnormals::kKept),
        math_(choices, Path::kPlain),
        trees_(MakeTrees(config, choices)) {}

  Trace Of(const TensorSpec& spec, int64_t index) {
    const Coordinates at = CoordinatesOf(spec, index);
    if (spec.role == Role::kOutput) return b_.Finish(Output(spec, index, at));
    return b_.Finish(IsSeam(spec.name) ? Seam(spec.name, at) : Core(spec.name, at));
  }

 private:
  static bool IsSeam(const std::string& name);

  // Operations of the specification.
  int Constant(float value, const char* label) { return b_.Constant(value, label); }
  int Exp2(int x) { return b_.Operation("exp2", {x}, math_.Exp2(b_.value(x))); }
  int Rsq(int x) { return b_.Operation("rsq", {x}, math_.Rsq(b_.value(x))); }
  int Max(int a, int b) { return b_.Operation("max", {a, b}, math_.Max(b_.value(a), b_.value(b))); }
  int Sigmoid(int z);
  int MultiplyThenAdd(MultiplyAdd choice, int a, int b, int c);
  int Round(ToBf16 rounding, int x);
  int Float(int x) { return b_.is_bf16(x) ? b_.Widen(x) : x; }
  int Squares(std::string_view name, const order::Tree& tree, const Builder::Leaves& values);

  // The seam: t is the token row.
  int NewPrefix(int64_t t, int64_t column);
  int SourceValue(int64_t t, int64_t s, int64_t column);
  int Part(const Coordinates& at);
  int SumSlices(int64_t t, int64_t s, int64_t kind);
  int Logit(int64_t t, int64_t s);
  int Weight(int64_t t, int64_t s);
  int Mixed(int64_t t, int64_t column);
  int Normed(int64_t t, int64_t column);
  int Projection(int64_t t, int64_t row);
  int Seam(const std::string& name, const Coordinates& at);
  int WeightTap(int64_t t, int64_t s) { return b_.Tap("weight", t * (c_.sources() + 1) + s); }
  /// PROJ as bf16, which it is.
  int Projected(int64_t t, int64_t row) {
    return b_.RoundToBf16(b_.Tap("proj", t * kInProjRows + row));
  }

  // The core.
  int Integer(std::string_view tensor, int64_t index) const {
    return static_cast<int32_t>(source_.Bits({Role::kInput, std::string(tensor), index}));
  }
  Slots Locate(int64_t request) const;
  int64_t Row(const At& at) const { return at.request * c_.tokens + at.token; }
  int64_t Pair(const At& at) const { return Row(at) * kHeads + at.head; }
  int Conv(const At& at, int64_t part, int64_t d);
  int ConvTap(const At& at, int64_t part, int64_t d);
  int Window(const At& at, const Slots& slots, int64_t channel, int64_t position);
  int64_t ConvStateIndex(int64_t slot, int64_t channel, int64_t position) const;
  int GateRaw(int64_t t, int64_t channel);
  int Decay(int64_t t, int64_t channel);
  int Normalised(const At& at, int64_t part, int64_t d);
  int KeyTap(const At& at, int64_t part, int64_t d) {
    return b_.Tap("qkn", (Pair(at) * 2 + part) * kHeadDim + d);
  }
  int VectorTap(std::string_view name, const At& at, int64_t value) {
    return b_.Tap(name, Pair(at) * kHeadDim + value);
  }
  int Decayed(const At& at, int64_t value, int64_t key);
  int Dot(const At& at, int64_t value);
  int Correction(const At& at, int64_t value);
  int StateAfter(const At& at, int64_t value, int64_t key);
  int OutRaw(const At& at, int64_t value);
  int CoreOut(const At& at, int64_t value);
  int Core(const std::string& name, const Coordinates& at);

  int Output(const TensorSpec& spec, int64_t index, const Coordinates& at);
  int ConvState(const TensorSpec& spec, int64_t index, const Coordinates& at);
  int State(const TensorSpec& spec, int64_t index, const Coordinates& at);
  int Kept(const TensorSpec& spec, int64_t index) {
    return b_.Copy(b_.Input(spec.name, spec.dtype, index), "left as it was");
  }

  const Config& c_;
  const Choices& choices_;
  const ElementSource& source_;
  Builder b_;
  const Math math_;
  const Trees trees_;
};

int Tracer::Sigmoid(int z) {
  const int power = Exp2(b_.Mul(z, Constant(kNegativeLog2E, "-log2(e)")));
  return b_.Div(Constant(1.0f, "1"), b_.Add(Constant(1.0f, "1"), power));
}

int Tracer::MultiplyThenAdd(MultiplyAdd choice, int a, int b, int c) {
  return choice == MultiplyAdd::kFused ? b_.Fma(a, b, c) : b_.Add(b_.Mul(a, b), c);
}

int Tracer::Round(ToBf16 rounding, int x) {
  return rounding == ToBf16::kBf16 ? b_.RoundToBf16(x) : x;
}

int Tracer::Squares(std::string_view name, const order::Tree& tree, const Builder::Leaves& values) {
  return b_.Sum(name, tree, [&](int i) -> Leaf {
    const int x = values(i).a;
    return {x, x};
  });
}

/// 4.1, 2.4.
int Tracer::NewPrefix(int64_t t, int64_t column) {
  const int64_t at = t * kHidden + column;
  if (c_.delta == Delta::kNone) return b_.Input("prefix", DType::kBf16, at);
  const bool lds = c_.delta == Delta::kLds;
  const int delta = b_.Input("delta", lds ? DType::kF32 : DType::kBf16, at);
  if (c_.reset) return lds ? b_.RoundToBf16(delta) : delta;
  return b_.RoundToBf16(b_.Add(b_.Input("prefix", DType::kBf16, at), delta));
}

int Tracer::SourceValue(int64_t t, int64_t s, int64_t column) {
  if (s == c_.nblocks) return NewPrefix(t, column);
  return b_.Input("blocks", DType::kBf16, (t * c_.block_slots() + s) * kHidden + column);
}

/// 4.2: slice, token row, source, kind.
int Tracer::Part(const Coordinates& at) {
  const auto value = [&](int64_t i) {
    return SourceValue(at[1], at[2], at[0] * kSliceColumns + i);
  };
  if (at[3] == 0) {
    return Squares("slice", trees_.slice, [&](int i) -> Leaf { return {value(i)}; });
  }
  return b_.Sum("slice", trees_.slice, [&](int i) -> Leaf {
    const int64_t column = at[0] * kSliceColumns + i;
    return {value(i), b_.Mul(b_.Input("ares_nw", DType::kBf16, column),
                             b_.Input("ares_qk", DType::kBf16, column))};
  });
}

int Tracer::SumSlices(int64_t t, int64_t s, int64_t kind) {
  const int64_t rows = c_.token_rows(), sources = c_.sources();
  return b_.Sum("sources", trees_.sources, [&](int slice) -> Leaf {
    return {b_.Tap("part", ((slice * rows + t) * sources + s) * 2 + kind)};
  });
}

/// 4.3.
int Tracer::Logit(int64_t t, int64_t s) {
  const int variance = MultiplyThenAdd(choices_.source_variance, SumSlices(t, s, 0),
                                       Constant(kInverseHidden, "1/7168"), Constant(c_.eps, "eps"));
  const int dot = SumSlices(t, s, 1);
  return b_.Mul(b_.Mul(dot, Rsq(variance)), Constant(kLog2E, "log2(e)"));
}

int Tracer::Weight(int64_t t, int64_t s) {
  const int sources = c_.sources();
  const auto logit = [&](int64_t i) { return b_.Tap("logit", t * sources + i); };
  if (s < sources) {
    int largest = Constant(kMask, "MASK");
    for (int i = 0; i < sources; ++i) largest = Max(largest, logit(i));
    return Exp2(b_.Sub(logit(s), largest));
  }
  return b_.Sum("weights", trees_.weights, [&](int lane) -> Leaf {
    return {lane < sources ? WeightTap(t, lane) : Constant(0.0f, "no source")};
  });
}

/// 4.4.
int Tracer::Mixed(int64_t t, int64_t column) {
  const int sum = b_.Sum("mix", trees_.mix, [&](int s) -> Leaf {
    return {SourceValue(t, s, column), WeightTap(t, s)};
  });
  const int den = WeightTap(t, c_.sources());
  if (choices_.mix_division == MixDivision::kRn) return b_.Div(sum, den);
  return b_.Mul(sum, b_.Div(Constant(1.0f, "1"), den));
}

int Tracer::Normed(int64_t t, int64_t column) {
  const int total = b_.Sum("mix_slices", trees_.mix_slices, [&](int slice) -> Leaf {
    return {b_.Tap("msq", int64_t{slice} * c_.token_rows() + t)};
  });
  const int r =
      Rsq(MultiplyThenAdd(choices_.mix_variance, total, Constant(kInverseHidden, "1/7168"),
                          Constant(c_.out_eps, "out_eps")));
  const int scaled = b_.Mul(b_.Tap("mixed", t * kHidden + column), r);
  return b_.RoundToBf16(b_.Mul(scaled, b_.Input("in_nw", DType::kBf16, column)));
}

/// 4.5, 4.6.
int Tracer::Projection(int64_t t, int64_t row) {
  std::vector<int> chains;
  for (const std::vector<int>& columns : ProjectionChains(choices_)) {
    std::vector<Leaf> products;
    for (const int column : columns) {
      products.push_back({b_.Input("w_in", DType::kBf16, row * kHidden + column),
                          b_.Tap("x", t * kHidden + column, DType::kBf16)});
    }
    chains.push_back(b_.MatrixChain(UnitOf(choices_), products, Constant(0.0f, "+0")));
  }
  return b_.RoundToBf16(b_.Sum("waves", trees_.waves, [&](int w) -> Leaf { return {chains[w]}; }));
}

bool Tracer::IsSeam(const std::string& name) {
  for (const char* seam : {"part", "logit", "weight", "mixed", "msq", "x", "proj"}) {
    if (name == seam) return true;
  }
  return false;
}

int Tracer::Seam(const std::string& name, const Coordinates& at) {
  if (name == "part") return Part(at);
  if (name == "logit") return Logit(at[0], at[1]);
  if (name == "weight") return Weight(at[0], at[1]);
  if (name == "mixed") return Mixed(at[0], at[1]);
  if (name == "x") return Normed(at[0], at[1]);
  if (name == "proj") return b_.Widen(Projection(at[0], at[1]));
  return Squares("mix_norm", trees_.mix_norm, [&](int i) -> Leaf {  // msq: slice, token row
    return {b_.Tap("mixed", at[1] * kHidden + at[0] * kSliceColumns + i)};
  });
}

Slots Tracer::Locate(int64_t request) const {
  Slots slots;
  slots.offset = Integer("num_acc", request) - 1;
  slots.conv_slot = Integer("st_idx", request * c_.tokens);
  slots.slot = Integer("st_idx", request * c_.tokens + slots.offset);
  return slots;
}

int64_t Tracer::ConvStateIndex(int64_t slot, int64_t channel, int64_t position) const {
  return c_.conv_layout == ConvLayout::kDimFirst
             ? (slot * kConvChannels + channel) * c_.state_len + position
             : (slot * c_.state_len + position) * kConvChannels + channel;
}

/// History, then the inputs of the step.
int Tracer::Window(const At& at, const Slots& slots, int64_t channel, int64_t position) {
  if (position >= kHistory) {
    return Projected(at.request * c_.tokens + position - kHistory, channel);
  }
  const int64_t slot = std::max(slots.conv_slot, 0);
  return b_.Input("conv_state", DType::kBf16,
                  ConvStateIndex(slot, channel, slots.offset + position));
}

/// 4.7.
int Tracer::Conv(const At& at, int64_t part, int64_t d) {
  const int64_t channel = part * kProjection + at.head * kHeadDim + d;
  const Slots slots = Locate(at.request);
  const int acc = b_.Sum("convolution", trees_.convolution, [&](int i) -> Leaf {
    return {b_.Input("conv_w", DType::kF32, channel * kConvWidth + i),
            Window(at, slots, channel, at.token + i)};
  });
  return Round(choices_.conv_rounding, b_.Mul(acc, Sigmoid(acc)));
}

int Tracer::ConvTap(const At& at, int64_t part, int64_t d) {
  const int64_t pair = (at.request * kHeads + at.head) * c_.tokens + at.token;
  return part < 2 ? b_.Tap("qk", (pair * 2 + part) * kHeadDim + d)
                  : b_.Tap("v", pair * kHeadDim + d);
}

/// 4.8.
int Tracer::GateRaw(int64_t t, int64_t channel) {
  std::vector<Leaf> products;
  for (const int k : GateOrderOf(choices_)) {
    products.push_back(
        {b_.Input("w_fb", DType::kBf16, channel * kHeadDim + k), Projected(t, kRankRow + k)});
  }
  return Round(choices_.gate_rounding,
               b_.MatrixChain(UnitOf(choices_), products, Constant(0.0f, "+0")));
}

int Tracer::Decay(int64_t t, int64_t channel) {
  const int a_log = b_.Input("a_log", DType::kF32, channel / kHeadDim);
  const int rate = b_.Label(Exp2(b_.Mul(a_log, Constant(kLog2E, "log2(e)"))), "rate");
  const int g = b_.Add(b_.Tap("gate.raw", t * kProjection + channel),
                       b_.Input("dt_bias", DType::kF32, channel));
  const int gate = b_.Mul(Constant(c_.lower_bound, "lower_bound"), Sigmoid(b_.Mul(rate, g)));
  return Exp2(b_.Mul(gate, Constant(kLog2E, "log2(e)")));
}

/// 4.9.
int Tracer::Normalised(const At& at, int64_t part, int64_t d) {
  const bool folded = choices_.q_scale == QueryScale::kFolded;
  const int sum =
      Squares("qk_norm", trees_.qk_norm, [&](int i) -> Leaf { return {ConvTap(at, part, i)}; });
  int scale = Rsq(b_.Add(sum, Constant(kNormEps, "1e-6")));
  if (part == 0 && folded) scale = b_.Mul(scale, Constant(kQueryScale, "128^-0.5"));
  const int y = b_.Mul(ConvTap(at, part, d), scale);
  return part == 0 && !folded ? b_.Mul(y, Constant(kQueryScale, "128^-0.5")) : y;
}

/// The state before the token, times its decay (4.10).
int Tracer::Decayed(const At& at, int64_t value, int64_t key) {
  const int64_t element = value * kHeadDim + key;
  const Slots slots = Locate(at.request);
  int before;
  if (at.token > 0) {
    At earlier = at;
    --earlier.token;
    before = b_.Tap("state.after", Pair(earlier) * kPage + element);
  } else if (slots.live()) {
    before =
        b_.Input("rstate", DType::kF32, (int64_t{slots.slot} * kHeads + at.head) * kPage + element);
  } else {
    before = Constant(0.0f, "dead");
  }
  return b_.Mul(before, b_.Tap("decay", Row(at) * kProjection + at.head * kHeadDim + key));
}

int Tracer::Dot(const At& at, int64_t value) {
  return b_.Sum("key_dot", trees_.key_dot, [&](int k) -> Leaf {
    return {Decayed(at, value, k), KeyTap(at, 1, k)};
  });
}

int Tracer::Correction(const At& at, int64_t value) {
  return b_.Mul(b_.Sub(ConvTap(at, 2, value), VectorTap("dot", at, value)),
                b_.Tap("beta", Pair(at)));
}

int Tracer::StateAfter(const At& at, int64_t value, int64_t key) {
  return MultiplyThenAdd(choices_.update_multiply_add, VectorTap("correction", at, value),
                         KeyTap(at, 1, key), Decayed(at, value, key));
}

int Tracer::OutRaw(const At& at, int64_t value) {
  if (!Locate(at.request).live()) return Constant(0.0f, "dead");
  const int sum = b_.Sum("out_dot", trees_.out_dot, [&](int k) -> Leaf {
    return {b_.Tap("state.after", (Pair(at) * kHeadDim + value) * kHeadDim + k), KeyTap(at, 0, k)};
  });
  return Round(choices_.out_rounding, sum);
}

/// 4.11.
int Tracer::CoreOut(const At& at, int64_t value) {
  const int64_t pair = (at.request * kHeads + at.head) * c_.tokens + at.token;
  const int sum = b_.Sum("out_norm", trees_.out_norm, [&](int chunk) -> Leaf {
    return {b_.Tap("onrm", pair * kValueChunks + chunk)};
  });
  const int r = Rsq(MultiplyThenAdd(choices_.out_variance, sum, Constant(kInverseHeadDim, "1/128"),
                                    Constant(c_.onorm_eps, "onorm_eps")));
  const int scaled =
      b_.Mul(b_.Mul(VectorTap("out.raw", at, value), r), b_.Input("on_w", DType::kBf16, value));
  const int gate = Projected(Row(at), kGateRow + at.head * kHeadDim + value);
  return b_.RoundToBf16(b_.Mul(scaled, Sigmoid(gate)));
}

int Tracer::Core(const std::string& name, const Coordinates& x) {
  // request, head, token, ...
  if (name == "qk") return Float(Conv({x[0], x[2], x[1]}, x[3], x[4]));
  if (name == "v") return Float(Conv({x[0], x[2], x[1]}, 2, x[3]));
  if (name == "onrm") {
    const At at = {x[0], x[2], x[1]};
    return Squares("value_chunk", trees_.value_chunk, [&](int i) -> Leaf {
      return {VectorTap("out.raw", at, x[3] * kValueChunk + i)};
    });
  }
  // token row, then channel, or head and what is in it
  if (name == "beta") return Sigmoid(Projected(x[0], kBetaRow + x[1]));
  if (name == "gate.raw") return Float(GateRaw(x[0], x[1]));
  if (name == "decay") return Decay(x[0], x[1]);
  const At at = {x[0] / c_.tokens, x[0] % c_.tokens, x[1]};
  if (name == "qkn") return Normalised(at, x[2], x[3]);
  if (name == "dot") return Dot(at, x[2]);
  if (name == "correction") return Correction(at, x[2]);
  if (name == "state.after") return StateAfter(at, x[2], x[3]);
  if (name == "out.raw") return Float(OutRaw(at, x[2]));
  throw std::logic_error("kda_pre: no stage computes " + name);
}

/// new[i] = old[a + 1 + i], then the inputs of this step (2.3).
int Tracer::ConvState(const TensorSpec& spec, int64_t index, const Coordinates& at) {
  const bool dim_first = c_.conv_layout == ConvLayout::kDimFirst;
  const int64_t channel = dim_first ? at[1] : at[2], position = dim_first ? at[2] : at[1];
  const int64_t kept = c_.state_len - c_.tokens;
  for (int64_t request = 0; request < c_.requests; ++request) {
    const Slots slots = Locate(request);
    if (slots.conv_slot <= 0 || slots.conv_slot != at[0]) continue;
    if (position >= kept) {
      return b_.Copy(Projected(request * c_.tokens + position - kept, channel), "store");
    }
    const int64_t from = ConvStateIndex(at[0], channel, slots.offset + 1 + position);
    return b_.Copy(b_.Input("conv_state", spec.dtype, from), "store");
  }
  return Kept(spec, index);
}

int Tracer::State(const TensorSpec& spec, int64_t index, const Coordinates& at) {
  for (int64_t request = 0; request < c_.requests; ++request) {
    if (!Locate(request).live()) continue;
    for (int64_t token = c_.tokens; token-- > 0;) {
      const int slot = Integer("st_idx", request * c_.tokens + token);
      if (slot <= 0 || slot != at[0]) continue;
      const int64_t pair = Pair({request, token, at[1]});
      return b_.Copy(b_.Tap("state.after", (pair * kHeadDim + at[2]) * kHeadDim + at[3]), "store");
    }
  }
  return Kept(spec, index);
}

int Tracer::Output(const TensorSpec& spec, int64_t index, const Coordinates& at) {
  if (spec.name == "core_out") {
    return CoreOut({at[0] / c_.tokens, at[0] % c_.tokens, at[1] / kHeadDim}, at[1] % kHeadDim);
  }
  if (spec.name == "conv_state") return ConvState(spec, index, at);
  if (spec.name == "rstate") return State(spec, index, at);
  if (spec.name == "prefix") return b_.Copy(NewPrefix(at[0], at[1]), "store");
  if (at[1] == c_.write_idx) return b_.Copy(NewPrefix(at[0], at[2]), "store");  // blocks
  return Kept(spec, index);
}

}  // namespace

Trace TraceOf(const Config& config, const Choices& choices, const ElementRef& element,
              const ElementSource& source) {
  const TensorSpec spec = TracedSpec(MakePlan(config, true), "kda_pre", element);
  return Tracer(config, choices, source).Of(spec, element.index);
}

}  // namespace samebits::kda_pre
