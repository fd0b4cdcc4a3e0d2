#include "tests/model/shared_expert/specification.h"

#include <cstring>

#include "model/arith/bfloat16.h"
#include "model/profiles/matrix_units.h"
#include "model/shared_expert/situ.h"

namespace samebits::shared_expert::testing {
namespace {

using arith::RoundToBf16;
using arith::Widen;

uint16_t WithoutNegativeZero(uint16_t x) { return x == 0x8000 ? 0 : x; }

float Situ(const Config& config, float g, float u) {
  const Choices choices;
  const Math math(choices, Path::kPlain);
  const Betas betas = {config.beta, config.linear_beta};
  float a = 0, b = 0;
  SituGate(math, SituForm::kStock, betas, In(&g, 1), Out(&a, 1));
  SituUp(math, SituForm::kStock, betas, In(&u, 1), Out(&b, 1));
  return arith::Mul(a, b);
}

/// One (step, rank).
class RankStep {
 public:
  RankStep(const Case& c, int step, int index, TensorSet* outputs)
      : c_(c), config_(c.config), s_(MakeSizes(c.config)), index_(index), outputs_(*outputs) {
    rank_ = config_.rank == kAllRanks ? index : config_.rank;
    half_ = (config_.parity + step) % 2;
    x_ = Input("x") + int64_t{step} * s_.batch * s_.width;
  }

  void Run() {
    for (int t = 0; t < s_.batch; ++t) {
      GateHalf(t);
      if (config_.variant == Variant::kFront) Front(t);
      Down(t);
    }
  }

 private:
  const uint16_t* Input(const char* name) const {
    return c_.inputs.At(Role::kInput, name).view<uint16_t>().data();
  }
  uint16_t* Output(const char* name) const {
    return outputs_.At(Role::kOutput, name).view<uint16_t>().data();
  }
  const uint16_t* Token(int t) const { return x_ + int64_t{t} * s_.width; }
  uint16_t* H(int t) const { return Output("h") + (int64_t{index_} * s_.batch + t) * s_.hidden; }

  void GateHalf(int t) {
    const uint16_t* w = Input("gate_up") + int64_t{index_} * 2 * s_.hidden * s_.width;
    for (int j = 0; j < s_.hidden; ++j) {
      const float g = OwnerSum(s_, w + int64_t{j} * s_.width, Token(t));
      const float u = OwnerSum(s_, w + int64_t{s_.hidden + j} * s_.width, Token(t));
      H(t)[j] = RoundToBf16(Situ(config_, Widen(RoundToBf16(g)), Widen(RoundToBf16(u))));
    }
  }

  void Down(int t) {
    const uint16_t* w = Input("down") + int64_t{index_} * s_.width * s_.hidden;
    for (int o = 0; o < s_.width; ++o) {
      const float y = Chain(w + int64_t{o} * s_.hidden, H(t), 0, s_.hidden / 64);
      const int64_t peer = o / s_.shard;
      const int64_t slot = (peer * 2 + half_) * s_.tp + rank_;
      Output("mailbox")[(slot * config_.capacity + t) * s_.shard + o % s_.shard] =
          WithoutNegativeZero(RoundToBf16(y));
    }
  }

  void Front(int t) {
    const auto& f = config_.front;
    const uint16_t* w = Input("front") + int64_t{index_} * f.rows * s_.width;
    float* logits = outputs_.At(Role::kOutput, "front_logits").view<float>().data();
    for (int row = 0; row < f.rows; ++row) {
      const bool logit = row < f.valid;
      const int column = row - f.split;
      if (!logit && (column < 0 || column >= s_.latent_shard)) continue;
      const float sum = OwnerSum(s_, w + int64_t{row} * s_.width, Token(t));
      for (int64_t peer = 0; peer < s_.tp; ++peer) {
        const int64_t place = peer * s_.batch + t;
        if (logit) {
          logits[place * config_.geometry.experts + f.slot + rank_ * f.valid + row] = sum;
        } else {
          Output("front_latent")[place * config_.geometry.latent + f.base +
                                 rank_ * s_.latent_shard + column] =
              WithoutNegativeZero(RoundToBf16(sum));
        }
      }
    }
  }

  const Case& c_;
  const Config& config_;
  const Sizes s_;
  const int index_;
  TensorSet& outputs_;
  int rank_ = 0, half_ = 0;
  const uint16_t* x_ = nullptr;
};

void Consume(const Config& config, int step, TensorSet* outputs) {
  const Sizes s = MakeSizes(config);
  uint16_t* mailbox = outputs->At(Role::kOutput, "mailbox").view<uint16_t>().data();
  uint16_t* reduced = outputs->At(Role::kOutput, "reduced").view<uint16_t>().data();
  for (int64_t t = 0; t < s.batch; ++t) {
    for (int o = 0; o < s.width; ++o) {
      float sum = 0.0f;
      for (int64_t source = 0; source < s.tp; ++source) {
        const int64_t slot = (o / s.shard * 2 + (config.parity + step) % 2) * s.tp + source;
        uint16_t& value = mailbox[(slot * config.capacity + t) * s.shard + o % s.shard];
        sum = arith::Add(sum, Widen(value));
        value = o % 2 == 0 ? 0x0000 : 0x8000;
      }
      reduced[(step * s.batch + t) * s.width + o] = RoundToBf16(sum);
    }
  }
}

}  // namespace

Sizes MakeSizes(const Config& c) {
  Sizes s{};
  s.tp = c.tp;
  s.ranks = c.rank == kAllRanks ? c.tp : 1;
  s.batch = c.batch;
  s.width = c.geometry.width;
  s.hidden = c.geometry.intermediate / c.tp;
  s.ks = c.variant == Variant::kFront ? c.front.ks : c.geometry.grid / (2 * s.hidden / 64);
  s.owner_width = s.ks < 8 ? 8 : 4;
  s.shard = s.width / c.tp;
  s.latent_shard = c.geometry.latent / c.tp;
  return s;
}

float Chain(const uint16_t* weights, const uint16_t* tokens, int first, int count) {
  static const units::MatrixUnit& unit = profiles::FindMatrixUnit("sm_90.wgmma")->unit;
  float acc = 0.0f;
  for (int k = 64 * first; k < 64 * (first + count); k += 16) {
    acc = units::Dot(unit, weights + k, tokens + k, 16, acc);
  }
  return acc;
}

void DefaultSpan(int total, int c, int parts, int* first, int* count) {
  *first = 0;
  for (int i = 0; i <= c; ++i) {
    *first += i == 0 ? 0 : *count;
    *count = (total - *first + parts - i - 1) / (parts - i);  // as even as the rest allows
  }
}

float OwnerSum(const Sizes& sizes, const uint16_t* weights, const uint16_t* token) {
  float sum = 0.0f;
  for (int c = 0; c < sizes.ks; ++c) {
    int first = 0, count = 0;
    DefaultSpan(sizes.width / 64, c, sizes.ks, &first, &count);
    sum = arith::Add(sum, Chain(weights, token, first, count));
  }
  return sum;
}

TensorSet ExpectedOutputs(const Case& c) {
  TensorSet outputs;
  const Sizes s = MakeSizes(c.config);
  const auto add = [&](const char* name, std::vector<std::string> dims,
                       std::vector<int64_t> shape) {
    outputs.tensors.emplace_back(
        TensorSpec{name, Role::kOutput, DType::kBf16, std::move(dims), std::move(shape)});
  };
  add("h", {"rank", "token", "column"}, {s.ranks, s.batch, s.hidden});
  if (c.config.consumer) {
    add("reduced", {"step", "token", "column"}, {c.config.steps, s.batch, s.width});
  }
  for (const Tensor& input : c.inputs.tensors) {
    for (const char* name : {"counters", "mailbox", "front_latent", "front_logits"}) {
      if (input.spec.name != name) continue;
      outputs.tensors.push_back(input);
      outputs.tensors.back().spec.role = Role::kOutput;
    }
  }
  for (int step = 0; step < c.config.steps; ++step) {
    for (int i = 0; i < s.ranks; ++i) RankStep(c, step, i, &outputs).Run();
    if (c.config.consumer) Consume(c.config, step, &outputs);
  }
  return outputs;
}

}  // namespace samebits::shared_expert::testing
