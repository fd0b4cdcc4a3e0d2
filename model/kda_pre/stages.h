// The stages of one launch, one file each (SPEC.md section 4). A stage reads what the stages before
// it left and the operands, writes its own results and its taps.
#ifndef SAMEBITS_MODEL_KDA_PRE_STAGES_H_
#define SAMEBITS_MODEL_KDA_PRE_STAGES_H_

#include <cstdint>
#include <vector>

#include "model/kda_pre/config.h"
#include "model/kda_pre/contract.h"
#include "model/kda_pre/math.h"
#include "model/kda_pre/operands.h"
#include "model/kda_pre/trees.h"

namespace samebits::kda_pre {

/// Taps and outputs that are taken as given (StageRun in model/kernel.h); null where none is.
struct Given {
  Taps taps = {};
  Operands operands = {};
};

/// One launch; constant while it runs.
struct Launch {
  const Config& config;
  const Choices& choices;
  const Operands& operands;
  const Taps& taps;
  const Given& given;
  const Math& math;
  const Trees& trees;
  const std::vector<int64_t>& requests;  // that are computed, ascending
  const std::vector<int64_t>& rows;      // their token rows, ascending
  int threads;
};

/// What the tokens have in common before the heads part.
struct Seam {
  std::vector<float> sources;  // V [S][NS][7168]
  std::vector<float> part;     // PSQ and PDT [56][S][NS][2]
  std::vector<float> weight;   // e and den [S][NS + 1]
  std::vector<float> mixed;    // [S][7168]
  std::vector<float> msq;      // [56][S]
  std::vector<uint16_t> x;     // [S][7168]
  std::vector<uint16_t> proj;  // PROJ as bf16 [S][6288]
};

/// Prefix, block and source values (4.1), and their partials (4.2).
void ReadSources(const Launch& launch, Seam* seam);
/// Softmax weights of the sources (4.3).
void WeighSources(const Launch& launch, Seam* seam);
/// The mix and its norm: x (4.4).
void MixSources(const Launch& launch, Seam* seam);
/// PROJ (4.5, 4.6).
void Project(const Launch& launch, Seam* seam);

/// One (request, head) pair.
struct Place {
  int request = 0, head = 0;
  int offset = 0;         // a = num_acc - 1
  int32_t conv_slot = 0;  // slot_c
  int32_t slot = 0;       // slot0
  bool live = false;      // slot0 > 0

  int64_t row(const Config& config, int token) const {
    return int64_t{request} * config.tokens + token;
  }
  int64_t channel() const { return int64_t{head} * kHeadDim; }
};

using Channels = float[kHeadDim];

/// Everything that a pair computes, named as the taps.
struct alignas(64) Item {
  Channels conv[3][kMaxTokenRows];  // q, k, v after SiLU
  float beta[kMaxTokenRows];
  Channels decay[kMaxTokenRows];
  Channels norm[2][kMaxTokenRows];  // qhat, khat
  Channels state[kHeadDim];         // [key][value]
  Channels out[kMaxTokenRows];      // o
};

/// Convolution, SiLU and the new window (4.7, 2.3).
void Convolve(const Launch& launch, const Seam& seam, const Place& place, Item* item);
/// Beta, gate and decay (4.8).
void Gate(const Launch& launch, const Seam& seam, const Place& place, Item* item);
/// l2 norms of q and k (4.9).
void Normalise(const Launch& launch, const Place& place, Item* item);
/// The delta rule over all tokens, and the states to their slots (4.10, 2.3).
void Recur(const Launch& launch, const Place& place, Item* item);
/// Partial norms and gated RMSNorm (4.11).
void Finish(const Launch& launch, const Seam& seam, const Place& place, const Item& item);

/// PROJ of a token row.
inline const uint16_t* Projected(const Seam& seam, int64_t row) {
  return seam.proj.data() + row * kInProjRows;
}

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_STAGES_H_
