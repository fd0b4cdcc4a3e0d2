#include <algorithm>
#include <cstring>

#include "model/kda_pre/stages.h"

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

void StoreState(const Launch& launch, const Place& place, int token, const Item& item) {
  const Operands& o = launch.operands;
  if (launch.taps.state_after != nullptr) {
    const int64_t pair = place.row(launch.config, token) * kHeads + place.head;
    Transpose(item.state[0], launch.taps.state_after + pair * kHeadDim * kHeadDim);
  }
  const int32_t slot = o.st_idx[place.request * o.st_idx_request + token];
  if (place.live && slot > 0) Transpose(item.state[0], PageOf(o, slot, place.head));
}

void Advance(const Launch& launch, const Place& place, int j, Item* item) {
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
  for (int v = 0; v < kHeadDim; ++v) {
    correction[v] = arith::Mul(arith::Sub(item->conv[2][j][v], dot[v]), item->beta[j]);
  }
  Update(launch.choices.update_multiply_add, correction, item->norm[1][j], item);
  Channels& out = item->out[j];
  sum(launch.trees.out_dot, item->norm[0][j], out);
  for (float& o : out) o = place.live ? Round(launch.choices.out_rounding, o) : 0.0f;
  StoreState(launch, place, j, *item);
  if (launch.taps.dot == nullptr) return;
  const int64_t at = (place.row(launch.config, j) * kHeads + place.head) * kHeadDim;
  std::copy_n(dot, kHeadDim, launch.taps.dot + at);
  std::copy_n(correction, kHeadDim, launch.taps.correction + at);
  std::copy_n(out, kHeadDim, launch.taps.out_raw + at);
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
