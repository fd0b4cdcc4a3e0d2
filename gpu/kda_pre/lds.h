// The LDS of one block: a union of what its roles keep there (SPEC.md 6.4, 7.5).
#ifndef SAMEBITS_GPU_KDA_PRE_LDS_H_
#define SAMEBITS_GPU_KDA_PRE_LDS_H_

#include <cstdint>

#include "gpu/kda_pre/params.h"

namespace samebits::gpu::kda_pre {

// The seam: partial sums, then the sources of every token.
inline constexpr int kSeamSums = 0;         // f32 [2048]
inline constexpr int kSeamGroupSums = 512;  // word of the group sums, behind the weights
inline constexpr int kSeamValues = 8192;    // f32 [S][NS][128]

// in_proj: the accumulators of two row groups, then a window of x.
inline constexpr int kProjectionSums = 0;  // f32 [2][8 waves][64 lanes][4]
inline constexpr int kProjectionX = 2 * 8192;
inline constexpr int kRounds = 7;           // chunks of a wave
inline constexpr int kRoundColumns = 1024;  // of x: 128 for each of the 8 waves
inline constexpr int kRowPad = 16;          // bytes behind a row of x, against bank conflicts

constexpr int WindowPitch(int rounds) { return rounds * kRoundColumns * 2 + kRowPad; }

/// Byte offsets for a task of L tokens.
struct TaskLds {
  int rank;   // bf16 [L][128], kRowPad bytes behind each row: f_a
  int qk;     // f32 [L][2][128]
  int decay;  // f32 [L][128]
  int v;      // f32 [L][16]
  int out;    // f32 [L][16]
  int beta;   // f32 [L]
  int bytes;
};
inline constexpr int kRankPitch = 2 * samebits::kda_pre::kHeadDim + kRowPad;

constexpr TaskLds MakeTaskLds(int tokens) {
  TaskLds at{};
  int end = 0;
  const auto place = [&end](int& offset, int bytes) {
    offset = end;
    end += bytes;
  };
  place(at.rank, tokens * kRankPitch);
  place(at.qk, tokens * 2 * 128 * 4);
  place(at.decay, tokens * 128 * 4);
  place(at.v, tokens * 16 * 4);
  place(at.out, tokens * 16 * 4);
  place(at.beta, tokens * 4);
  at.bytes = end;
  return at;
}

constexpr int SeamBytes(int rows, int sources) { return kSeamValues + rows * sources * 128 * 4; }
constexpr int ProjectionBytes(int rows, int rounds) {
  return kProjectionX + rows * WindowPitch(rounds);
}

/// The largest window of x that fits, in rounds; 0 if none does.
constexpr int WindowRounds(int rows, int lds_bytes) {
  int rounds = kRounds;
  while (rounds > 0 && ProjectionBytes(rows, rounds) > lds_bytes) --rounds;
  return rounds;
}

/// Dynamic LDS of a launch. More than `lds_bytes` if the configuration does not fit.
constexpr int LdsBytes(int tokens, int rows, int sources, int lds_bytes) {
  const int rounds = WindowRounds(rows, lds_bytes);
  int bytes = SeamBytes(rows, sources);
  const int projection = ProjectionBytes(rows, rounds == 0 ? 1 : rounds);
  if (projection > bytes) bytes = projection;
  const int task = MakeTaskLds(tokens).bytes;
  return task > bytes ? task : bytes;
}

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_GPU_KDA_PRE_LDS_H_
