#include "model/order/builders.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace samebits::order {
namespace {

constexpr int kChannels = 128;
constexpr int kWarp = 32;

std::vector<int> Range(int first, int count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::vector<int> Distances(int lanes, Distance order) {
  std::vector<int> distances;
  for (int d = 1; d < lanes; d *= 2) distances.push_back(d);
  if (order == Distance::kDescending) std::ranges::reverse(distances);
  return distances;
}

/// Lane 0 of a butterfly over the values of nodes, one per lane: lane i adds the value of lane i ^
/// d for each distance d in turn. Of two lanes that hold the same sum the lower one goes on.
int Exchange(Builder& builder, std::vector<int> lanes, std::span<const int> distances) {
  for (const int d : distances) {
    for (size_t i = 0; i < lanes.size(); ++i) {
      if ((i & d) != 0 || lanes[i] < 0) continue;
      lanes[i] = builder.Add(lanes[i], lanes[i | d]);
      lanes[i | d] = -1;
    }
  }
  return lanes[0];
}

int Exchange(Builder& builder, std::vector<int> lanes, Distance order) {
  const std::vector<int> distances = Distances(static_cast<int>(lanes.size()), order);
  return Exchange(builder, std::move(lanes), distances);
}

std::vector<int> Leaves(Builder& builder, int first, int count) {
  std::vector<int> nodes(count);
  for (int i = 0; i < count; ++i) nodes[i] = builder.Leaf(first + i);
  return nodes;
}

/// What Triton's compiler makes of a lane's sum of products over neighbours: the second product is
/// rounded, the others are fused onto it in order.
int NeighbourSum(Builder& builder, int first, int count) {
  std::vector<int> fused = Range(first, count);
  fused.erase(fused.begin() + 1);
  return builder.Chain(fused, builder.Leaf(first + 1));
}

}  // namespace

Tree Butterfly(int leaves, Distance distance) {
  Builder builder;
  const int root = Exchange(builder, Leaves(builder, 0, leaves), distance);
  return builder.Finish("butterfly", leaves, root);
}

Tree Norm128(std::span<const int> distances) {
  Builder builder;
  std::array<int, 4> w;
  for (int j = 0; j < 4; ++j) {
    w[j] = Exchange(builder, Leaves(builder, kWarp * j, kWarp), distances);
  }
  const int root = builder.Add(builder.Add(w[0], w[2]), builder.Add(w[1], w[3]));
  return builder.Finish("norm128", kChannels, root);
}

Tree Norm128(Distance distance) { return Norm128(Distances(kWarp, distance)); }

Tree Norm128AscendingTail(int scattered) {
  std::vector<int> distances;
  for (int s = 0; s < scattered; ++s) distances.push_back(16 >> s);
  for (int d = 1; d <= (16 >> scattered); d *= 2) distances.push_back(d);
  Tree tree = Norm128(distances);
  tree.name = "norm128_ascending_tail";
  return tree;
}

Tree KeyDot(Distance distance) {
  Builder builder;
  std::vector<int> lanes(8);
  for (int l = 0; l < 8; ++l) {
    std::vector<int> elements(4);
    for (int e = 0; e < 4; ++e) {
      const int key = 4 * l + e;
      elements[e] = builder.Chain(std::array{key, key + 32, key + 64, key + 96});
    }
    lanes[l] = Exchange(builder, elements, distance);
  }
  return builder.Finish("keydot", kChannels, Exchange(builder, lanes, distance));
}

Tree Triton1Warp() {
  Builder builder;
  std::vector<int> lanes(kWarp);
  for (int l = 0; l < kWarp; ++l) lanes[l] = NeighbourSum(builder, 4 * l, 4);
  return builder.Finish("triton_1warp", kChannels, Exchange(builder, lanes, Distance::kDescending));
}

Tree Triton16x8() {
  Builder builder;
  std::vector<int> lanes(16);
  for (int l = 0; l < 16; ++l) lanes[l] = NeighbourSum(builder, 8 * l, 8);
  return builder.Finish("triton_16x8", kChannels, Exchange(builder, lanes, Distance::kDescending));
}

Tree SkinnyGemm() {
  Builder builder;
  std::vector<int> lanes(16);
  for (int l = 0; l < 16; ++l) lanes[l] = builder.Chain(Range(8 * l, 8));
  return builder.Finish("skinny", kChannels, Exchange(builder, lanes, Distance::kDescending));
}

Tree Sequential(int leaves) {
  Builder builder;
  const int root = builder.Chain(Range(0, leaves));
  return builder.Finish("sequential", leaves, root);
}

Tree Pairwise(int leaves) {
  Tree tree = Butterfly(leaves, Distance::kAscending);
  tree.name = "pairwise";
  return tree;
}

Tree Convolution(ConvOrder order) {
  Builder builder;
  const std::array<int, 4> taps =
      order == ConvOrder::kOldestFirst ? std::array{0, 1, 2, 3} : std::array{3, 2, 1, 0};
  const int root = builder.Chain(taps, builder.Start());
  return builder.Finish("convolution", 4, root);
}

std::span<const int, 16> SlotOrder() {
  static constexpr std::array<int, 16> kOrder = {0, 1, 4, 5, 8,  9,  12, 13,
                                                 2, 3, 6, 7, 10, 11, 14, 15};
  return kOrder;
}

Tree MatrixChains(int chains) {
  Builder builder;
  const int length = 8 / chains;
  std::vector<int> results(chains);
  for (int i = 0; i < chains; ++i) {
    int accumulator = builder.Zero();
    for (int j = 0; j < length; ++j) {
      std::vector<int> leaves(SlotOrder().begin(), SlotOrder().end());
      for (int& k : leaves) k += 16 * (i * length + j);
      accumulator = builder.Matrix(leaves, accumulator);
    }
    results[i] = accumulator;
  }
  int sum = results[0];
  for (int i = 1; i < chains; ++i) sum = builder.Add(sum, results[i]);
  if (chains > 1) sum = builder.Add(builder.Zero(), sum);
  return builder.Finish("chain" + std::to_string(length), kChannels, sum);
}

int MatrixChain(std::span<const int> leaves, int instruction_k, Builder* builder) {
  const auto length = static_cast<size_t>(instruction_k);
  int sum = builder->Zero();
  for (size_t first = 0; first < leaves.size(); first += length) {
    sum = builder->Matrix(leaves.subspan(first, std::min(length, leaves.size() - first)), sum);
  }
  return sum;
}

Tree Expanded(const Tree& tree, std::string name, int leaves,
              const std::function<int(int, Builder*)>& make) {
  Builder builder;
  std::vector<int> stack;
  for (const Node& node : tree.nodes) {
    if (node.kind == Node::Kind::kLeaf) {
      stack.push_back(make(tree.LeavesOf(node)[0], &builder));
    } else if (node.kind == Node::Kind::kZero) {
      stack.push_back(builder.Zero());
    } else if (node.kind == Node::Kind::kAdd) {
      const int right = stack.back();
      stack.pop_back();
      stack.back() = builder.Add(stack.back(), right);
    } else {
      throw std::invalid_argument(tree.name + ": expected a tree of additions");
    }
  }
  return builder.Finish(std::move(name), leaves, stack.back());
}

}  // namespace samebits::order
