// The sums of a kernel whose order is free to try: a contract can give each of them another tree.
#ifndef SAMEBITS_MODEL_SUM_H_
#define SAMEBITS_MODEL_SUM_H_

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/contract.h"
#include "model/order/tree.h"

namespace samebits {

/// What the terms of a sum are.
enum class SumTerms : uint8_t {
  kValues,
  kProducts,
  kExactProducts,  // of bf16 values: a fused product and a rounded one are the same
};

struct Sum {
  std::string name;       // "key_dot"
  std::string doc;        // one line, with the section of the kernel's specification
  std::string first_tap;  // the first result, in dataflow order, that depends on it
  SumTerms terms = SumTerms::kValues;
  order::Tree tree;  // of the contract
};

/// A sum and its place in Trees, the struct of a kernel's trees.
template <class Trees>
struct SumField {
  std::string_view name, doc, first_tap;
  SumTerms terms = SumTerms::kValues;
  order::Tree Trees::*tree = nullptr;
};

template <class Trees>
std::vector<Sum> ListSums(std::span<const SumField<Trees>> fields, const Trees& trees) {
  std::vector<Sum> sums;
  for (const SumField<Trees>& field : fields) {
    sums.push_back({.name = std::string(field.name),
                    .doc = std::string(field.doc),
                    .first_tap = std::string(field.first_tap),
                    .terms = field.terms,
                    .tree = trees.*field.tree});
  }
  return sums;
}

/// Puts the trees of the orders in place. Throws ConfigError for a sum that the kernel does not
/// have, and for a tree over another number of terms.
template <class Trees>
void ReplaceTrees(std::span<const SumField<Trees>> fields, const Orders& orders, Trees* trees) {
  for (const auto& [name, tree] : orders) {
    order::Tree* place = nullptr;
    for (const SumField<Trees>& field : fields) {
      if (field.name == name) place = &(trees->*field.tree);
    }
    if (place == nullptr) throw ConfigError(fmt::format("{}: the kernel has no such sum", name));
    if (place->leaves != tree.leaves) {
      throw ConfigError(fmt::format("{}: expected a tree over {} terms, it has {}", name,
                                    place->leaves, tree.leaves));
    }
    *place = tree;
  }
}

}  // namespace samebits

#endif  // SAMEBITS_MODEL_SUM_H_
