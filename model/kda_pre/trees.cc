#include "model/kda_pre/trees.h"

#include <array>
#include <span>
#include <vector>

#include "model/kda_pre/projection.h"

namespace samebits::kda_pre {
namespace {

using order::Builder;
using order::Tree;

constexpr int kQuad = 4;
constexpr int kLanes = 64;

/// SEQ (0.2).
int Sequence(Builder* b, std::span<const int> nodes) {
  int sum = nodes[0];
  for (size_t i = 1; i < nodes.size(); ++i) sum = b->Add(sum, nodes[i]);
  return sum;
}

/// HALF_n, or an alternative of it (5).
int Lanes(Builder* b, std::vector<int> nodes, LaneTree form) {
  if (form == LaneTree::kSequential) return Sequence(b, nodes);
  while (nodes.size() > 1) {
    const size_t half = nodes.size() / 2;
    for (size_t i = 0; i < half; ++i) {
      nodes[i] = form == LaneTree::kHalving ? b->Add(nodes[i], nodes[i + half])
                                            : b->Add(nodes[2 * i], nodes[2 * i + 1]);
    }
    nodes.resize(half);
  }
  return nodes[0];
}

std::vector<int> Leaves(Builder* b, int first, int count, int stride = 1) {
  std::vector<int> nodes;
  for (int i = 0; i < count; ++i) nodes.push_back(b->Leaf(first + i * stride));
  return nodes;
}

Tree WithMultiplyAdd(const Tree& tree, MultiplyAdd choice) {
  return choice == MultiplyAdd::kFused ? order::Contracted(tree) : tree;
}

/// DOT4 per quad, then the lanes (T3, T9, T15).
Tree Quads(const char* name, LaneTree form, MultiplyAdd choice) {
  Builder b;
  std::vector<int> quads;
  for (int quad = 0; quad < kSliceColumns / kQuad; ++quad) {
    quads.push_back(Sequence(&b, Leaves(&b, quad * kQuad, kQuad)));
  }
  const int root = Lanes(&b, std::move(quads), form);
  return WithMultiplyAdd(b.Finish(name, kSliceColumns, root), choice);
}

/// T4, T5.
Tree Slices(const char* name, SliceTree form) {
  Builder b;
  if (form == SliceTree::kSequential) {
    const int root = Sequence(&b, Leaves(&b, 0, kSlices));
    return b.Finish(name, kSlices, root);
  }
  const int size = form == SliceTree::kGroups8x7 ? kGroupSlices : kSliceGroups;
  std::vector<int> groups;
  for (int first = 0; first < kSlices; first += size) {
    groups.push_back(Sequence(&b, Leaves(&b, first, size)));
  }
  const int root = Sequence(&b, groups);
  return b.Finish(name, kSlices, root);
}

/// SEQ0: turns a lone -0 into +0 (0.2).
Tree FromZero(const char* name, int leaves, MultiplyAdd choice = MultiplyAdd::kSeparate) {
  Builder b;
  std::vector<int> nodes = {b.Zero()};
  for (const int leaf : Leaves(&b, 0, leaves)) nodes.push_back(leaf);
  const int root = Sequence(&b, nodes);
  return WithMultiplyAdd(b.Finish(name, leaves, root), choice);
}

/// Lane l: x[l]^2 + x[64 + l]^2 (T14).
Tree KeyNorm(LaneTree form, MultiplyAdd choice) {
  Builder b;
  std::vector<int> lanes;
  for (int lane = 0; lane < kLanes; ++lane) {
    lanes.push_back(Sequence(&b, Leaves(&b, lane, 2, kLanes)));
  }
  const int root = Lanes(&b, std::move(lanes), form);
  return WithMultiplyAdd(b.Finish("qk_norm", kHeadDim, root), choice);
}

Tree WeightSum(LaneTree form) {
  Builder b;
  const int root = Lanes(&b, Leaves(&b, 0, kLanes), form);
  return b.Finish("weights", kLanes, root);
}

Tree ValueChunks() {
  Builder b;
  const int root = Sequence(&b, Leaves(&b, 0, kValueChunks));
  return b.Finish("out_norm", kValueChunks, root);
}

using T = Trees;
constexpr std::array<SumField<Trees>, 13> kSums = {{
    {"slice", "squares, and products with the query, of 128 columns (T1 to T3)", "part",
     SumTerms::kProducts, &T::slice},
    {"sources", "partials of 56 slices (T4, T5)", "logit", SumTerms::kValues, &T::sources},
    {"weights", "weights of the sources over 64 lanes (T7)", "weight", SumTerms::kValues,
     &T::weights},
    {"mix", "sources times weights (T8)", "mixed", SumTerms::kProducts, &T::mix},
    {"mix_norm", "squares of the mix over 128 columns (T9)", "msq", SumTerms::kProducts,
     &T::mix_norm},
    {"mix_slices", "partials of 56 slices (T4, T5)", "x", SumTerms::kValues, &T::mix_slices},
    {"waves", "chains of in_proj (T11)", "proj", SumTerms::kValues, &T::waves},
    {"convolution", "taps of the convolution (T12)", "qk", SumTerms::kProducts, &T::convolution},
    {"qk_norm", "squares of q and k over 128 channels (T14)", "qkn", SumTerms::kExactProducts,
     &T::qk_norm},
    {"key_dot", "state and k over 128 keys (T15)", "dot", SumTerms::kProducts, &T::key_dot},
    {"out_dot", "state and q over 128 keys (T15)", "out.raw", SumTerms::kProducts, &T::out_dot},
    {"value_chunk", "squares of 16 outputs (T16)", "onrm", SumTerms::kExactProducts,
     &T::value_chunk},
    {"out_norm", "partials of 8 chunks (T17)", "core_out", SumTerms::kValues, &T::out_norm},
}};

}  // namespace

Trees MakeTrees(const Config& config, const Choices& c) {
  Trees trees = {
      .slice = Quads("slice", c.slice_tree, c.slice_multiply_add),
      .sources = Slices("sources", c.source_tree),
      .weights = WeightSum(c.weight_tree),
      .mix = FromZero("mix", config.sources(), c.mix_multiply_add),
      .mix_norm = Quads("mix_norm", c.mix_norm_tree, c.mix_norm_multiply_add),
      .mix_slices = Slices("mix_slices", c.mix_norm_slices),
      .waves = FromZero("waves", static_cast<int>(ProjectionChains(c).size())),
      .convolution = FromZero("convolution", kConvWidth, c.conv_multiply_add),
      .qk_norm = KeyNorm(c.qk_norm_tree, c.qk_norm_multiply_add),
      .key_dot = Quads("key_dot", c.key_dot_tree, c.key_dot_multiply_add),
      .out_dot = Quads("out_dot", c.out_dot_tree, c.out_dot_multiply_add),
      .value_chunk = FromZero("value_chunk", kValueChunk, c.out_norm_multiply_add),
      .out_norm = ValueChunks(),
  };
  ReplaceTrees<Trees>(kSums, c.orders, &trees);
  return trees;
}

std::vector<Sum> SumsOf(const Trees& trees) { return ListSums<Trees>(kSums, trees); }

}  // namespace samebits::kda_pre
