// in_proj (SPEC.md 4.5): each block multiplies two groups of 16 rows by all token rows of x.
#ifndef SAMEBITS_GPU_KDA_PRE_PROJECTION_H_
#define SAMEBITS_GPU_KDA_PRE_PROJECTION_H_

#include "gpu/kda_pre/role.h"

namespace samebits::gpu::kda_pre {

template <class Lane, Form kForm, bool kTaps>
class Projection : public Role<Lane, kForm> {
  using Base = Role<Lane, kForm>;
  using Base::block, Base::lane, Base::math, Base::p, Base::thread, Base::wave, Base::wave_lane;

 public:
  SAMEBITS_DEVICE explicit Projection(const Base& base)
      : Base(base), first_group_(2 * (block - kSlices)) {}

  SAMEBITS_DEVICE void Run() const {
    if (first_group_ >= kRowGroups) return;
    // The first group's weights are under way before anything is waited for; of the second's, a
    // window of four chunks as soon as x is there.
    constexpr int kAhead = 4;
    Chunk first[kRounds], second[kRounds];
    SAMEBITS_UNROLL
    for (int i = 0; i < kRounds; ++i) LoadChunk(first_group_, i, first[i]);
    if (thread < kSlices) this->PollOne(p.mailboxes.x_ready + thread, Stage::kX);
    lane.BlockBarrier();
    SAMEBITS_UNROLL
    for (int i = 0; i < kAhead; ++i) LoadChunk(first_group_ + 1, i, second[i]);
    Float4 sums[2] = {{0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}};
    SAMEBITS_UNROLL
    for (int i = 0; i < kRounds; ++i) {
      if (i % p.window_rounds == 0) {
        if (i != 0) lane.BlockBarrier();
        StageWindow(i);
        lane.BlockBarrier();
      }
      Multiply(first[i], i, sums[0]);
      Multiply(second[i], i, sums[1]);
      if (i + kAhead < kRounds) LoadChunk(first_group_ + 1, i + kAhead, second[i + kAhead]);
    }
    Publish(sums);
  }

 private:
  struct Chunk {
    Word4 step[4];
  };

  /// Weights of the wave's i-th chunk: lane l has row l mod 16 and, of each step of 32, the eight
  /// columns of its group l / 16. Groups past the last load the last.
  SAMEBITS_DEVICE void LoadChunk(int group, int i, Chunk& chunk) const {
    const int row = Least(group, kRowGroups - 1) * kRowGroupRows + wave_lane % kRowGroupRows;
    const uint16_t* from = p.operands.w_in + static_cast<int64_t>(row) * kHidden +
                           (wave + kWaves * i) * kSliceColumns + wave_lane / kRowGroupRows * 8;
    SAMEBITS_UNROLL
    for (int q = 0; q < 4; ++q) {
      chunk.step[q] = lane.LoadNonTemporal(reinterpret_cast<const Word4*>(from + 32 * q));
    }
  }

  /// Columns of rounds `first`.. of every token row into LDS.
  SAMEBITS_DEVICE void StageWindow(int first) const {
    constexpr int kPieces = kRoundColumns / 8;  // of 16 bytes, of a round of a row
    const int of_row = Least(p.window_rounds, kRounds - first) * kPieces;
    const int pitch = WindowPitch(p.window_rounds);
    SAMEBITS_ROLLED
    for (int piece = thread; piece < p.rows * of_row; piece += kThreads) {
      const int row = piece / of_row, at = piece % of_row * 16;
      const Word4 words = lane.LoadDevice(p.mailboxes.x, p.rows * kHidden * 2,
                                          (row * kHidden + first * kRoundColumns) * 2 + at);
      lane.StoreShared(this->template Lds<Word4>(kProjectionX + row * pitch + at), words);
    }
  }

  /// Four steps: column l mod 16 of lane l is a token row, the last one beyond it.
  SAMEBITS_DEVICE void Multiply(const Chunk& chunk, int i, Float4& sum) const {
    const int row = Least(wave_lane % 16, p.rows - 1);
    const int column =
        i % p.window_rounds * kRoundColumns + wave * kSliceColumns + wave_lane / kRowGroupRows * 8;
    const int at = kProjectionX + row * WindowPitch(p.window_rounds) + column * 2;
    SAMEBITS_UNROLL
    for (int q = 0; q < 4; ++q) {
      math.MultiplyStep(sum, chunk.step[q],
                        lane.LoadShared(this->template Lds<const Word4>(at + 64 * q)));
    }
  }

  /// The waves' sums one after the other, from +0, rounded to bf16.
  SAMEBITS_DEVICE void Publish(const Float4 (&sums)[2]) const {
    constexpr int kDump = kWaves * kWaveLanes * 4;
    float* dump = this->template Lds<float>(kProjectionSums);
    SAMEBITS_UNROLL
    for (int g = 0; g < 2; ++g) {
      lane.StoreShared(reinterpret_cast<Float4*>(dump + g * kDump + thread * 4), sums[g]);
    }
    lane.BlockBarrier();
    const int per_group = kRowGroupRows * p.rows;
    const int group = thread / per_group, r = thread % kRowGroupRows;
    const int t = thread % per_group / kRowGroupRows;
    if (group < 2 && first_group_ + group < kRowGroups) {
      // Register r mod 4 of lane 16 (r / 4) + t.
      const float* from = dump + group * kDump + (16 * (r / 4) + t) * 4 + r % 4;
      float sum = 0.0f;
      SAMEBITS_UNROLL
      for (int w = 0; w < kWaves; ++w) {
        sum = lane.Add(sum, lane.LoadShared(from + w * kWaveLanes * 4));
      }
      sum = math.Bf(sum);
      const int64_t at =
          static_cast<int64_t>(t) * kInProjRows + (first_group_ + group) * kRowGroupRows + r;
      this->Put(p.mailboxes.proj, at, sum);
      if constexpr (kTaps) lane.StoreGlobal(p.taps.proj + at, sum);
    }
    lane.BlockBarrier();
  }

  const int first_group_;
};

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_GPU_KDA_PRE_PROJECTION_H_
