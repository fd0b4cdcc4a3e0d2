#include "model/kda_decode/reductions.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "model/arith/bfloat16.h"
#include "model/arith/float32.h"
#include "model/kda_decode/axes.h"
#include "model/kda_decode/contract.h"
#include "model/kda_decode/plan.h"
#include "model/kda_decode/raw_gate.h"
#include "model/kda_decode/trees.h"
#include "model/named_reduction.h"

namespace samebits::kda_decode {
namespace {

/// silu(32) is 32, and so are the normalised vectors that one or 128 of them give, but for factors.
constexpr float kLarge = 32.0f;
/// A logit whose sigmoid is 1, an argument of the decay's sigmoid that makes it 0 and the decay 1.
constexpr float kOpen = 120.0f, kClosed = -1.0e4f;
/// Factor of the convolution's terms: a bf16 that makes products inexact.
constexpr float kConvFactor = 1.0078125f;

void FillBf16(Tensor* tensor, float value) {
  std::ranges::fill(tensor->view<uint16_t>(), arith::RoundToBf16(value));
}

/// The inputs of a launch, by what the probes want of them.
class Inputs {
 public:
  Inputs(const Config& config, TensorSet* set) : c_(config), set_(*set) {}

  Tensor& At(std::string_view name) { return set_.At(Role::kInput, name); }

  /// u = silu(x) for the newest token alone: weights 0, 0, 0, 1.
  void PassNewest() {
    const auto weights = At("weights").view<float>();
    const int64_t d = c_.dim();
    for (int64_t part = 0; part < 3; ++part) {
      std::ranges::fill(weights.subspan((part * kConvWidth + kConvWidth - 1) * d, d), 1.0f);
    }
  }
  /// x of a part, token row and head.
  std::span<uint16_t> X(int part, int64_t row, int64_t head) {
    const int64_t d = c_.dim();
    return At("x").view<uint16_t>().subspan(row * 3 * d + part * d + head * kHeadDim, kHeadDim);
  }
  /// No decay, beta 1, output gate 1.
  void OpenGates() {
    std::ranges::fill(At("dt_bias").view<float>(), kClosed);
    FillBf16(&At("beta"), kOpen);
    FillBf16(&At("gate"), kOpen);
    std::ranges::fill(At("norm_weight").view<float>(), 1.0f);
  }
  /// The state that a request starts from, [value][key].
  std::span<float> State(int request, int64_t head) {
    const auto slots = At("slots").view<int32_t>();
    const int column = c_.tokens == 1 ? 0 : AcceptedTokens(c_, request) - 1;
    const int64_t slot = slots[static_cast<size_t>(request) * SlotColumns(c_) + column];
    const int64_t page = int64_t{kHeadDim} * kHeadDim;
    return At("state").view<float>().subspan((slot * c_.heads + head) * page, page);
  }

 private:
  const Config& c_;
  TensorSet& set_;
};

class Sum : public NamedReduction {
 public:
  using NamedReduction::NamedReduction;
  int leaves(const Settings&) const override { return kHeadDim; }

 protected:
  static Config Read(const Settings& settings) {
    const Config config = ReadConfig(settings);
    if (config.padding != Padding::kNone) {
      throw ConfigError("padding: expected none, padded rows compute no sum");
    }
    return config;
  }
  static Trees TreesOf(const Settings& config, const Contract& contract) {
    return MakeTrees(ReadConfig(config), ReadChoices(contract));
  }
};

/// Four taps and the bias: one sum per channel and head (4.1).
class ConvolutionSum : public Sum {
 public:
  explicit ConvolutionSum(int part)
      : Sum(std::string("conv.acc.") + "qkv"[part], "taps of the convolution and the bias (4.1)"),
        part_(part) {}
  TermKind terms() const override { return TermKind::kScaled; }
  int leaves(const Settings& config) const override { return kConvWidth + has_start(config); }
  bool has_start(const Settings& config) const override { return Read(config).has_bias; }
  int64_t capacity(const Settings& config) const override { return Read(config).dim(); }

  void Prepare(const Settings& settings, std::span<const float> values, float,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    FillBf16(&inputs.At("x"), kConvFactor);
    if (config.conv_type == ConvType::kBf16) {
      FillBf16(&inputs.At("conv_state"), kConvFactor);
    } else {
      std::ranges::fill(inputs.At("conv_state").view<float>(), kConvFactor);
    }
    const int64_t d = config.dim();
    const size_t terms = leaves(settings);
    const auto weights = inputs.At("weights").view<float>();
    for (size_t s = 0; s < values.size() / terms; ++s) {
      for (int i = 0; i < kConvWidth; ++i) {
        weights[(part_ * kConvWidth + i) * d + s] = values[s * terms + i];
      }
      if (!config.has_bias) continue;
      inputs.At("bias").view<float>()[part_ * d + s] =
          arith::Mul(values[s * terms + kConvWidth], kConvFactor);
    }
  }
  std::vector<Showing> Shows(const Settings&, int64_t sum) const override {
    return {{Role::kTap, std::string(name()), sum, true}};  // request 0, token 0
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {TreesOf(config, contract).convolution};
  }

 private:
  int part_;
};

/// Squares of q or k: one sum per token row and head (4.2).
class InputNormSum : public Sum {
 public:
  explicit InputNormSum(int part)
      : Sum(std::string("norm.") + "qk"[part] + ".sum", "squares over 128 channels (4.2)"),
        part_(part) {}
  TermKind terms() const override { return TermKind::kSquares; }
  bool offset() const override { return true; }  // 1e-6
  int64_t capacity(const Settings& config) const override {
    return Read(config).token_rows() * Read(config).heads;
  }
  void Prepare(const Settings& settings, std::span<const float> values, float,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    inputs.PassNewest();
    for (size_t s = 0; s < values.size() / kHeadDim; ++s) {
      const auto x = inputs.X(part_, s / config.heads, s % config.heads);
      for (int c = 0; c < kHeadDim; ++c) x[c] = arith::RoundToBf16(values[s * kHeadDim + c]);
    }
  }
  std::vector<Showing> Shows(const Settings&, int64_t sum) const override {
    return {{Role::kTap, std::string(name()), sum, true}};  // [request][token][head]
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {TreesOf(config, contract).qk_norm};
  }

 private:
  int part_;
};

/// F_B times F_A: one sum per feature and head (4.4).
class RawGateSum : public Sum {
 public:
  RawGateSum() : Sum("gate.acc", "products of f_b and f_a over 128 ranks (4.4)") {}
  TermKind terms() const override { return TermKind::kExactProducts; }
  int64_t capacity(const Settings& config) const override { return Read(config).dim(); }
  void Prepare(const Settings& settings, std::span<const float> values, float factor,
               TensorSet* set) const override {
    Read(settings);
    FillBf16(&set->At(Role::kInput, "f_a"), factor);
    const auto f_b = set->At(Role::kInput, "f_b").view<uint16_t>();
    for (size_t i = 0; i < values.size(); ++i) f_b[i] = arith::RoundToBf16(values[i]);
  }
  std::vector<Showing> Shows(const Settings& settings, int64_t sum) const override {
    Read(settings);
    return {{Role::kTap, std::string(name()), sum, true}};  // request 0, token 0
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {TreesOf(config, contract).raw_gate, &MatrixUnitOf(ReadChoices(contract))};
  }
};

/// State and k, or state and q, over keys: one sum per value row, head and request (4.3). All keys
/// are equal, so that their norm leaves one common factor.
class KeySum : public Sum {
 public:
  explicit KeySum(bool query)
      : Sum(query ? "out.acc" : "dot",
            query ? "state and q over 128 keys (4.3)" : "state and k over 128 keys (4.3)"),
        query_(query) {}
  TermKind terms() const override { return TermKind::kScaled; }
  int64_t capacity(const Settings& config) const override {
    return Read(config).items() * kHeadDim;
  }
  void Prepare(const Settings& settings, std::span<const float> values, float,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    inputs.PassNewest();
    inputs.OpenGates();
    const size_t page = size_t{kHeadDim} * kHeadDim;
    for (size_t first = 0; first < values.size(); first += page) {
      const int64_t item = first / page;
      const int request = static_cast<int>(item / config.heads);
      const int64_t row =
          int64_t{request} * config.tokens;  // token 0: later ones have other states
      std::ranges::fill(inputs.X(query_ ? 0 : 1, row, item % config.heads),
                        arith::RoundToBf16(kLarge));
      // A negative correction: times a key of 0 it is -0, which leaves every state as it is.
      std::ranges::fill(inputs.X(2, row, item % config.heads), arith::RoundToBf16(-1.0f));
      std::ranges::copy(values.subspan(first, std::min(page, values.size() - first)),
                        inputs.State(request, item % config.heads).begin());
    }
  }
  std::vector<Showing> Shows(const Settings& settings, int64_t sum) const override {
    const Config config = Read(settings);
    const int64_t item = sum / kHeadDim, value = sum % kHeadDim;
    const int64_t request = item / config.heads, head = item % config.heads;
    const int64_t row = request * config.tokens;
    std::vector<Showing> shows = {
        {Role::kTap, std::string(name()), (row * config.heads + head) * kHeadDim + value, true}};
    if (query_) {
      shows.push_back(
          {Role::kOutput, "output", (row * config.heads + head) * kHeadDim + value, false});
    }
    return shows;
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    Trees trees = TreesOf(config, contract);
    return {query_ ? std::move(trees.out_dot) : std::move(trees.key_dot)};
  }

 private:
  bool query_;
};

/// Squares of the output: one sum per token row and head (4.2). q of token t picks key t of the
/// state, so that o[v] = S[v][t] * scale.
class OutputNormSum : public Sum {
 public:
  OutputNormSum() : Sum("out.sum", "squares of the output over 128 values (4.2)") {}
  TermKind terms() const override { return TermKind::kSquares; }
  int64_t capacity(const Settings& config) const override {
    return Read(config).token_rows() * Read(config).heads;
  }
  void Prepare(const Settings& settings, std::span<const float> values, float,
               TensorSet* set) const override {
    const Config config = Read(settings);
    Inputs inputs(config, set);
    inputs.PassNewest();
    inputs.OpenGates();
    for (size_t s = 0; s < values.size() / kHeadDim; ++s) {
      const int64_t row = s / config.heads, head = s % config.heads;
      const int request = static_cast<int>(row / config.tokens);
      const int token = static_cast<int>(row % config.tokens);
      inputs.X(0, row, head)[token] = arith::RoundToBf16(kLarge);
      const auto state = inputs.State(request, head);
      for (int v = 0; v < kHeadDim; ++v) {
        // Rounding to bf16 takes the inexactness of this away.
        state[v * kHeadDim + token] = values[s * kHeadDim + v] / config.scale;
      }
    }
  }
  std::vector<Showing> Shows(const Settings&, int64_t sum) const override {
    return {{Role::kTap, std::string(name()), sum, true}};  // [request][token][head]
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {TreesOf(config, contract).out_norm};
  }
};

}  // namespace

std::span<const Reduction* const> Reductions() {
  static const ConvolutionSum conv_q(0), conv_k(1), conv_v(2);
  static const InputNormSum norm_q(0), norm_k(1);
  static const RawGateSum raw_gate;
  static const KeySum dot(false), out(true);
  static const OutputNormSum out_norm;
  static const std::array<const Reduction*, 9> all = {
      &conv_q, &conv_k, &conv_v, &norm_q, &norm_k, &raw_gate, &dot, &out, &out_norm};
  return all;
}

}  // namespace samebits::kda_decode
