// SiTU (SPEC.md 4.6): beta * tanh(g/beta) * sigmoid(g) * linear_beta * tanh(u/linear_beta). Every
// form is a product A(g) * U(u) of functions of one value each.
#ifndef SAMEBITS_MODEL_SHARED_EXPERT_SITU_H_
#define SAMEBITS_MODEL_SHARED_EXPERT_SITU_H_

#include "model/shared_expert/contract.h"
#include "model/shared_expert/math.h"

namespace samebits::shared_expert {

struct Betas {
  float beta = 4.0f;
  float linear = 25.0f;  // <= 0: U(u) = u
};

/// out[i] = A(g[i]) in the form of the contract. S5 includes the factor linear_beta here.
void SituGate(const Math& math, SituForm form, const Betas& betas, In g, Out out);
/// out[i] = U(u[i]). S5 leaves the factor linear_beta to A.
void SituUp(const Math& math, SituForm form, const Betas& betas, In u, Out out);

}  // namespace samebits::shared_expert

#endif  // SAMEBITS_MODEL_SHARED_EXPERT_SITU_H_
