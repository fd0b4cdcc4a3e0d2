// The reductions of kda_pre that a contract and a configuration choose (SPEC.md section 5).
#ifndef SAMEBITS_MODEL_KDA_PRE_TREES_H_
#define SAMEBITS_MODEL_KDA_PRE_TREES_H_

#include "model/kda_pre/config.h"
#include "model/kda_pre/contract.h"
#include "model/order/tree.h"
#include "model/sum.h"

namespace samebits::kda_pre {

struct Trees {
  order::Tree slice;        // T1 to T3: 128 products of a slice
  order::Tree sources;      // T4, T5: 56 values
  order::Tree weights;      // T7: 64 values
  order::Tree mix;          // T8: a product per source
  order::Tree mix_norm;     // T9: 128 squares of a slice
  order::Tree mix_slices;   // T4, T5: 56 values
  order::Tree waves;        // T11: a value per chain of in_proj
  order::Tree convolution;  // T12: 4 products
  order::Tree qk_norm;      // T14: 128 squares
  order::Tree key_dot;      // T15: 128 products
  order::Tree out_dot;      // T15: 128 products
  order::Tree value_chunk;  // T16: 16 squares
  order::Tree out_norm;     // T17: 8 values
};

/// Throws ConfigError for orders (Contract::orders) of other sums, or over other numbers of terms.
Trees MakeTrees(const Config& config, const Choices& choices);
std::vector<Sum> SumsOf(const Trees& trees);

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_TREES_H_
