// The float32 sums of the shared expert that a contract and a configuration choose (SPEC.md 5).
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_TREES_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_TREES_H_

#include <vector>

#include "model/order/tree.h"
#include "model/shared_expert/config.h"
#include "model/shared_expert/contract.h"
#include "model/sum.h"

namespace samebits::shared_expert {

struct Trees {
  order::Tree parts;    // of the CTAs of a cluster (4.3)
  order::Tree sources;  // of the source ranks (4.9, P6)
};

/// Throws ConfigError for orders (Contract::orders) of other sums, or over other numbers of terms.
Trees MakeTrees(const Config& config, const Choices& choices);
std::vector<Sum> SumsOf(const Trees& trees);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_TREES_H_
