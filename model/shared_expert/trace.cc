#include "model/shared_expert/trace.h"

#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "model/kernel.h"
#include "model/shared_expert/derived.h"
#include "model/shared_expert/mailbox.h"
#include "model/shared_expert/plan.h"
#include "model/shared_expert/spans.h"
#include "model/shared_expert/trace_situ.h"
#include "model/shared_expert/trees.h"
#include "model/shared_expert/unit.h"
#include "model/tracing/builder.h"

namespace samebits::shared_expert {
namespace {

using tracing::Builder;

constexpr int kColumns = 32;  // h columns of a tile

std::vector<int64_t> Coordinates(const TensorSpec& spec, int64_t index) {
  std::vector<int64_t> at(spec.shape.size());
  for (size_t d = at.size(); d-- > 0; index /= spec.shape[d]) at[d] = index % spec.shape[d];
  return at;
}

/// Step and index of the rank.
struct PlaceAt {
  int64_t step = 0, index = 0;
};

class Tracer {
 public:
  Tracer(const Config& config, const Choices& choices, const ElementSource& source)
      : c_(config),
        d_(Derive(config)),
        choices_(choices),
        trees_(MakeTrees(config, choices)),
        unit_(MatrixUnitOf(choices)),
        b_(source, choices.arithmetic == Arithmetic::kFtz ? tracing::Subnormals::kFlushed
                                                          : tracing::Subnormals::kKept),
        situ_(choices, {config.beta, config.linear_beta}, &b_) {
    for (const TensorSpec& spec : Tensors(MakePlan(config, true))) {
      if (spec.role == Role::kTap) taps_.push_back(spec);
    }
  }

  Trace Of(const TensorSpec& spec, int64_t index) {
    const std::vector<int64_t> at = Coordinates(spec, index);
    const bool tap = spec.role == Role::kTap;
    return b_.Finish(tap ? Stage(spec.name, {at[0], at[1]}, {at.data() + 2, at.size() - 2})
                         : Output(spec, index, at));
  }

 private:
  using Inner = std::span<const int64_t>;

  int Tap(std::string_view name, PlaceAt place, std::vector<int64_t> inner);
  int Part(PlaceAt place, Inner at);
  int Weight(PlaceAt place, int tile, int row, int64_t k);
  int Sum(PlaceAt place, Inner at);
  int SumOfFrontRow(PlaceAt place, int64_t row, int64_t token);
  int DownAcc(PlaceAt place, Inner at);
  int Published(int y);
  int Logit(PlaceAt place, Inner at);
  int Stage(const std::string& name, PlaceAt place, Inner at);

  std::optional<int64_t> IndexOfRank(int64_t rank) const;
  int Output(const TensorSpec& spec, int64_t index, const std::vector<int64_t>& at);
  int Mailbox(const TensorSpec& spec, int64_t index, const std::vector<int64_t>& at);
  int FrontMailbox(const TensorSpec& spec, int64_t index, const std::vector<int64_t>& at);
  int Reduced(const std::vector<int64_t>& at);
  int Zero() { return b_.Constant(0.0f, "+0"); }

  const Config& c_;
  const Derived d_;
  const Choices& choices_;
  const Trees trees_;
  const units::MatrixUnit& unit_;
  Builder b_;
  TraceSitu situ_;
  std::vector<TensorSpec> taps_;
};

int Tracer::Tap(std::string_view name, PlaceAt place, std::vector<int64_t> inner) {
  for (const TensorSpec& spec : taps_) {
    if (spec.name != name) continue;
    int64_t index = place.step * spec.shape[1] + place.index;
    for (size_t d = 0; d < inner.size(); ++d) index = index * spec.shape[d + 2] + inner[d];
    return b_.Tap(name, index, spec.dtype);
  }
  throw std::logic_error("shared_expert: no tap " + std::string(name));
}

/// Rows of the front weight that are missing are zeros, which are multiplied all the same.
int Tracer::Weight(PlaceAt place, int tile, int row, int64_t k) {
  const int64_t width = c_.geometry.width;
  const int64_t weight_row = WeightRow(d_, tile, row);
  if (tile < d_.gate_tiles) {
    return b_.Input("gate_up", DType::kBf16,
                    (place.index * 2 * d_.hidden + weight_row) * width + k);
  }
  if (weight_row >= c_.front.rows) return b_.Pattern(DType::kBf16, 0, "no such row");
  return b_.Input("front", DType::kBf16, (place.index * c_.front.rows + weight_row) * width + k);
}

/// 4.2: tile, split, row, token.
int Tracer::Part(PlaceAt place, Inner at) {
  const Span span = Split(choices_.split, d_.k_blocks, static_cast<int>(at[1]), d_.ks);
  const int64_t width = c_.geometry.width;
  std::vector<Builder::Leaf> products;
  for (int64_t k = int64_t{span.first} * kBlockK; k < int64_t{span.first + span.count} * kBlockK;
       ++k) {
    products.push_back({Weight(place, static_cast<int>(at[0]), static_cast<int>(at[2]), k),
                        b_.Input("x", DType::kBf16, (place.step * c_.batch + at[3]) * width + k)});
  }
  return products.empty() ? Zero() : b_.MatrixChain(unit_, products, Zero());
}

/// 4.3: tile, row, token.
int Tracer::Sum(PlaceAt place, Inner at) {
  return b_.Sum("parts", trees_.parts, [&](int c) -> Builder::Leaf {
    return {Tap("part", place, {at[0], c, at[1], at[2]})};
  });
}

int Tracer::SumOfFrontRow(PlaceAt place, int64_t row, int64_t token) {
  return Tap("sum", place, {d_.gate_tiles + row / kTileRows, row % kTileRows, token});
}

/// 4.7: token, column.
int Tracer::DownAcc(PlaceAt place, Inner at) {
  std::vector<Builder::Leaf> products;
  for (int64_t k = 0; k < d_.hidden; ++k) {
    products.push_back(
        {b_.Input("down", DType::kBf16, (place.index * c_.geometry.width + at[1]) * d_.hidden + k),
         Tap("h", place, {at[0], k})});
  }
  return b_.MatrixChain(unit_, products, Zero());
}

/// Policy P4.
int Tracer::Published(int y) {
  if (choices_.zero == ZeroRule::kPreRound) return b_.RoundToBf16(b_.Add(y, Zero()));
  const int rounded = b_.RoundToBf16(y);
  const int zero = b_.Pattern(DType::kBf16, 0, "+0");
  const int chosen = b_.bits(rounded) == 0x8000 ? zero : rounded;
  return b_.Label(b_.Either(rounded, zero, chosen), "no -0");
}

/// 4.8.
int Tracer::Logit(PlaceAt place, Inner at) {
  const int sum = SumOfFrontRow(place, at[1], at[0]);
  return b_.Select(b_.value(sum) != 0.0f, sum, Zero(), "no -0");
}

int Tracer::Stage(const std::string& name, PlaceAt place, Inner at) {
  if (name == "part") return Part(place, at);
  if (name == "sum") return Sum(place, at);
  if (name == "down.acc") return DownAcc(place, at);
  const int64_t token = at[0], column = at[1];
  const auto same = [&](const char* tap) { return Tap(tap, place, {token, column}); };
  const int64_t tile = column / kColumns, row = column % kColumns;
  if (name == "gate") return b_.RoundToBf16(Tap("sum", place, {tile, row, token}));
  if (name == "up") return b_.RoundToBf16(Tap("sum", place, {tile, kColumns + row, token}));
  if (name == "situ.gate") return situ_.Gate(same("gate"));
  if (name == "situ.up") {
    const int u = situ_.Up(same("up"));
    return b_.is_bf16(u) ? b_.Widen(u) : u;
  }
  if (name == "situ") return b_.Mul(same("situ.gate"), same("situ.up"));
  if (name == "h") return b_.RoundToBf16(same("situ"));
  if (name == "push") return Published(same("down.acc"));
  if (name == "front.logits") return Logit(place, at);
  if (name == "front.latent") {
    return Published(SumOfFrontRow(place, c_.front.split + column, token));
  }
  throw std::logic_error("shared_expert: no stage computes " + name);
}

std::optional<int64_t> Tracer::IndexOfRank(int64_t rank) const {
  for (int i = 0; i < c_.ranks(); ++i) {
    if (c_.rank_of(i) == rank) return i;
  }
  return std::nullopt;
}

/// 4.9: step, token, column; a consumer needs all ranks.
int Tracer::Reduced(const std::vector<int64_t>& at) {
  return b_.RoundToBf16(b_.Sum("sources", trees_.sources, [&](int source) -> Builder::Leaf {
    return {Tap("push", {at[0], source}, {at[1], at[2]})};
  }));
}

/// peer, parity, source, token, column.
int Tracer::Mailbox(const TensorSpec& spec, int64_t index, const std::vector<int64_t>& at) {
  for (int step = c_.steps; step-- > 0;) {
    if (c_.parity_of(step) != at[1] || at[3] >= c_.batch) continue;
    if (c_.consumer) return b_.Pattern(spec.dtype, SentinelBf16(at[4]), "sentinel");
    const auto rank = IndexOfRank(at[2]);
    if (rank)
      return b_.Copy(Tap("push", {step, *rank}, {at[3], at[0] * d_.shard + at[4]}), "store");
  }
  return b_.Copy(b_.Input("mailbox", spec.dtype, index), "left as it was");
}

/// peer, token, column or expert; of the last step.
int Tracer::FrontMailbox(const TensorSpec& spec, int64_t index, const std::vector<int64_t>& at) {
  const bool logits = spec.name == "front_logits";
  for (int64_t i = 0; i < c_.ranks(); ++i) {
    const int rank = c_.rank_of(static_cast<int>(i));
    const int64_t first = logits ? c_.slot_of(rank) : c_.base_of(rank);
    const int64_t count = logits ? c_.front.valid : d_.latent_shard;
    if (at[2] < first || at[2] >= first + count) continue;
    return b_.Copy(
        Tap(logits ? "front.logits" : "front.latent", {c_.steps - 1, i}, {at[1], at[2] - first}),
        "store");
  }
  return b_.Copy(b_.Input(spec.name, spec.dtype, index), "left as it was");
}

int Tracer::Output(const TensorSpec& spec, int64_t index, const std::vector<int64_t>& at) {
  if (spec.name == "h") return b_.Copy(Tap("h", {c_.steps - 1, at[0]}, {at[1], at[2]}), "store");
  if (spec.name == "reduced") return Reduced(at);
  if (spec.name == "mailbox") return Mailbox(spec, index, at);
  if (spec.name == "counters") {
    return b_.Copy(b_.Input(spec.name, spec.dtype, index), "left as it was");
  }
  return FrontMailbox(spec, index, at);
}

}  // namespace

Trace TraceOf(const Config& config, const Choices& choices, const ElementRef& element,
              const ElementSource& source) {
  const MemoryPlan plan = MakePlan(config, true);
  return Tracer(config, choices, source)
      .Of(TracedSpec(plan, "shared_expert", element), element.index);
}

}  // namespace samebits::shared_expert
