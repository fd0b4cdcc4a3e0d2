#include "model/shared_expert/discriminating.h"

#include <algorithm>
#include <initializer_list>
#include <span>

#include "model/shared_expert/derived.h"

namespace samebits::shared_expert {
namespace {

constexpr int kCancellingRanks = 7;  // ranks 0 to 6 take part
constexpr uint16_t kSign = 0x8000, kSmallest = 0x0001;

/// Times 2^-20; what would leave the normal range becomes +0.
uint16_t Shrunk(uint16_t x) {
  constexpr int kBinades = 20;
  return (x >> 7 & 0xFF) > kBinades ? static_cast<uint16_t>(x - (kBinades << 7)) : uint16_t{0};
}

/// Every 16th row of a weight [..][row][k]: the smallest subnormals, signs kept.
void ShrinkRows(Tensor* weight) {
  const int64_t k = weight->spec.shape.back();
  const auto values = weight->view<uint16_t>();
  for (int64_t i = 0; i < weight->spec.elements(); ++i) {
    if (i / k % 16 == 15) values[i] = (values[i] & kSign) | kSmallest;
  }
}

class Down {
 public:
  Down(const Config& config, Tensor* down)
      : values_(down->view<uint16_t>()),
        width_(config.geometry.width),
        hidden_(Derive(config).hidden) {}

  std::span<uint16_t> Column(int64_t rank, int64_t column) {
    return values_.subspan((rank * width_ + column) * hidden_, hidden_);
  }
  void Clear(int64_t column, std::initializer_list<int> ranks) {
    for (const int rank : ranks) std::ranges::fill(Column(rank, column), uint16_t{0});
  }
  void Negate(int64_t column, int from, int to) {
    std::ranges::transform(Column(from, column), Column(to, column).begin(),
                           [](uint16_t x) -> uint16_t { return x ^ kSign; });
  }
  void Shrink(int64_t column, int rank) {
    std::ranges::transform(Column(rank, column), Column(rank, column).begin(), Shrunk);
  }
  /// One product, of the smallest subnormal: sums that bf16 does not hold, of either sign.
  void KeepSmallest(int64_t column, int64_t rank) {
    const auto values = Column(rank, column);
    const int64_t kept = column / 4 % hidden_;
    const auto smallest = static_cast<uint16_t>((values[kept] & kSign) | kSmallest);
    std::ranges::fill(values, uint16_t{0});
    values[kept] = smallest;
  }
  int64_t width() const { return width_; }

 private:
  std::span<uint16_t> values_;
  const int64_t width_, hidden_;
};

/// a and -a of two ranks and something small: exact or lost, as the order of the ranks has it.
/// Equal gate/up weights give ranks 1, 2 and 6 equal h.
void CancelRanks(const Config& config, TensorSet* inputs, Down* down) {
  const auto gate_up = inputs->At(Role::kInput, "gate_up").view<uint16_t>();
  const size_t rank_size = gate_up.size() / static_cast<size_t>(config.ranks());
  for (const size_t rank : {2u, 6u}) {
    std::ranges::copy(gate_up.subspan(rank_size, rank_size),
                      gate_up.subspan(rank * rank_size).begin());
  }
  for (int64_t column = 1; column < down->width(); column += 4) {
    down->Negate(column, 1, 2);
    down->Shrink(column, 3);
    down->Clear(column, {0, 4, 5, 6});
    down->Negate(column + 1, 1, 6);
    down->Shrink(column + 1, 0);
    down->Clear(column + 1, {2, 3, 4, 5});
    for (int rank = kCancellingRanks; rank < config.tp; ++rank) {
      down->Clear(column, {rank});
      down->Clear(column + 1, {rank});
    }
  }
}

}  // namespace

std::vector<Settings> DiscriminatingConfigs() {
  const Settings small = {{"tp", "8"},        {"width", "512"},  {"intermediate", "512"},
                          {"grid", "10"},     {"latent", "256"}, {"experts", "128"},
                          {"capacity", "+1"}, {"batch", "4"}};
  Settings all = small, front = small;
  all.emplace("consumer", "1");
  front.insert({{"variant", "front"}, {"rank", "1"}});
  return {all, front};
}

void Discriminate(const Config& config, TensorSet* inputs) {
  ShrinkRows(&inputs->At(Role::kInput, "gate_up"));
  if (Tensor* front = inputs->Find(Role::kInput, "front")) ShrinkRows(front);
  Down down(config, &inputs->At(Role::kInput, "down"));
  if (config.rank == kAllRanks && config.tp >= kCancellingRanks) {
    CancelRanks(config, inputs, &down);
  }
  for (int64_t rank = 0; rank < config.ranks(); ++rank) {
    for (int64_t column = 3; column < down.width(); column += 4) down.KeepSmallest(column, rank);
  }
}

}  // namespace samebits::shared_expert
