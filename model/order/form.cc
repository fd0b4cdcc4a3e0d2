#include "model/order/form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace samebits::order {
namespace {

std::vector<int> Positions(const std::vector<Digit>& digits) {
  std::vector<int> positions = {0};
  for (const Digit& digit : digits) {
    const std::vector<int> inner = positions;
    for (int i = 1; i < digit.extent; ++i) {
      for (const int p : inner) positions.push_back(p + i * digit.stride);
    }
  }
  return positions;
}

int Sequence(Builder* b, const std::vector<int>& nodes) {
  int sum = nodes[0];
  for (size_t i = 1; i < nodes.size(); ++i) sum = b->Add(sum, nodes[i]);
  return sum;
}

/// A lane's sum onto node `start`, or from nothing (-1).
int Lane(Builder* b, Products products, const std::vector<int>& terms, int start) {
  const bool second = products == Products::kSecondRounded && terms.size() > 1;
  std::vector<int> fused = terms;
  if (start < 0 && products != Products::kFused) {
    start = b->Leaf(terms[second]);
    fused.erase(fused.begin() + second);
  }
  if (products != Products::kSeparate) return fused.empty() ? start : b->Chain(fused, start);
  std::vector<int> nodes = {start};
  for (const int term : fused) nodes.push_back(b->Leaf(term));
  return Sequence(b, nodes);
}

int Combine(Builder* b, const Join& join, std::vector<int> nodes) {
  const size_t n = nodes.size();
  switch (join.kind) {
    case Join::Kind::kDescending:
      std::ranges::reverse(nodes);
      return Sequence(b, nodes);
    case Join::Kind::kAscending:
      return Sequence(b, nodes);
    case Join::Kind::kNeighbours:
      for (size_t step = 1; step < n; step *= 2) {
        for (size_t i = 0; i + step < n; i += 2 * step)
          nodes[i] = b->Add(nodes[i], nodes[i + step]);
      }
      return nodes[0];
    case Join::Kind::kButterfly:
      for (const int d : join.distances) {
        for (size_t i = 0; i < n; ++i) {
          if ((i & d) != 0 || nodes[i] < 0) continue;
          nodes[i] = b->Add(nodes[i], nodes[i | d]);
          nodes[i | d] = -1;
        }
      }
      return nodes[0];
  }
  return nodes[0];
}

class Maker {
 public:
  explicit Maker(const Form& form)
      : form_(form), lane_(form.order.empty() ? Positions(form.lane) : form.order) {
    if (form.descending) std::ranges::reverse(lane_);
  }

  int Root() {
    const bool first = form_.start == Form::Start::kFirst;
    if (first) return Sum(form_.joins.size(), 0, StartNode());
    const int sum = Sum(form_.joins.size(), 0, -1);
    return form_.start == Form::Start::kLast ? b_.Add(StartNode(), sum) : sum;
  }
  const Builder& builder() const { return b_; }

 private:
  int StartNode() { return form_.from_zero ? b_.Zero() : b_.Start(); }

  /// Of the partial sums that the first `level` joins make one of.
  int Sum(size_t level, int offset, int start) {
    if (level == 0) {
      std::vector<int> terms = lane_;
      for (int& term : terms) term += offset;
      return Lane(&b_, form_.products, terms, start);
    }
    const Join& join = form_.joins[level - 1];
    std::vector<int> nodes;
    for (int i = 0; i < join.digit.extent; ++i) {
      nodes.push_back(Sum(level - 1, offset + i * join.digit.stride, start));
    }
    return Combine(&b_, join, std::move(nodes));
  }

  const Form& form_;
  std::vector<int> lane_;
  Builder b_;
};

bool IsOne(const Form& form) { return form.lane.empty() && form.order.empty(); }

std::string LaneWords(const Form& form) {
  if (!form.order.empty()) return fmt::format("terms {} in sequence", fmt::join(form.order, ", "));
  if (form.lane.size() == 1) {
    const Digit& d = form.lane[0];
    if (form.joins.empty()) return fmt::format("all {} terms in sequence", d.extent);
    return d.stride == 1 ? fmt::format("{} consecutive terms per lane", d.extent)
                         : fmt::format("{} terms {} apart per lane", d.extent, d.stride);
  }
  const bool vector_first = form.lane[0].stride == 1;
  const Digit& vector = form.lane[vector_first ? 0 : 1];
  const Digit& rows = form.lane[vector_first ? 1 : 0];
  return fmt::format("{} vectors of {} consecutive terms, {} apart, per lane ({})", rows.extent,
                     vector.extent, rows.stride,
                     vector_first ? "vector by vector" : "element by element");
}

std::string ProductWords(Products products, bool one) {
  switch (products) {
    case Products::kSeparate:
      return ", products rounded";
    case Products::kFused:
      return ", fused";
    case Products::kSecondRounded:
      return one ? ", contracted with the first addition" : ", fused onto the second product";
  }
  return "";
}

std::string JoinWords(const Join& join) {
  switch (join.kind) {
    case Join::Kind::kAscending:
      return "in sequence";
    case Join::Kind::kDescending:
      return "in sequence, the last first";
    case Join::Kind::kNeighbours:
      return "neighbours first";
    case Join::Kind::kButterfly:
      return fmt::format("by butterfly {}", fmt::join(join.distances, ", "));
  }
  return "";
}

void RequireEachOnce(const Tree& tree) {
  std::vector<bool> seen(tree.leaves);
  for (const int leaf : tree.sequence) {
    if (leaf < 0 || leaf >= tree.leaves || seen[leaf]) {
      throw std::invalid_argument(fmt::format("form: expected each of {} terms once", tree.leaves));
    }
    seen[leaf] = true;
  }
  if (static_cast<int>(tree.sequence.size()) != tree.leaves) {
    throw std::invalid_argument(fmt::format("form: expected each of {} terms", tree.leaves));
  }
}

}  // namespace

Tree MakeTree(const Form& form, int leaves) {
  Maker maker(form);
  const int root = maker.Root();
  Tree tree = maker.builder().Finish("form", leaves, root);
  RequireEachOnce(tree);
  return IsOne(form) && form.products == Products::kSecondRounded ? Contracted(tree) : tree;
}

std::string Words(const Form& form, bool products) {
  const bool one = IsOne(form);
  std::string text = one ? "a lane per term" : LaneWords(form);
  if (form.descending) text += ", the last first";
  if (products) text += ProductWords(form.products, one);
  for (size_t i = 0; i < form.joins.size(); ++i) {
    const Join& join = form.joins[i];
    text +=
        fmt::format("; {} {} {}", join.digit.extent, i == 0 ? "lanes" : "groups", JoinWords(join));
  }
  if (form.start == Form::Start::kLast) text += "; the start value last";
  return text;
}

}  // namespace samebits::order
