#include "tests/model/kda_decode/specification.h"

#include <bit>

#include "model/arith/bfloat16.h"
#include "model/kda_decode/plan.h"
#include "model/profiles/matrix_units.h"
#include "model/profiles/special_functions_sm_90.h"
#include "model/units/matrix_unit.h"
#include "model/units/special_functions.h"

namespace samebits::kda_decode::testing {
namespace {

using arith::Add;
using arith::Fma;
using arith::FromBits;
using arith::Mul;
using arith::Sub;
using units::Instruction;

float Unit(Instruction instruction, float x) {
  return units::Evaluate(profiles::Sm90SpecialFunctions(), instruction, x);
}
float Exp(float x) { return Unit(Instruction::kEx2ApproxF32, Mul(x, FromBits(0x3FB8AA3B))); }
float Rcp(float x) { return Unit(Instruction::kRcpApproxF32, x); }
float Root(float x) { return Unit(Instruction::kSqrtApproxF32, x); }
float Quotient(float a, float b) { return units::DivFull(profiles::Sm90SpecialFunctions(), a, b); }
float Sigmoid(float x) { return Quotient(1.0f, Add(1.0f, Exp(-x))); }
float Silu(float x) { return Quotient(x, Add(1.0f, Exp(-x))); }
float Bf(float x) { return arith::Widen(arith::RoundToBf16(x)); }

/// 4.2.
float B32(const float* leaves) {
  float x[32];
  for (int i = 0; i < 32; ++i) x[i] = leaves[i];
  for (const int o : {16, 8, 4, 2, 1}) {
    for (int i = 0; i < o; ++i) x[i] = Add(x[i], x[i + o]);
  }
  return x[0];
}
float Norm128(const float* x) {
  return Add(Add(B32(x), B32(x + 64)), Add(B32(x + 32), B32(x + 96)));
}

/// 4.3.
float KeyDot(const float* s, const float* b) {
  float p[8];
  for (int l = 0; l < 8; ++l) {
    float c[4];
    for (int e = 0; e < 4; ++e) {
      c[e] = 0.0f;
      for (int j = 0; j < 4; ++j) {
        const int k = 4 * l + e + 32 * j;
        c[e] = Fma(s[k], b[k], c[e]);
      }
    }
    p[l] = Add(Add(c[0], c[2]), Add(c[1], c[3]));
  }
  return Add(Add(Add(p[0], p[4]), Add(p[2], p[6])), Add(Add(p[1], p[5]), Add(p[3], p[7])));
}

/// 3.6; w, x: 128 bf16 values.
float RawGate(int mode, const uint16_t* w, const uint16_t* x) {
  const units::MatrixUnit& unit = profiles::FindMatrixUnit("sm_90.mma_sync")->unit;
  const auto mma = [&](int c, float a) { return units::Dot(unit, w + 16 * c, x + 16 * c, 16, a); };
  if (mode == 0) {
    float a = 0.0f;
    for (int c = 0; c < 8; ++c) a = mma(c, a);
    return a;
  }
  float a[4];
  for (int i = 0; i < 4; ++i) a[i] = mma(2 * i + 1, mma(2 * i, 0.0f));
  return Add(0.0f, Add(Add(Add(a[0], a[1]), a[2]), a[3]));
}

class Specification {
 public:
  explicit Specification(const Case& c) : c_(c.config), in_(c.inputs) {
    for (const Operand& operand : MakePlan(c.config, false).operands) {
      if (operand.spec.role == Role::kInput && !operand.output) continue;
      Tensor tensor(operand.spec);
      if (operand.output) {
        tensor = in_.At(Role::kInput, operand.spec.name);
      } else {
        FillPoison(operand.spec.dtype, tensor.data);
      }
      tensor.spec.role = Role::kOutput;
      out_.tensors.push_back(std::move(tensor));
    }
  }

  TensorSet Compute() {
    for (int r = 0; r < c_.requests; ++r) {
      for (int h = 0; h < c_.heads; ++h) Item(r, h);
    }
    return std::move(out_);
  }

 private:
  template <typename T>
  std::span<const T> In(const char* name) const {
    return in_.At(Role::kInput, name).view<T>();
  }
  template <typename T>
  std::span<T> Out(const char* name) {
    return out_.At(Role::kOutput, name).view<T>();
  }
  int32_t Slot(int r, int column) const {
    return In<int32_t>("slots")[r * SlotColumns(c_) + column];
  }

  int64_t ConvIndex(int64_t slot, int64_t channel, int64_t position) const {
    const int64_t channels = 3 * c_.dim();
    return c_.conv_layout == ConvLayout::kChannelInner
               ? (slot * c_.window + position) * channels + channel
               : (slot * channels + channel) * c_.window + position;
  }

  void Item(int r, int h) {
    const int T = c_.tokens;
    const int64_t D = c_.dim();
    const int off = T == 1 ? 0 : In<int32_t>("num_accepted")[r] - 1;
    const int32_t s = Slot(r, off), cs = Slot(r, 0);
    if (s <= 0) {
      for (int t = 0; t < T; ++t) {
        for (int v = 0; v < 128; ++v) Out<uint16_t>("output")[(r * T + t) * D + h * 128 + v] = 0;
      }
      return;
    }
    // 3.2
    static float u[3][8][128];
    for (int p = 0; p < 3; ++p) {
      for (int c = 0; c < 128; ++c) Convolution(r, h, p, c, off, cs, u[p]);
    }
    // 3.3, 3.4
    static float qn[8][128], kn[8][128];
    for (int t = 0; t < T; ++t) {
      for (int p = 0; p < 2; ++p) {
        float sq[128];
        for (int c = 0; c < 128; ++c) sq[c] = Mul(u[p][t][c], u[p][t][c]);
        const float f = Rcp(Root(Add(Norm128(sq), FromBits(0x358637BD))));
        for (int c = 0; c < 128; ++c) {
          if (p == 0) qn[t][c] = Mul(Mul(u[0][t][c], f), c_.scale);
          if (p == 1) kn[t][c] = Mul(u[1][t][c], f);
        }
      }
    }
    // 3.5 to 3.7
    const float A = Exp(In<float>("a_log")[h]);
    static float d[8][128], rg[8][128];
    float beta[8];
    for (int t = 0; t < T; ++t) {
      beta[t] = Sigmoid(arith::Widen(In<uint16_t>("beta")[(r * T + t) * c_.heads + h]));
      for (int f = 0; f < 128; ++f) {
        rg[t][f] = Bf(RawGate(c_.gate_mode, In<uint16_t>("f_b").data() + (h * 128 + f) * 128,
                              In<uint16_t>("f_a").data() + (r * T + t) * 128));
        const float x2 = Mul(A, Add(rg[t][f], In<float>("dt_bias")[h * 128 + f]));
        d[t][f] = Exp(Mul(c_.lower_bound, Sigmoid(x2)));
      }
    }
    // 3.8, 2.5
    static float S[128][128], o[8][128];
    for (int v = 0; v < 128; ++v) {
      for (int k = 0; k < 128; ++k) {
        S[v][k] = In<float>("state")[((int64_t{s} * c_.heads + h) * 128 + v) * 128 + k];
      }
    }
    for (int t = 0; t < T; ++t) {
      for (int v = 0; v < 128; ++v) {
        for (int k = 0; k < 128; ++k) S[v][k] = Mul(S[v][k], d[t][k]);
        const float corr = Mul(Sub(u[2][t][v], KeyDot(S[v], kn[t])), beta[t]);
        for (int k = 0; k < 128; ++k) S[v][k] = Fma(kn[t][k], corr, S[v][k]);
        o[t][v] = Bf(KeyDot(S[v], qn[t]));
        if (c_.record) {
          const int64_t row = (int64_t{cs} * c_.heads + h) * T + t;
          Out<float>("correction_record")[row * 128 + v] = corr;
          Out<uint16_t>("key_gate_record")[row * 256 + v] = arith::RoundToBf16(u[1][t][v]);
          Out<uint16_t>("key_gate_record")[row * 256 + 128 + v] = arith::RoundToBf16(rg[t][v]);
          continue;
        }
        const int32_t w = Slot(r, t);
        if (w <= 0) continue;
        for (int k = 0; k < 128; ++k) {
          Out<float>("state")[((int64_t{w} * c_.heads + h) * 128 + v) * 128 + k] = S[v][k];
        }
      }
    }
    // 3.9
    for (int t = 0; t < T; ++t) {
      float sq[128];
      for (int v = 0; v < 128; ++v) sq[v] = Mul(o[t][v], o[t][v]);
      const float rstd = Rcp(Root(Add(Mul(Norm128(sq), FromBits(0x3C000000)), c_.eps)));
      for (int v = 0; v < 128; ++v) {
        const int64_t index = (r * T + t) * D + h * 128 + v;
        const float g = Sigmoid(arith::Widen(In<uint16_t>("gate")[index]));
        const float y = Mul(Mul(Mul(o[t][v], rstd), In<float>("norm_weight")[v]), g);
        Out<uint16_t>("output")[index] = arith::RoundToBf16(y);
      }
    }
  }

  void Convolution(int r, int h, int p, int c, int off, int32_t cs, float (*u)[128]) {
    const int T = c_.tokens;
    const int64_t D = c_.dim();
    const int64_t channel = p * D + h * 128 + c;
    const bool bf16 = c_.conv_type == ConvType::kBf16;
    uint32_t bits[11];
    float z[11];
    for (int i = 0; i < 3; ++i) {
      const int64_t index = ConvIndex(cs, channel, off + i);
      bits[i] = bf16 ? In<uint16_t>("conv_state")[index] : In<uint32_t>("conv_state")[index];
      z[i] = bf16 ? arith::Widen(static_cast<uint16_t>(bits[i])) : FromBits(bits[i]);
    }
    for (int t = 0; t < T; ++t) {
      const uint16_t x = In<uint16_t>("x")[(r * T + t) * 3 * D + channel];
      z[3 + t] = arith::Widen(x);
      bits[3 + t] = bf16 ? x : uint32_t{x} << 16;
    }
    for (int t = 0; t < T; ++t) {
      float acc = c_.has_bias ? In<float>("bias")[channel] : 0.0f;
      for (int i = 0; i < 4; ++i) {
        acc = Fma(z[t + i], In<float>("weights")[(p * 4 + i) * D + h * 128 + c], acc);
      }
      u[t][c] = Bf(Silu(acc));
    }
    // 5: positions 0 .. T+1 become tap 1, tap 2, in 0, ...
    for (int i = 0; i < T + 2; ++i) {
      const int64_t index = ConvIndex(cs, channel, i);
      if (bf16) {
        Out<uint16_t>("conv_state")[index] = static_cast<uint16_t>(bits[1 + i]);
      } else {
        Out<uint32_t>("conv_state")[index] = bits[1 + i];
      }
    }
  }

  const Config& c_;
  const TensorSet& in_;
  TensorSet out_;
};

}  // namespace

TensorSet SpecifiedOutputs(const Case& c) { return Specification(c).Compute(); }

}  // namespace samebits::kda_decode::testing
