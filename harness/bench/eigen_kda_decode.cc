#include "harness/bench/eigen_kda_decode.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace samebits::harness {
namespace {

template <typename Derived>
auto Sigmoid(const Eigen::ArrayBase<Derived>& x) {
  return (1.0f + (-x).exp()).inverse();
}

}  // namespace

struct EigenKdaDecode::Impl {
  static constexpr int kDim = 128, kTaps = 4;
  using State = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  using Page = Eigen::Map<State, Eigen::Aligned64>;

  Impl(int token_count, int item_count);
  Page PageOf(int item, int token) {
    return {pages.col(int64_t{item} * tokens + token).data(), kDim, kDim};
  }
  void Convolve(int token);
  void Recur(int item, int token);
  void Run(int item);

  int tokens;
  Eigen::ArrayXXf history;  // [3 * kDim][kTaps - 1 + tokens], oldest first
  Eigen::ArrayXXf weights;  // [3 * kDim][kTaps]
  Eigen::MatrixXf f_a;      // [kDim][tokens]
  Eigen::MatrixXf f_b;      // [kDim][kDim]
  Eigen::ArrayXXf dt_bias, gate, norm_weight;
  Eigen::ArrayXf beta;
  Eigen::ArrayXXf qkv;    // [3 * kDim][tokens]
  Eigen::ArrayXXf decay;  // [kDim][tokens]
  // [items][tokens] states, each a column: that of the first token is also the one before it.
  Eigen::MatrixXf pages;
  Eigen::MatrixXf output;  // [kDim][tokens]
};

EigenKdaDecode::Impl::Impl(int token_count, int item_count)
    : tokens(token_count),
      history(Eigen::ArrayXXf::Random(3 * kDim, kTaps - 1 + tokens)),
      weights(Eigen::ArrayXXf::Random(3 * kDim, kTaps)),
      f_a(Eigen::MatrixXf::Random(kDim, tokens)),
      f_b(Eigen::MatrixXf::Random(kDim, kDim) * 0.1f),
      dt_bias(Eigen::ArrayXXf::Random(kDim, 1)),
      gate(Eigen::ArrayXXf::Random(kDim, tokens)),
      norm_weight(Eigen::ArrayXXf::Random(kDim, 1)),
      beta(Eigen::ArrayXf::Random(tokens)),
      qkv(3 * kDim, tokens),
      decay(kDim, tokens),
      pages(Eigen::MatrixXf::Random(kDim * kDim, Eigen::Index{item_count} * tokens)),
      output(kDim, tokens) {}

void EigenKdaDecode::Impl::Convolve(int token) {
  const auto acc = (history.middleCols(token, kTaps) * weights).rowwise().sum().eval();
  qkv.col(token) = acc * Sigmoid(acc);
  auto q = qkv.col(token).head(kDim), k = qkv.col(token).segment(kDim, kDim);
  q *= 0.088388346f / std::sqrt(q.square().sum() + 1e-6f);
  k *= 1.0f / std::sqrt(k.square().sum() + 1e-6f);
}

void EigenKdaDecode::Impl::Recur(int item, int token) {
  const auto q = qkv.col(token).head(kDim).matrix();
  const auto k = qkv.col(token).segment(kDim, kDim).matrix();
  const auto v = qkv.col(token).tail(kDim).matrix();
  Page state = PageOf(item, token);
  state = PageOf(item, std::max(token - 1, 0)).array().rowwise() * decay.col(token).transpose();
  const Eigen::VectorXf correction = (v - state * k) * (1.0f / (1.0f + std::exp(-beta[token])));
  state.noalias() += correction * k.transpose();
  const Eigen::ArrayXf o = (state * q).array();
  const float inverse = 1.0f / std::sqrt(o.square().mean() + 1e-5f);
  output.col(token) = (o * inverse * norm_weight.col(0) * Sigmoid(gate.col(token))).matrix();
}

void EigenKdaDecode::Impl::Run(int item) {
  for (int t = 0; t < tokens; ++t) Convolve(t);
  const Eigen::ArrayXXf raw = (f_b * f_a).array().colwise() + dt_bias.col(0);
  decay = (-5.0f * Sigmoid(raw)).exp();
  for (int t = 0; t < tokens; ++t) Recur(item, t);
}

EigenKdaDecode::EigenKdaDecode(int tokens, int items)
    : impl_(std::make_unique<Impl>(tokens, items)) {}
EigenKdaDecode::~EigenKdaDecode() = default;
void EigenKdaDecode::Run(int item) { impl_->Run(item); }
const float* EigenKdaDecode::output() const { return impl_->output.data(); }

}  // namespace samebits::harness
