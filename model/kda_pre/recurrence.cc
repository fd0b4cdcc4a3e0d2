#include <algorithm>
#include <cstring>
#include <vector>

#include "model/kda_pre/stages.h"
#include "model/settle.h"

namespace samebits::kda_pre {
namespace {

float* PageOf(const Operands& o, int32_t slot, int head) {
  return o.rstate + slot * o.rstate_slot + int64_t{head} * kHeadDim * kHeadDim;
}

/// [value][key] to [key][value] and back, in tiles that stay in the cache.
void Transpose(const float* from, float* to) {
  constexpr int kTile = 16;
  for (int i0 = 0; i0 < kHeadDim; i0 += kTile) {
    for (int j0 = 0; j0 < kHeadDim; j0 += kTile) {
      for (int i = i0; i < i0 + kTile; ++i) {
        for (int j = j0; j < j0 + kTile; ++j) to[j * kHeadDim + i] = from[i * kHeadDim + j];
      }
    }
  }
}

/// S = S + vn*khat.
void Update(MultiplyAdd form, const float* correction, const float* key, Item* item) {
  for (int k = 0; k < kHeadDim; ++k) {
    float* row = item->state[k];
    for (int v = 0; v < kHeadDim; ++v) {
      row[v] = MultiplyThenAdd(form, correction[v], key[k], row[v]);
    }
  }
}

/// Slot of the state after a token; 0: none.
int32_t Target(const Launch& launch, const Place& place, int token) {
  const Operands& o = launch.operands;
  return place.live ? std::max(0, o.st_idx[place.request * o.st_idx_request + token]) : 0;
}

/// rstate holds the state after the token: no later one goes to the same slot.
bool KeepsState(const Launch& launch, const Place& place, int token) {
  const int32_t target = Target(launch, place, token);
  bool keeps = target > 0;
  for (int t = token + 1; t < launch.config.tokens; ++t) {
    keeps = keeps && Target(launch, place, t) != target;
  }
  return keeps;
}

/// The given state, [value][key], replaces the one at its place.
void TakeState(const float* given, Item* item) {
  std::vector<float> page(size_t{kHeadDim} * kHeadDim);
  Transpose(item->state[0], page.data());
  Take(given, page.size(), page.data());
  Transpose(page.data(), item->state[0]);
}

void SettleState(const Launch& launch, const Place& place, int token, Item* item) {
  const int64_t pair = place.row(launch.config, token) * kHeads + place.head;
  const int64_t tap = pair * kHeadDim * kHeadDim;
  if (launch.taps.state_after != nullptr) {
    Transpose(item->state[0], launch.taps.state_after + tap);
  }
  const int32_t slot = Target(launch, place, token);
  if (slot > 0) Transpose(item->state[0], PageOf(launch.operands, slot, place.head));
  const Given& given = launch.given;
  if (given.operands.rstate != nullptr && KeepsState(launch, place, token)) {
    TakeState(PageOf(given.operands, slot, place.head), item);
  }
  if (given.taps.state_after != nullptr) TakeState(given.taps.state_after + tap, item);
}

void Advance(const Launch& launch, const Place& place, int j, Item* item) {
  const Taps& taps = launch.taps;
  const Taps& given = launch.given.taps;
  const int64_t at = (place.row(launch.config, j) * kHeads + place.head) * kHeadDim;
  const order::Columns columns = {.a = item->state[0], .a_stride = kHeadDim};
  const auto sum = [&](const order::Tree& tree, const float* other, Channels& out) {
    order::Columns with = columns;
    with.b = other;
    launch.math.SumColumns(tree, with, out);
  };
  for (int k = 0; k < kHeadDim; ++k) {
    for (float& s : item->state[k]) s = arith::Mul(s, item->decay[j][k]);
  }
  Channels dot, correction;
  sum(launch.trees.key_dot, item->norm[1][j], dot);
  Settle({taps.dot, given.dot}, at, kHeadDim, dot);
  for (int v = 0; v < kHeadDim; ++v) {
    correction[v] = arith::Mul(arith::Sub(item->conv[2][j][v], dot[v]), item->beta[j]);
  }
  Settle({taps.correction, given.correction}, at, kHeadDim, correction);
  Update(launch.choices.update_multiply_add, correction, item->norm[1][j], item);
  SettleState(launch, place, j, item);
  Channels& out = item->out[j];
  sum(launch.trees.out_dot, item->norm[0][j], out);
  for (float& o : out) o = place.live ? Round(launch.choices.out_rounding, o) : 0.0f;
  Settle({taps.out_raw, given.out_raw}, at, kHeadDim, out);
}

}  // namespace

void Recur(const Launch& launch, const Place& place, Item* item) {
  if (place.live) {
    Transpose(PageOf(launch.operands, place.slot, place.head), item->state[0]);
  } else {
    std::memset(item->state, 0, sizeof(item->state));
  }
  for (int j = 0; j < launch.config.tokens; ++j) Advance(launch, place, j, item);
}

}  // namespace samebits::kda_pre
