#include "model/kda_decode/trees.h"

#include <array>
#include <bit>
#include <stdexcept>

#include "model/order/builders.h"

namespace samebits::kda_decode {
namespace {

using order::Distance;
using order::Tree;

Tree SquareTree(const Config& config, NormTree choice) {
  switch (choice) {
    case NormTree::kWs:
      return order::Norm128();
    case NormTree::kWsAscending:
      return order::Norm128(Distance::kAscending);
    case NormTree::kWsTailAscending:
      // P2 = 2^bitlen(2T - 1) values are reduced together (SPEC.md 2.2).
      return order::Norm128AscendingTail(
          std::bit_width(static_cast<unsigned>(2 * config.tokens - 1)));
    case NormTree::kButterfly128:
      return order::Butterfly(kHeadDim, Distance::kDescending);
    case NormTree::kTriton:
      return config.tokens == 1 ? order::Norm128() : order::Triton1Warp();
    case NormTree::kTriton1Warp:
      return order::Triton1Warp();
    case NormTree::kTriton16x8:
      return order::Triton16x8();
    case NormTree::kSequential:
      return order::Sequential(kHeadDim);
    case NormTree::kPairwise:
      return order::Pairwise(kHeadDim);
  }
  throw std::logic_error("norm tree of unknown kind");
}

Tree NormSum(const Config& config, NormTree choice, SquareSum squares) {
  const Tree tree = SquareTree(config, choice);
  switch (squares) {
    case SquareSum::kTree:
      return tree;
    case SquareSum::kSeparate:
      return order::Separated(tree);
    case SquareSum::kFused:
      return order::Contracted(tree);
  }
  throw std::logic_error("square sum of unknown kind");
}

Tree KeyTree(DotTree choice) {
  switch (choice) {
    case DotTree::kWs:
      return order::KeyDot();
    case DotTree::kWsAscending:
      return order::KeyDot(Distance::kAscending);
    case DotTree::kTriton1Warp:
      return order::Triton1Warp();
    case DotTree::kSequential:
      return order::Sequential(kHeadDim);
    case DotTree::kPairwise:
      return order::Pairwise(kHeadDim);
  }
  throw std::logic_error("dot tree of unknown kind");
}

Tree WithMultiplyAdd(const Tree& tree, MultiplyAdd choice) {
  return choice == MultiplyAdd::kFused ? order::Contracted(tree) : order::Separated(tree);
}

Tree GateTree(const Config& config, GateChain choice) {
  switch (choice) {
    case GateChain::kConfig:
      return order::MatrixChains(config.gate_mode == 0 ? 1 : 4);
    case GateChain::kChain8:
      return order::MatrixChains(1);
    case GateChain::kChain4x2:
      return order::MatrixChains(4);
    case GateChain::kChain2x4:
      return order::MatrixChains(2);
    case GateChain::kSkinny:
      return order::SkinnyGemm();
  }
  throw std::logic_error("gate chain of unknown kind");
}

constexpr std::array<SumField<Trees>, 6> kSums = {{
    {"convolution", "taps of the convolution and the bias (4.1)", "conv.acc.q", SumTerms::kProducts,
     &Trees::convolution},
    {"qk_norm", "squares of q and k over 128 channels (4.2)", "norm.q.sum",
     SumTerms::kExactProducts, &Trees::qk_norm},
    {"raw_gate", "products of f_b and f_a over 128 ranks (4.4)", "gate.acc", SumTerms::kProducts,
     &Trees::raw_gate},
    {"key_dot", "state and k over 128 keys (4.3)", "dot", SumTerms::kProducts, &Trees::key_dot},
    {"out_dot", "state and q over 128 keys (4.3)", "out.acc", SumTerms::kProducts, &Trees::out_dot},
    {"out_norm", "squares of the output over 128 values (4.2)", "out.sum", SumTerms::kExactProducts,
     &Trees::out_norm},
}};

}  // namespace

Trees MakeTrees(const Config& config, const Choices& c) {
  const auto conv_order = c.conv_order == ConvDirection::kOldestFirst
                              ? order::ConvOrder::kOldestFirst
                              : order::ConvOrder::kNewestFirst;
  Trees trees;
  trees.convolution = WithMultiplyAdd(order::Convolution(conv_order), c.conv_multiply_add);
  trees.qk_norm = NormSum(config, c.qk_norm_tree, c.square_sum);
  trees.raw_gate = GateTree(config, c.raw_gate_chain);
  trees.key_dot = WithMultiplyAdd(KeyTree(c.key_dot_tree), c.key_dot_multiply_add);
  // What is chosen twice is built once.
  if (c.out_dot_tree == c.key_dot_tree && c.out_dot_multiply_add == c.key_dot_multiply_add) {
    trees.out_dot = trees.key_dot;
  } else {
    trees.out_dot = WithMultiplyAdd(KeyTree(c.out_dot_tree), c.out_dot_multiply_add);
  }
  trees.out_norm = c.out_norm_tree == c.qk_norm_tree
                       ? trees.qk_norm
                       : NormSum(config, c.out_norm_tree, c.square_sum);
  ReplaceTrees<Trees>(kSums, c.orders, &trees);
  trees.qk_norm_levels = order::Levels::Of(trees.qk_norm);
  trees.out_norm_levels =
      trees.out_norm == trees.qk_norm ? trees.qk_norm_levels : order::Levels::Of(trees.out_norm);
  return trees;
}

std::vector<Sum> SumsOf(const Trees& trees) { return ListSums<Trees>(kSums, trees); }

}  // namespace samebits::kda_decode
