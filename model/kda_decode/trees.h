// The reductions of kda_decode that a contract and a configuration choose (SPEC.md section 4).
#ifndef SAMEBITS_MODEL_KDA_DECODE_TREES_H_
#define SAMEBITS_MODEL_KDA_DECODE_TREES_H_

#include <optional>

#include "model/kda_decode/config.h"
#include "model/kda_decode/contract.h"
#include "model/order/levels.h"
#include "model/order/tree.h"
#include "model/sum.h"

namespace samebits::kda_decode {

struct Trees {
  order::Tree convolution;  // 4 taps onto the bias                          (4.1)
  order::Tree qk_norm;      // squares of q or k over 128 channels           (4.2)
  order::Tree raw_gate;     // 128 products of F_B and F_A                   (4.4)
  order::Tree key_dot;      // state and k over 128 keys                     (4.3)
  order::Tree out_dot;      // state and q over 128 keys                     (4.3)
  order::Tree out_norm;     // squares of the output over 128 channels       (4.2)

  /// The norms again, where their form allows it: a way of computing the same.
  std::optional<order::Levels> qk_norm_levels, out_norm_levels;
};

/// Throws ConfigError for orders (Contract::orders) of other sums, or over other numbers of terms.
Trees MakeTrees(const Config& config, const Choices& choices);
std::vector<Sum> SumsOf(const Trees& trees);

}  // namespace samebits::kda_decode

#endif  // SAMEBITS_MODEL_KDA_DECODE_TREES_H_
