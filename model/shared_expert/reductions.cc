#include "model/shared_expert/reductions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "model/arith/bfloat16.h"
#include "model/named_reduction.h"
#include "model/order/builders.h"
#include "model/shared_expert/axes.h"
#include "model/shared_expert/contract.h"
#include "model/shared_expert/derived.h"
#include "model/shared_expert/spans.h"
#include "model/shared_expert/trees.h"
#include "model/shared_expert/unit.h"

namespace samebits::shared_expert {
namespace {

using order::Builder;

/// A gate value whose tanh and sigmoid are 1: SiTU's gate is then beta, in every form.
constexpr float kOpen = 512.0f;

std::vector<int> Range(int first, int count) {
  std::vector<int> range(count);
  std::iota(range.begin(), range.end(), first);
  return range;
}

/// The inputs of a launch, zeros but for what is set.
class Inputs {
 public:
  Inputs(const Config& config, TensorSet* set) : c_(config), d_(Derive(config)), set_(*set) {}

  std::span<uint16_t> Words(std::string_view name) {
    return set_.At(Role::kInput, name).view<uint16_t>();
  }
  void FillX(float value) { std::ranges::fill(Words("x"), arith::RoundToBf16(value)); }

  /// Row r of tile m of rank index i, over k.
  std::span<uint16_t> TileRow(int64_t i, int tile, int r) {
    const int64_t row = WeightRow(d_, tile, r), width = c_.geometry.width;
    if (tile < d_.gate_tiles) {
      return Words("gate_up").subspan((i * 2 * d_.hidden + row) * width, width);
    }
    return Words("front").subspan((i * c_.front.rows + row) * width, width);
  }

  /// h = `value`, a power of two, everywhere: gates open, up values through term 0 alone.
  void SetH(float value) {
    const int64_t width = c_.geometry.width, rows = 2 * int64_t{d_.hidden};
    for (uint16_t* x : Column(Words("x"), width)) *x = arith::RoundToBf16(1.0f);
    const auto weights = Words("gate_up");
    for (int64_t row = 0; row < rows * c_.ranks(); ++row) {
      const bool up = row % rows >= d_.hidden;
      weights[row * width] = arith::RoundToBf16(up ? value / c_.beta : kOpen);
    }
  }

 private:
  static std::vector<uint16_t*> Column(std::span<uint16_t> rows, int64_t width) {
    std::vector<uint16_t*> column;
    for (size_t i = 0; i < rows.size(); i += width) column.push_back(&rows[i]);
    return column;
  }

  const Config& c_;
  const Derived d_;
  TensorSet& set_;
};

class Sum : public NamedReduction {
 public:
  using NamedReduction::NamedReduction;
  TermKind terms() const override { return TermKind::kExactProducts; }

 protected:
  /// Of sums behind SiTU: h has to be a power of two.
  static Config ReadWithH(const Settings& settings) {
    const Config config = ReadConfig(settings);
    if (config.linear_beta > 0) {
      throw ConfigError("linear_beta: expected 0, h is a power of two only without the cap");
    }
    int exponent = 0;
    if (std::frexp(config.beta, &exponent) != 0.5f) {
      throw ConfigError("beta: expected a power of two, h is one only then");
    }
    return config;
  }
};

/// Weights and x over the model width: one sum per weight row and rank, tokens are alike.
class TileSum : public Sum {
 public:
  TileSum() : Sum("sum", "products of a weight row and x, over K blocks and CTAs (4.1 to 4.3)") {}
  int leaves(const Settings& config) const override { return ReadConfig(config).geometry.width; }
  int64_t capacity(const Settings& settings) const override {
    const Config config = ReadConfig(settings);
    return int64_t{config.ranks()} * Rows(config);
  }
  void Prepare(const Settings& settings, std::span<const float> values, float factor,
               TensorSet* set) const override {
    const Config config = ReadConfig(settings);
    Inputs inputs(config, set);
    inputs.FillX(factor);
    const int width = config.geometry.width;
    for (size_t s = 0; s < values.size() / width; ++s) {
      const auto [rank, tile, row] = PlaceOf(config, s);
      const auto weights = inputs.TileRow(rank, tile, row);
      for (int k = 0; k < width; ++k) weights[k] = arith::RoundToBf16(values[s * width + k]);
    }
  }
  std::vector<Showing> Shows(const Settings& settings, int64_t sum) const override {
    const Config config = ReadConfig(settings);
    const auto [rank, tile, row] = PlaceOf(config, sum);
    const int64_t tile_row = (rank * Derive(config).tiles + tile) * kTileRows + row;
    return {{Role::kTap, std::string(name()), tile_row * config.batch, true}};  // step 0, token 0
  }
  ReductionOrder Order(const Settings& settings, const Contract& contract) const override {
    const Config config = ReadConfig(settings);
    const Choices choices = ReadChoices(contract);
    const units::MatrixUnit& unit = MatrixUnitOf(choices);
    const Derived d = Derive(config);
    const auto part = [&](int c, Builder* builder) {
      const Span span = Split(choices.split, d.k_blocks, c, d.ks);
      const std::vector<int> leaves = Range(span.first * kBlockK, span.count * kBlockK);
      return order::MatrixChain(leaves, unit.instruction_k, builder);
    };
    return {order::Expanded(MakeTrees(config, choices).parts, std::string(name()), leaves(settings),
                            part),
            &unit};
  }

 private:
  struct Place {
    int64_t rank;
    int tile, row;
  };
  /// Rows that a rank's weights have; the last front tile may have fewer than 64.
  static int64_t Rows(const Config& config) {
    const Derived d = Derive(config);
    return int64_t{d.gate_tiles} * kTileRows + (config.has_front() ? config.front.rows : 0);
  }
  static Place PlaceOf(const Config& config, int64_t sum) {
    const int64_t row = sum % Rows(config);
    return {sum / Rows(config), static_cast<int>(row / kTileRows),
            static_cast<int>(row % kTileRows)};
  }
};

/// down and h over the rank's intermediate columns: one sum per output column and rank.
class DownSum : public Sum {
 public:
  DownSum() : Sum("down.acc", "products of down and h, over K blocks (4.7)") {}
  int leaves(const Settings& config) const override { return Derive(ReadConfig(config)).hidden; }
  int64_t capacity(const Settings& settings) const override {
    const Config config = ReadConfig(settings);
    return int64_t{config.ranks()} * config.geometry.width;
  }
  void Prepare(const Settings& settings, std::span<const float> values, float factor,
               TensorSet* set) const override {
    const Config config = ReadWithH(settings);
    Inputs inputs(config, set);
    inputs.SetH(factor);
    const auto down = inputs.Words("down");
    for (size_t i = 0; i < values.size(); ++i) down[i] = arith::RoundToBf16(values[i]);
  }
  std::vector<Showing> Shows(const Settings& settings, int64_t sum) const override {
    const Config config = ReadConfig(settings);
    const int64_t width = config.geometry.width;
    const int64_t at = sum / width * config.batch * width + sum % width;  // step 0, token 0
    return {{Role::kTap, std::string(name()), at, true}, {Role::kTap, "push", at, false}};
  }
  ReductionOrder Order(const Settings& settings, const Contract& contract) const override {
    const units::MatrixUnit& unit = MatrixUnitOf(ReadChoices(contract));
    const int leaves = this->leaves(settings);
    Builder builder;
    const int root = order::MatrixChain(Range(0, leaves), unit.instruction_k, &builder);
    return {builder.Finish(std::string(name()), leaves, root), &unit};
  }
};

/// What the ranks pushed, at the receiving side: one sum per output column.
class SourceSum : public Sum {
 public:
  SourceSum() : Sum("reduced", "values of the source ranks, with consumer=1 (4.9)") {}
  int leaves(const Settings& config) const override { return ReadConfig(config).tp; }
  int64_t capacity(const Settings& config) const override {
    return ReadConfig(config).geometry.width;
  }
  void Prepare(const Settings& settings, std::span<const float> values, float factor,
               TensorSet* set) const override {
    const Config config = ReadWithH(settings);
    if (!config.consumer || config.rank != kAllRanks) {
      throw ConfigError("consumer: expected 1, and rank -1: only then are the ranks summed");
    }
    Inputs inputs(config, set);
    inputs.SetH(factor);
    const auto down = inputs.Words("down");  // [rank][column][k]
    const int64_t width = config.geometry.width, hidden = Derive(config).hidden;
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t column = i / config.tp, rank = i % config.tp;
      down[(rank * width + column) * hidden] = arith::RoundToBf16(values[i]);
    }
  }
  std::vector<Showing> Shows(const Settings&, int64_t sum) const override {
    return {{Role::kOutput, std::string(name()), sum, false}};  // step 0, token 0
  }
  ReductionOrder Order(const Settings& config, const Contract& contract) const override {
    return {MakeTrees(ReadConfig(config), ReadChoices(contract)).sources};
  }
};

}  // namespace

std::span<const Reduction* const> Reductions() {
  static const TileSum tile_sum;
  static const DownSum down_sum;
  static const SourceSum source_sum;
  static const Reduction* const reductions[] = {&tile_sum, &down_sum, &source_sum};
  return reductions;
}

}  // namespace samebits::shared_expert
