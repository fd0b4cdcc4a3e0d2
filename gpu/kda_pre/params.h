// What one launch of the kda_pre kernel is given, by value. Plain data, shared with GPU code.
#ifndef SAMEBITS_GPU_KDA_PRE_PARAMS_H_
#define SAMEBITS_GPU_KDA_PRE_PARAMS_H_

#include <cstdint>

#include "gpu/lane/types.h"
#include "model/kda_pre/config.h"
#include "model/kda_pre/operands.h"

namespace samebits::gpu::kda_pre {

inline constexpr int kBlocks = 256;   // one per compute unit, all resident at once
inline constexpr int kThreads = 512;  // 8 waves of 64
inline constexpr int kWaveLanes = 64;
inline constexpr int kRowGroupRows = 16;  // rows of in_proj that a wave multiplies at once
inline constexpr int kRowGroups = samebits::kda_pre::kInProjRows / kRowGroupRows;  // 393
inline constexpr int kTasksPerRequest =
    samebits::kda_pre::kHeads * samebits::kda_pre::kValueChunks;  // 96
inline constexpr int kMaxTokens = 8;                              // L of the kernels that are built

/// Regions of the scratch memory: messages of 8 bytes (value, tag), and the rows of x.
/// SPEC.md 6.2 has their indices.
struct Mailboxes {
  Word2* part;
  Word2* weight;
  Word2* msq;
  Word2* x_ready;
  Word2* proj;
  Word2* qk;
  Word2* onrm;
  uint16_t* x;  // [S][7168]
};

/// Where a wait gave up, for the host.
enum class Stage : uint32_t { kNone, kGate, kWeights, kMsq, kX, kConv, kRank, kQk, kBeta, kNorm };

struct Params {
  samebits::kda_pre::Operands operands;
  samebits::kda_pre::Taps taps;
  Mailboxes mailboxes;
  const int32_t* epoch;  // counts steps; the launcher bumps it
  Word2* alarm;          // (Stage, block) of a wait that gave up; zero before the launch
  int32_t layer;         // tag slot
  int32_t requests;
  int32_t rows;  // S
  int32_t nblocks;
  int32_t write_idx;
  int32_t state_len;
  int32_t first_task_block;  // kda0 mod kBlocks
  int32_t window_rounds;     // of x in LDS, 1..7 (lds.h)
  int32_t poll_rounds;       // a wait gives up after so many; -1: never
  bool reset;
  bool has_delta;
  float eps, out_eps, onorm_eps, lower_bound;
};

}  // namespace samebits::gpu::kda_pre

#endif  // SAMEBITS_GPU_KDA_PRE_PARAMS_H_
