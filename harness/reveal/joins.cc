#include "harness/reveal/joins.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>

namespace samebits::harness {
namespace {

/// The tree restricted to some terms, each of which may stand for a subtree.
struct Problem {
  std::vector<int> terms;
  int i = -1, j = -1;  // the pair that splits the others
  std::unique_ptr<Problem> with_i, with_j, beside, above;
};

/// The rest of a problem is split by which of i and j it meets, and when.
void Split(Problem* problem, const std::vector<FirstPair>& answers, size_t first) {
  std::vector<int> with_i = {problem->i}, with_j = {problem->j}, beside = {problem->i},
                   above = {problem->i};
  for (const int k : problem->terms) {
    if (k == problem->i || k == problem->j) continue;
    switch (answers[first++]) {
      case FirstPair::kIJ:
        above.push_back(k);
        break;
      case FirstPair::kIK:
        with_i.push_back(k);
        break;
      case FirstPair::kJK:
        with_j.push_back(k);
        break;
      case FirstPair::kNone:
        beside.push_back(k);
        break;
    }
  }
  const auto make = [](std::vector<int> terms) {
    auto part = std::make_unique<Problem>();
    part->terms = std::move(terms);
    return part;
  };
  problem->with_i = make(std::move(with_i));
  problem->with_j = make(std::move(with_j));
  problem->beside = make(std::move(beside));
  problem->above = make(std::move(above));
}

class Assembler {
 public:
  explicit Assembler(Joins* joins) : joins_(*joins) {}

  /// `stands_for`: nodes that take the place of terms.
  int Assemble(const Problem& problem, std::map<int, int> stands_for) {
    if (problem.terms.size() == 1) return Term(problem.terms[0], stands_for);
    int node = Push({Assemble(*problem.with_i, stands_for), Assemble(*problem.with_j, stands_for)});
    if (problem.beside->terms.size() > 1) {
      const int with_i = joins_.nodes[node].children[0], with_j = joins_.nodes[node].children[1];
      stands_for[problem.i] = with_i;
      node = Assemble(*problem.beside, stands_for);
      auto& children = joins_.nodes[node].children;
      if (std::ranges::find(children, with_i) == children.end()) Inconsistent();
      children.push_back(with_j);
    }
    stands_for[problem.i] = node;
    return Assemble(*problem.above, stands_for);
  }

  [[noreturn]] static void Inconsistent() {
    throw std::runtime_error("the probes contradict one another: no summation tree explains them");
  }

 private:
  int Term(int term, const std::map<int, int>& stands_for) {
    const auto found = stands_for.find(term);
    if (found != stands_for.end()) return found->second;
    joins_.nodes.push_back({term, {}});
    return static_cast<int>(joins_.nodes.size()) - 1;
  }
  int Push(std::vector<int> children) {
    joins_.nodes.push_back({-1, std::move(children)});
    return static_cast<int>(joins_.nodes.size()) - 1;
  }

  Joins& joins_;
};

/// Children first, children in the order of their smallest term, unused nodes dropped.
class Sorter {
 public:
  explicit Sorter(const Joins& joins) : from_(joins) {}

  Joins Sort(int root) {
    Copy(root);
    return std::move(to_);
  }

 private:
  struct Copied {
    int node, smallest;
  };
  Copied Copy(int node) {
    Joins::Node copy;
    copy.leaf = from_.nodes[node].leaf;
    std::vector<Copied> children;
    for (const int child : from_.nodes[node].children) children.push_back(Copy(child));
    std::ranges::sort(children, {}, &Copied::smallest);
    for (const Copied& child : children) copy.children.push_back(child.node);
    const int smallest = children.empty() ? copy.leaf : children.front().smallest;
    to_.nodes.push_back(std::move(copy));
    return {static_cast<int>(to_.nodes.size()) - 1, smallest};
  }

  const Joins& from_;
  Joins to_;
};

}  // namespace

std::vector<int> Joins::LeavesBelow(int node) const {
  if (nodes[node].leaf >= 0) return {nodes[node].leaf};
  std::vector<int> leaves;
  for (const int child : nodes[node].children) {
    const std::vector<int> below = LeavesBelow(child);
    leaves.insert(leaves.end(), below.begin(), below.end());
  }
  std::ranges::sort(leaves);
  return leaves;
}

FirstPair Joins::Answer(const Triple& triple) const {
  // The deepest node that holds at least two of the three terms.
  std::vector<std::array<bool, 3>> holds(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    holds[n] = {nodes[n].leaf == triple.i, nodes[n].leaf == triple.j, nodes[n].leaf == triple.k};
    for (const int child : nodes[n].children) {
      for (size_t t = 0; t < 3; ++t) holds[n][t] = holds[n][t] || holds[child][t];
    }
    const auto [i, j, k] = holds[n];
    if (i + j + k < 2) continue;
    if (i && j && k) return FirstPair::kNone;
    return i && j ? FirstPair::kIJ : i && k ? FirstPair::kIK : FirstPair::kJK;
  }
  throw std::logic_error("a tree lacks a term");
}

Joins FindJoins(int leaves, const TripleOracle& oracle) {
  Problem whole;
  whole.terms.resize(leaves);
  std::iota(whole.terms.begin(), whole.terms.end(), 0);
  std::mt19937 random(1);  // which pair splits does not change the answer
  std::vector<Problem*> open = {&whole};
  while (!open.empty()) {
    std::vector<Triple> questions;
    std::vector<size_t> first;
    std::erase_if(open, [](const Problem* problem) { return problem->terms.size() < 2; });
    for (Problem* problem : open) {
      std::vector<int>& terms = problem->terms;
      std::swap(terms[0], terms[random() % terms.size()]);
      std::swap(terms[1], terms[1 + random() % (terms.size() - 1)]);
      problem->i = terms[0];
      problem->j = terms[1];
      first.push_back(questions.size());
      for (size_t k = 2; k < terms.size(); ++k) {
        questions.push_back({problem->i, problem->j, terms[k]});
      }
    }
    const std::vector<FirstPair> answers =
        questions.empty() ? std::vector<FirstPair>() : oracle(questions);
    std::vector<Problem*> next;
    for (size_t p = 0; p < open.size(); ++p) {
      const size_t terms = open[p]->terms.size();
      Split(open[p], answers, first[p]);
      for (Problem* part : {open[p]->with_i.get(), open[p]->with_j.get(), open[p]->beside.get(),
                            open[p]->above.get()}) {
        if (part->terms.size() >= terms) Assembler::Inconsistent();
        next.push_back(part);
      }
    }
    open = std::move(next);
  }
  Joins joins;
  const int root = Assembler(&joins).Assemble(whole, {});
  return Sorter(joins).Sort(root);
}

}  // namespace samebits::harness
