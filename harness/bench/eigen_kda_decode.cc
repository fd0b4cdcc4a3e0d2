#include "harness/bench/eigen_kda_decode.h"

namespace samebits::harness {
namespace {

template <typename Derived>
auto Sigmoid(const Eigen::ArrayBase<Derived>& x) {
  return (1.0f + (-x).exp()).inverse();
}

}  // namespace

EigenKdaDecode::EigenKdaDecode(int tokens)
    : tokens_(tokens),
      history_(Eigen::ArrayXXf::Random(3 * kDim, kTaps - 1 + tokens)),
      weights_(Eigen::ArrayXXf::Random(3 * kDim, kTaps)),
      f_a_(Eigen::MatrixXf::Random(kDim, tokens)),
      f_b_(Eigen::MatrixXf::Random(kDim, kDim) * 0.1f),
      dt_bias_(Eigen::ArrayXXf::Random(kDim, 1)),
      gate_(Eigen::ArrayXXf::Random(kDim, tokens)),
      norm_weight_(Eigen::ArrayXXf::Random(kDim, 1)),
      beta_(Eigen::ArrayXf::Random(tokens)),
      qkv_(3 * kDim, tokens),
      decay_(kDim, tokens),
      page_(State::Random()),
      state_(page_),
      output_(kDim, tokens) {}

void EigenKdaDecode::Convolve(int token) {
  const auto acc = (history_.middleCols(token, kTaps) * weights_).rowwise().sum().eval();
  qkv_.col(token) = acc * Sigmoid(acc);
  auto q = qkv_.col(token).head(kDim), k = qkv_.col(token).segment(kDim, kDim);
  q *= 0.088388346f / std::sqrt(q.square().sum() + 1e-6f);
  k *= 1.0f / std::sqrt(k.square().sum() + 1e-6f);
}

void EigenKdaDecode::Recur(int token) {
  const auto q = qkv_.col(token).head(kDim).matrix();
  const auto k = qkv_.col(token).segment(kDim, kDim).matrix();
  const auto v = qkv_.col(token).tail(kDim).matrix();
  state_.array().rowwise() *= decay_.col(token).transpose();
  const Eigen::VectorXf correction = (v - state_ * k) * (1.0f / (1.0f + std::exp(-beta_[token])));
  state_.noalias() += correction * k.transpose();
  const Eigen::ArrayXf o = (state_ * q).array();
  const float inverse = 1.0f / std::sqrt(o.square().mean() + 1e-5f);
  output_.col(token) = (o * inverse * norm_weight_.col(0) * Sigmoid(gate_.col(token))).matrix();
}

void EigenKdaDecode::Run() {
  state_ = page_;
  for (int t = 0; t < tokens_; ++t) Convolve(t);
  const Eigen::ArrayXXf raw = (f_b_ * f_a_).array().colwise() + dt_bias_.col(0);
  decay_ = (-5.0f * Sigmoid(raw)).exp();
  for (int t = 0; t < tokens_; ++t) Recur(t);
}

}  // namespace samebits::harness
