#include "model/kda_pre/reductions.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/arith/bfloat16.h"
#include "model/kda_pre/axes.h"
#include "model/kda_pre/constants.h"
#include "model/kda_pre/contract.h"
#include "model/kda_pre/plan.h"
#include "model/kda_pre/projection.h"
#include "model/kda_pre/trees.h"
#include "model/named_reduction.h"
#include "model/order/builders.h"

namespace samebits::kda_pre {
namespace {

using order::Builder;
using order::Tree;

/// silu(32) is 32, and so are the normalised vectors that one or 128 of them give, but for factors.
constexpr float kLarge = 32.0f;
/// An argument of the decay's sigmoid that makes it 0 and the decay 1.
constexpr float kClosed = -1.0e4f;
/// Factor of the convolution's terms: a bf16 that makes products inexact.
constexpr float kConvFactor = 1.0078125f;

void Fill(Tensor* tensor, float value) {
  if (tensor->spec.dtype == DType::kBf16) {
    std::ranges::fill(tensor->view<uint16_t>(), arith::RoundToBf16(value));
  } else {
    std::ranges::fill(tensor->view<float>(), value);
  }
}

/// The inputs of a launch, zeros but for slots and for what is set.
class Inputs {
 public:
  Inputs(const Config& config, TensorSet* set) : c_(config), set_(*set) {}

  Tensor& At(std::string_view name) { return set_.At(Role::kInput, name); }
  std::span<uint16_t> Bf16(std::string_view name) { return At(name).view<uint16_t>(); }

  /// Column 0 of a token row of source s, the prefix being the last.
  std::span<uint16_t> Source(int64_t row, int s) {
    if (s == c_.nblocks) return Bf16("prefix").subspan(row * kHidden, kHidden);
    return Bf16("blocks").subspan((row * c_.block_slots() + s) * kHidden, kHidden);
  }

  /// x = `value`, a power of two, everywhere: all sources are 1, and so is their norm.
  void SetX(float value) {
    Fill(&At("prefix"), 1.0f);
    Fill(&At("blocks"), 1.0f);
    Fill(&At("in_nw"), value);
  }
  /// Element `row` of the projection of every token, where x is 1.
  void SetProjection(int row, float value) {
    Bf16("w_in")[int64_t{row} * kHidden] = arith::RoundToBf16(value);
  }
  /// The same for all channels of a part (q, k, v) of a head.
  void SetChannels(int part, int head, float value) {
    for (int d = 0; d < kHeadDim; ++d) SetProjection(Channel(part, head) + d, value);
  }
  static int Channel(int part, int head) { return part * kProjection + head * kHeadDim; }

  /// The convolution passes the newest value, x is 1, the state does not decay.
  void PassNewest() {
    SetX(1.0f);
    const auto weights = At("conv_w").view<float>();
    for (size_t i = kConvWidth - 1; i < weights.size(); i += kConvWidth) weights[i] = 1.0f;
    Fill(&At("dt_bias"), kClosed);
  }
  /// The state that a request starts from, [value][key].
  std::span<float> State(int request, int64_t head) {
    const int column = AcceptedTokens(c_, request) - 1;
    const int64_t slot = At("st_idx").view<int32_t>()[request * c_.tokens + column];
    const int64_t page = int64_t{kHeadDim} * kHeadDim;
    return At("rstate").view<float>().subspan((slot * kHeads + head) * page, page);
  }

 private:
  const Config& c_;
  TensorSet& set_;
};

class Sum : public NamedReduction {
 public:
  Sum(std::string name, std::string doc, TermKind terms, int leaves)
      : NamedReduction(std::move(name), std::move(doc)), terms_(terms), leaves_(leaves) {}
  TermKind terms() const override { return terms_; }
  int leaves(const Settings&) const override { return leaves_; }

 protected:
  static Config Read(const Settings& settings) {
    const Config config = ReadConfig(settings);
    if (config.padding != Padding::kNone) {
      throw ConfigError("padding: expected none, padded requests compute no sum");
    }
    if (config.delta != Delta::kNone || config.steps != 1) {
      throw ConfigError("delta: expected none, and steps 1: then a source is what the input holds");
    }
    return config;
  }
  static Trees TreesOf(const Settings& config, const Contract& contract) {
    return MakeTrees(ReadConfig(config), ReadChoices(contract));
  }
  /// Where a tap shows the sum and nothing else does.
  std::vector<Showing> ShowsAt(int64_t index, bool exact) const {
    return {{Role::kTap, std::string(name()), index, exact}};
  }
  const TermKind terms_;
  const int leaves_;
};

/// Source times query over the columns of a slice: one sum per slice, token row and source.
class SliceSum : public Sum {
 public:
  SliceSum()
      : Sum("part", "source and query over the 128 columns of a slice (T2, T3)",
            TermKind::kExactProducts, kSliceColumns) {}
  int64_t capacity(const Settings& settings) const override {
    const Config config = Read(settings);
    return int64_t{kSlices} * config.token_rows() * config.sources();
  }
  void Prepare(const Settings& settings, std::span<const float> values, float factor,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    Fill(&inputs.At("ares_nw"), 1.0f);
    Fill(&inputs.At("ares_qk"), factor);
    for (size_t s = 0; s < values.size() / kSliceColumns; ++s) {
      const int64_t place = s % (config.token_rows() * config.sources());
      const auto source = inputs.Source(place / config.sources(), place % config.sources());
      const int64_t slice = s / (config.token_rows() * config.sources());
      for (int c = 0; c < kSliceColumns; ++c) {
        source[slice * kSliceColumns + c] = arith::RoundToBf16(values[s * kSliceColumns + c]);
      }
    }
  }
  std::vector<Showing> Shows(const Settings&, int64_t sum) const override {
    return ShowsAt(2 * sum + 1, true);  // [slice][token_row][source][kind]
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {TreesOf(config, contract).slice};
  }
};

/// The same over the slices: one sum per token row and source. Term i is the first column of slice
/// i, the others are zeros.
class SourceSum : public Sum {
 public:
  SourceSum()
      : Sum("logit", "partials of the 56 slices (T4, T5)", TermKind::kExactProducts, kSlices) {}
  int64_t capacity(const Settings& settings) const override {
    return int64_t{Read(settings).token_rows()} * Read(settings).sources();
  }
  void Prepare(const Settings& settings, std::span<const float> values, float factor,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    Fill(&inputs.At("ares_nw"), 1.0f);
    Fill(&inputs.At("ares_qk"), factor);
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t sum = i / kSlices, slice = i % kSlices;
      const auto source = inputs.Source(sum / config.sources(), sum % config.sources());
      source[slice * kSliceColumns] = arith::RoundToBf16(values[i]);
    }
  }
  std::vector<Showing> Shows(const Settings&, int64_t sum) const override {
    return ShowsAt(sum, false);  // times the norm
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {TreesOf(config, contract).sources};
  }
};

/// Sources times weights: one sum per token row and column. With a query of zeros all weights
/// are 1.
class MixSum : public Sum {
 public:
  MixSum() : Sum("mixed", "sources times weights (T8)", TermKind::kExactProducts, 0) {}
  int leaves(const Settings& config) const override { return Read(config).sources(); }
  int64_t capacity(const Settings& config) const override {
    return int64_t{Read(config).token_rows()} * kHidden;
  }
  void Prepare(const Settings& settings, std::span<const float> values, float factor,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t sum = i / config.sources();
      const int source = static_cast<int>(i % config.sources());
      inputs.Source(sum / kHidden, source)[sum % kHidden] = arith::RoundToBf16(values[i] * factor);
    }
  }
  std::vector<Showing> Shows(const Settings&, int64_t sum) const override {
    return ShowsAt(sum, false);  // over the sum of the weights
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {TreesOf(config, contract).mix};
  }
};

/// Squares of the mix over the columns of a slice: one sum per slice and token row. The prefix
/// alone is not zero; the weights sum to the number of sources, a power of two.
class MixNormSum : public Sum {
 public:
  MixNormSum()
      : Sum("msq", "squares of the mix over the 128 columns of a slice (T9)", TermKind::kSquares,
            kSliceColumns) {}
  int64_t capacity(const Settings& config) const override {
    return int64_t{kSlices} * Read(config).token_rows();
  }
  void Prepare(const Settings& settings, std::span<const float> values, float,
               TensorSet* set) const override {
    const Config config = Read(settings);
    if (!std::has_single_bit(static_cast<unsigned>(config.sources()))) {
      throw ConfigError(
          "nblocks: expected one less than a power of two, the mix is exact only then");
    }
    const auto scale = static_cast<float>(config.sources());
    Inputs inputs(config, set);
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t sum = i / kSliceColumns, slice = sum / config.token_rows();
      const auto prefix = inputs.Source(sum % config.token_rows(), config.nblocks);
      prefix[slice * kSliceColumns + i % kSliceColumns] = arith::RoundToBf16(values[i] * scale);
    }
  }
  std::vector<Showing> Shows(const Settings&, int64_t sum) const override {
    return ShowsAt(sum, true);
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {TreesOf(config, contract).mix_norm};
  }
};

/// w_in and x over the hidden size: one sum per row; tokens are alike.
class ProjectionSum : public Sum {
 public:
  ProjectionSum()
      : Sum("proj", "w_in and x over 7168 columns (T10, T11)", TermKind::kExactProducts, kHidden) {}
  int64_t capacity(const Settings&) const override { return kUsedRows; }
  void Prepare(const Settings& settings, std::span<const float> values, float factor,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    inputs.SetX(factor);
    const auto weights = inputs.Bf16("w_in");
    for (size_t i = 0; i < values.size(); ++i) weights[i] = arith::RoundToBf16(values[i]);
  }
  std::vector<Showing> Shows(const Settings&, int64_t sum) const override {
    return ShowsAt(sum, false);  // token row 0, rounded to bf16
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    const Choices choices = ReadChoices(contract);
    const units::MatrixUnit& unit = UnitOf(choices);
    const std::vector<std::vector<int>> chains = ProjectionChains(choices);
    const auto chain = [&](int wave, Builder* builder) {
      return order::MatrixChain(chains[wave], unit.instruction_k, builder);
    };
    return {order::Expanded(TreesOf(config, contract).waves, std::string(name()), kHidden, chain),
            &unit};
  }
};

/// Four taps: one sum per channel of q and k, or of v.
class ConvolutionSum : public Sum {
 public:
  explicit ConvolutionSum(bool values)
      : Sum(values ? "v" : "qk", "taps of the convolution (T12)", TermKind::kScaled, kConvWidth),
        first_(values ? 2 * kProjection : 0),
        parts_(values ? 1 : 2) {}
  int64_t capacity(const Settings&) const override { return int64_t{parts_} * kProjection; }
  void Prepare(const Settings& settings, std::span<const float> values, float,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    inputs.SetX(1.0f);
    Fill(&inputs.At("conv_state"), kConvFactor);
    for (int channel = 0; channel < kConvChannels; ++channel) {
      inputs.SetProjection(channel, kConvFactor);
    }
    std::ranges::copy(values,
                      inputs.At("conv_w").view<float>().begin() + int64_t{first_} * kConvWidth);
  }
  std::vector<Showing> Shows(const Settings& settings, int64_t sum) const override {
    // [request][head][token][part][channel] of request 0 and token 0, behind silu
    const int64_t part = sum / kProjection, head = sum % kProjection / kHeadDim;
    const int64_t row = head * Read(settings).tokens * parts_ + part;
    return ShowsAt(row * kHeadDim + sum % kHeadDim, false);
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {TreesOf(config, contract).convolution};
  }

 private:
  int first_, parts_;
};

/// f_b and the ranks over 128: one sum per channel.
class RawGateSum : public Sum {
 public:
  RawGateSum()
      : Sum("gate.raw", "f_b and f_a over 128 ranks (T13)", TermKind::kExactProducts, kHeadDim) {}
  int64_t capacity(const Settings&) const override { return kProjection; }
  void Prepare(const Settings& settings, std::span<const float> values, float factor,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    inputs.SetX(1.0f);
    for (int rank = 0; rank < kHeadDim; ++rank) inputs.SetProjection(kRankRow + rank, factor);
    const auto weights = inputs.Bf16("w_fb");
    for (size_t i = 0; i < values.size(); ++i) weights[i] = arith::RoundToBf16(values[i]);
  }
  std::vector<Showing> Shows(const Settings&, int64_t sum) const override {
    return ShowsAt(sum, false);  // token row 0, rounded to bf16
  }
  ReductionOrder Order(const Settings&, const Contract& contract) const override {
    const Choices choices = ReadChoices(contract);
    const units::MatrixUnit& unit = UnitOf(choices);
    Builder builder;
    const int root = order::MatrixChain(GateOrderOf(choices), unit.instruction_k, &builder);
    return {builder.Finish(std::string(name()), kHeadDim, root), &unit};
  }
};

/// State and k, or state and q, over keys: one sum per value row, head and request. All keys are
/// equal, so that their norm leaves one common factor.
class KeySum : public Sum {
 public:
  explicit KeySum(bool query)
      : Sum(query ? "out.raw" : "dot",
            query ? "state and q over 128 keys (T15)" : "state and k over 128 keys (T15)",
            TermKind::kScaled, kHeadDim),
        query_(query) {}
  int64_t capacity(const Settings& config) const override {
    return int64_t{Read(config).requests} * kHeads * kHeadDim;
  }
  void Prepare(const Settings& settings, std::span<const float> values, float,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    inputs.PassNewest();
    for (int head = 0; head < kHeads; ++head) {
      inputs.SetChannels(query_ ? 0 : 1, head, kLarge);
      // A negative correction: times a key of 0 it is -0, which leaves every state as it is.
      inputs.SetChannels(2, head, -1.0f);
    }
    const size_t page = size_t{kHeadDim} * kHeadDim;
    for (size_t first = 0; first < values.size(); first += page) {
      const auto item = static_cast<int>(first / page);
      std::ranges::copy(values.subspan(first, std::min(page, values.size() - first)),
                        inputs.State(item / kHeads, item % kHeads).begin());
    }
  }
  std::vector<Showing> Shows(const Settings& settings, int64_t sum) const override {
    // [token_row][head][value] of token 0: later ones have other states
    const int64_t request = sum / (kHeads * kHeadDim), rest = sum % (kHeads * kHeadDim);
    return ShowsAt(request * Read(settings).tokens * kHeads * kHeadDim + rest, !query_);
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    Trees trees = TreesOf(config, contract);
    return {query_ ? std::move(trees.out_dot) : std::move(trees.key_dot)};
  }

 private:
  bool query_;
};

/// Squares of the output: one sum per chunk of 16 values, head and request. q picks key 0 of the
/// state, so that o[v] = S[v][0] * scale.
class OutputNormSum : public Sum {
 public:
  OutputNormSum() : Sum("onrm", "squares of 16 outputs (T16)", TermKind::kSquares, kValueChunk) {}
  int64_t capacity(const Settings& config) const override {
    return int64_t{Read(config).requests} * kHeads * kValueChunks;
  }
  void Prepare(const Settings& settings, std::span<const float> values, float,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    inputs.PassNewest();
    for (int head = 0; head < kHeads; ++head) {
      inputs.SetProjection(Inputs::Channel(0, head), kLarge);
      inputs.SetChannels(2, head, -1.0f);
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const auto item = static_cast<int>(i / kHeadDim);
      inputs.State(item / kHeads, item % kHeads)[i % kHeadDim * kHeadDim] = values[i] / kQueryScale;
    }
  }
  std::vector<Showing> Shows(const Settings& settings, int64_t sum) const override {
    // [request][head][token][chunk] of token 0
    const int64_t item = sum / kValueChunks, chunk = sum % kValueChunks;
    return ShowsAt(item * Read(settings).tokens * kValueChunks + chunk, true);
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {TreesOf(config, contract).value_chunk};
  }
};

}  // namespace

std::span<const Reduction* const> Reductions() {
  static const SliceSum part;
  static const SourceSum logit;
  static const MixSum mixed;
  static const MixNormSum msq;
  static const ProjectionSum proj;
  static const ConvolutionSum qk(false), v(true);
  static const RawGateSum gate_raw;
  static const KeySum dot(false), out_raw(true);
  static const OutputNormSum onrm;
  static const Reduction* const reductions[] = {&part, &logit,    &mixed, &msq,     &proj, &qk,
                                                &v,    &gate_raw, &dot,   &out_raw, &onrm};
  return reductions;
}

}  // namespace samebits::kda_pre
