#include "model/order/family.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_set>

namespace samebits::order {
namespace {

using Kind = Join::Kind;
using Visit = std::function<bool(const Form&, const Tree&)>;

constexpr int kFewTerms = 4;       // any order
constexpr int kWarp = 32;          // any order of a butterfly's distances
constexpr int kLargestVector = 8;  // consecutive terms of a vector load

std::vector<int> DistancesOf(int lanes) {
  std::vector<int> distances;
  for (int d = lanes / 2; d > 0; d /= 2) distances.push_back(d);
  return distances;
}

bool IsPowerOfTwo(int n) { return n > 1 && std::has_single_bit(static_cast<unsigned>(n)); }

/// The usual ways to join the positions of a digit.
std::vector<Join> UsualJoins(const Digit& digit) {
  if (digit.extent == 1) return {};
  std::vector<Join> joins;
  if (IsPowerOfTwo(digit.extent)) {
    std::vector<int> distances = DistancesOf(digit.extent);
    joins.push_back({Kind::kButterfly, digit, distances});
    std::ranges::reverse(distances);
    joins.push_back({Kind::kButterfly, digit, distances});
  } else {
    joins.push_back({Kind::kNeighbours, digit, {}});
  }
  joins.push_back({Kind::kAscending, digit, {}});
  joins.push_back({Kind::kDescending, digit, {}});
  return joins;
}

/// Butterflies with the distances in every order.
std::vector<Join> AllButterflies(const Digit& digit) {
  if (!IsPowerOfTwo(digit.extent) || digit.extent > kWarp) return {};
  std::vector<int> distances = DistancesOf(digit.extent);
  std::ranges::sort(distances);
  std::vector<Join> joins;
  do {
    joins.push_back({Kind::kButterfly, digit, distances});
  } while (std::ranges::next_permutation(distances).found);
  return joins;
}

std::vector<Join> Together(std::vector<Join> a, const std::vector<Join>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

using Joins = std::vector<Join>;

/// Lanes in groups: `inner` lanes of a group, then the groups.
void AddGroups(const Digit& lanes, int inner, std::vector<Joins>* list) {
  const int groups = lanes.extent / inner;
  for (const bool interleaved : {false, true}) {
    const Digit in_group = {inner, interleaved ? lanes.stride * groups : lanes.stride};
    const Digit of_groups = {groups, interleaved ? lanes.stride : lanes.stride * inner};
    std::vector<Join> first = UsualJoins(in_group);
    if (inner == kWarp) first = Together(std::move(first), AllButterflies(in_group));
    for (const Join& a : first) {
      for (const Join& b : UsualJoins(of_groups)) list->push_back({a, b});
    }
  }
}

std::vector<Joins> JoinsOf(const Digit& lanes) {
  if (lanes.extent == 1) return {{}};
  std::vector<Joins> list;
  for (const Join& join : UsualJoins(lanes)) list.push_back({join});
  for (const Join& join : AllButterflies(lanes)) list.push_back({join});
  for (int inner = 2; inner < lanes.extent; ++inner) {
    if (lanes.extent % inner == 0) AddGroups(lanes, inner, &list);
  }
  return list;
}

/// Terms of a lane, the elements of its vectors if they are sums of their own, and the lanes.
struct Layout {
  std::vector<Digit> lane;
  Digit elements;
  Digit lanes;
};

void AddVectors(int length, int lanes, std::vector<Layout>* list) {
  for (int vector = 2; vector <= kLargestVector && vector < length; vector *= 2) {
    if (length % vector != 0) continue;
    const Digit elements = {vector, 1}, rows = {length / vector, lanes * vector};
    const Digit over = {lanes, vector};
    list->push_back({{elements, rows}, {}, over});
    list->push_back({{rows, elements}, {}, over});
    list->push_back({{rows}, elements, over});
  }
}

std::vector<Layout> LayoutsOf(int count) {
  std::vector<Layout> list;
  for (int length = 1; length <= count; ++length) {
    if (count % length != 0) continue;
    const int lanes = count / length;
    if (length == 1) {
      list.push_back({{}, {}, {lanes, 1}});
      continue;
    }
    list.push_back({{{length, 1}}, {}, {lanes, length}});
    if (lanes == 1) continue;
    list.push_back({{{length, lanes}}, {}, {lanes, 1}});
    AddVectors(length, lanes, &list);
  }
  return list;
}

std::vector<Products> ProductsOf(const Terms& terms, bool one) {
  if (!terms.products || terms.exact_products) return {Products::kSeparate};
  if (one) return {Products::kSeparate, Products::kSecondRounded};
  return {Products::kFused, Products::kSecondRounded, Products::kSeparate};
}

bool IsSequence(const Joins& joins) {
  return !joins.empty() &&
         (joins[0].kind == Kind::kAscending || joins[0].kind == Kind::kDescending);
}

class Walk {
 public:
  Walk(const Terms& terms, const Visit& visit) : terms_(terms), visit_(visit) {}

  void Run() {
    if (terms_.count <= kFewTerms && !AnyOrder()) return;
    for (const Layout& layout : LayoutsOf(terms_.count)) {
      for (const Joins& elements : JoinsOf(layout.elements)) {
        for (const Joins& lanes : JoinsOf(layout.lanes)) {
          if (layout.lane.empty() && IsSequence(lanes)) continue;  // a lane of its own
          Form form = {.lane = layout.lane, .joins = Together(elements, lanes)};
          if (!OfLayout(std::move(form))) return;
        }
      }
    }
  }

 private:
  bool AnyOrder() {
    std::vector<int> order(terms_.count);
    std::iota(order.begin(), order.end(), 0);
    do {
      Form form = {.order = order};
      if (std::ranges::is_sorted(order)) form = {.lane = {{terms_.count, 1}}};
      if (!OfLayout(std::move(form))) return false;
    } while (std::ranges::next_permutation(order).found);
    return true;
  }

  bool OfLayout(Form form) {
    const bool one = form.lane.empty() && form.order.empty();
    for (const Products products : ProductsOf(terms_, one)) {
      form.products = products;
      for (const bool descending : {false, true}) {
        if (descending && form.lane.size() != 1) continue;
        form.descending = descending;
        if (!OfStart(form)) return false;
      }
    }
    return true;
  }

  bool OfStart(Form form) {
    if (!terms_.start && !terms_.from_zero) return Emit(form);
    form.from_zero = !terms_.start;
    if (form.joins.empty()) {
      form.start = Form::Start::kFirst;
      if (!Emit(form)) return false;
      if (form.from_zero) return true;  // +0 last is +0 first
    }
    form.start = Form::Start::kLast;
    return Emit(form);
  }

  bool Emit(const Form& form) {
    const Tree tree = MakeTree(form, terms_.count);
    return !known_.insert(Fingerprint(tree)).second || visit_(form, tree);
  }

  const Terms& terms_;
  const Visit& visit_;
  std::unordered_set<uint64_t> known_;
};

}  // namespace

Terms Terms::Of(const Tree& tree, bool products, bool exact_products) {
  Terms terms = {.count = tree.leaves, .products = products, .exact_products = exact_products};
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    terms.start = terms.start || tree.nodes[i].kind == Node::Kind::kStart;
    const Node& node = tree.nodes[i];
    if (node.kind != Node::Kind::kAdd) continue;
    for (const int operand : {node.left, node.right}) {
      terms.from_zero = terms.from_zero || tree.nodes[operand].kind == Node::Kind::kZero;
    }
  }
  return terms;
}

void ForEachForm(const Terms& terms, const Visit& visit) { Walk(terms, visit).Run(); }

std::optional<Form> FormOf(const Tree& tree, const Terms& terms) {
  const uint64_t wanted = Fingerprint(tree);
  std::optional<Form> found;
  ForEachForm(terms, [&](const Form& form, const Tree& candidate) {
    if (Fingerprint(candidate) == wanted) found = form;
    return !found;
  });
  return found;
}

}  // namespace samebits::order
