#include "model/arith/bfloat16.h"
#include "model/arith/float32.h"
#include "tests/defects/make.h"

namespace samebits::defects {
namespace {

const Case kKda = {"kda_decode", {{"tokens", "3"}, {"heads", "2"}, {"requests", "2"}}};
const Case kTiny = {"kda_decode", {{"tokens", "2"}, {"heads", "2"}, {"requests", "2"}}, "tiny"};
const Case kDeep = {"kda_decode",
                    {{"tokens", "2"}, {"heads", "2"}, {"requests", "2"}, {"lower_bound", "-100"}}};
const Case kShared = {"shared_expert",
                      {{"tp", "8"},
                       {"width", "512"},
                       {"intermediate", "512"},
                       {"grid", "10"},
                       {"latent", "256"},
                       {"experts", "128"},
                       {"capacity", "+1"},
                       {"batch", "4"}}};

Case WithFront() {
  Case c = kShared;
  c.config.insert({{"variant", "front"}, {"rank", "1"}});
  return c;
}
Case Discriminating(Case c) {
  c.style = "discriminating";
  return c;
}

uint32_t Poisoned(uint32_t) { return PoisonBits(DType::kF32); }
uint32_t Zero(uint32_t) { return 0; }
uint32_t Nan(uint32_t) { return 0x7FC00000u; }
uint32_t ToBf16(uint32_t bits) { return uint32_t{arith::RoundToBf16(arith::FromBits(bits))} << 16; }
uint32_t Times(uint32_t bits, float factor) {
  return arith::ToBits(arith::Mul(arith::FromBits(bits), factor));
}

std::function<Capture()> Choice(Case c, const char* choice, const char* value) {
  return [=] { return OtherChoice(c, choice, value); };
}

/// Every partial sum is rounded to bf16 before the sum over the CTAs of a cluster.
Capture RoundedPartials() {
  Capture capture = Right(kShared);
  const Tensor& part = capture.expected.At(Role::kTap, "part");
  Tensor sum = capture.expected.At(Role::kTap, "sum");
  const int64_t splits = part.spec.shape[3], inner = part.spec.shape[4] * part.spec.shape[5];
  for (int64_t i = 0; i < sum.spec.elements(); ++i) {
    float total = 0.0f;
    for (int64_t s = 0; s < splits; ++s) {
      const int64_t at = (i / inner * splits + s) * inner + i % inner;
      total = arith::Add(total, arith::Widen(arith::RoundToBf16(part.view<float>()[at])));
    }
    sum.view<float>()[i] = total;
  }
  capture.observed.tensors = {part, sum};
  return capture;
}

/// The write-back of the state is lost in a copy.
void KeepState(const Capture& capture, Tensor* state) {
  state->data = capture.inputs.At(Role::kInput, "state").data;
}

/// The gated norm of the last token gives NaN, and so does what is stored of it.
Capture NanInLastToken() {
  Capture capture = Right(kKda);
  MapAt(&capture.observed.At(Role::kTap, "out.scaled"), "token", 2, Nan);
  Tensor& output = capture.observed.At(Role::kOutput, "output");
  for (const int64_t row : {2, 5}) {
    MapAt(&output, "token_row", row, [](uint32_t) -> uint32_t { return arith::kNanBf16; });
  }
  return capture;
}

std::vector<Defect> LayoutAndGate() {
  return {
      {"vllm-project/vllm#40956", "the state is read as [k][v]",
       [] { return OtherInput(kKda, "state", Transpose); },
       "computed from inputs/state transposed (value, key)"},
      {"vllm-project/vllm#52627", "the state of another slot",
       [] { return OtherInput(kKda, "state", [](Tensor* t) { Rotate(t, "slot"); }); },
       "computed from inputs/state"},
      {"lightseekorg/tokenspeed#847", "softplus in place of the bounded sigmoid",
       Choice(kKda, "gate_form", "softplus"), "gate_form is softplus instead of bounded_sigmoid"},
      {"fla-org/flash-linear-attention#623", "k and v change places",
       [] {
         return OtherResult(kKda, Role::kTap, "conv.k", [](const Capture& c, Tensor* t) {
           t->data = c.expected.At(Role::kTap, "conv.v").data;
         });
       },
       "replaced by taps/conv.v"},
      {"xLLM-AI/xllm#1873", "the state never advances",
       [] { return OtherResult(kKda, Role::kOutput, "state", KeepState); },
       "outputs/state: right, but replaced by inputs/state"},
      {"ScalingIntelligence/KernelBench#165", "the history of the recurrence is dropped",
       [] { return OtherInput(kKda, "state", [](Tensor* t) { Map(t, Zero); }); },
       "computed from inputs/state zero"},
      {"vllm-project/vllm#57716", "NaN at some position", NanInLastToken,
       "taps/out.scaled: nothing that is known explains it; it differs in token=2"},
  };
}

std::vector<Defect> Routing() {
  return {
      {"vllm-project/vllm#51632", "one rank's contribution is left out",
       [] {
         return OtherResult(kShared, Role::kTap, "push",
                            [](const Capture&, Tensor* t) { MapAt(t, "rank", 3, Zero); });
       },
       "rank=3"},
      {"sgl-project/sglang#8333", "a scaling factor is applied once too often",
       [] {
         return OtherResult(kShared, Role::kTap, "situ", [](const Capture&, Tensor* t) {
           Map(t, [](uint32_t bits) { return Times(bits, 2.5f); });
         });
       },
       "taps/situ: right, but times 2.5"},
      {"sgl-project/sglang#25974", "a tensor that nobody wrote",
       [] {
         return OtherResult(kShared, Role::kTap, "situ.up",
                            [](const Capture&, Tensor* t) { Map(t, Poisoned); });
       },
       "taps/situ.up: right, but never written"},
      {"vllm-project/vllm#53257", "K is split in another way", Choice(kShared, "split", "floor"),
       "split is floor instead of balanced_first"},
  };
}

std::vector<Defect> Order() {
  return {
      {"sgl-project/sglang#34299", "the order of another implementation",
       Choice(kKda, "out_dot_tree", "triton_1warp"), "out_dot_tree is triton_1warp instead of ws"},
      {"flashinfer-ai/flashinfer#3001", "another schedule of blocks",
       Choice(kKda, "raw_gate_chain", "chain2x4"), "raw_gate_chain is chain2x4"},
      {"fla-org/flash-linear-attention#1003", "another specialisation, contracted otherwise",
       Choice(kKda, "conv_multiply_add", "separate"), "conv_multiply_add is separate instead of"},
      {"modular/modular#6159", "a cast is elided inside a fusion",
       Choice(kKda, "silu_rounding", "none"), "silu_rounding is none instead of bf16"},
      {"pytorch/pytorch#145579", "a product is contracted into a sum",
       Choice(kKda, "correction_form", "fma"), "correction_form is fma instead of sub_mul"},
  };
}

std::vector<Defect> Rounding() {
  return {
      {"sgl-project/sglang#33764", "router logits in bf16",
       [] {
         return OtherResult(WithFront(), Role::kTap, "front.logits",
                            [](const Capture&, Tensor* t) { Map(t, ToBf16); });
       },
       "taps/front.logits: right, but rounded to bf16"},
      {"lablup/mlxcel#911", "partial sums are rounded to bf16", RoundedPartials,
       "computed from taps/part rounded to bf16"},
      {"triton-lang/triton#11217", "rounding towards zero", Choice(kKda, "output_rounding", "rz"),
       "output_rounding is rz instead of rn"},
      {"ROCm/composable_kernel#671", "inputs pass through bf16",
       [] { return OtherInput(kKda, "weights", [](Tensor* t) { Map(t, ToBf16); }); },
       "computed from inputs/weights rounded to bf16"},
      {"ROCm/aiter#3992", "ties and truncation in a narrow format",
       Choice(kKda, "out_rounding", "bf16_rz"), "out_rounding is bf16_rz instead of bf16"},
  };
}

std::vector<Defect> Units() {
  return {
      {"deepseek-ai/DeepGEMM#37", "fewer bits in the accumulator",
       Choice(kKda, "matrix_unit", "sm_80.mma_sync"), "matrix_unit is sm_80.mma_sync"},
      {"north-numerical-computing/MATLAB-tensor-core#2", "subnormal products summed otherwise",
       Choice(kTiny, "matrix_unit", "reference.exact_rn"), "matrix_unit is reference.exact_rn"},
      {"ROCm/rocm-systems#12056", "one rounding per product",
       Choice(kKda, "matrix_unit", "reference.sequential_fma"),
       "matrix_unit is reference.sequential_fma"},
      {"tenstorrent/tt-metal#56550", "exponentials flushed to zero",
       Choice(kDeep, "exp", "ex2_ftz"), "exp is ex2_ftz instead of ex2"},
      {"triton-lang/triton#6376", "subnormals flushed to zero", Choice(kTiny, "arithmetic", "ftz"),
       "arithmetic is ftz instead of ieee"},
      {"pytorch/pytorch#189799", "the sign of zero",
       Choice(Discriminating(kShared), "zero", "pre_round"), "zero is pre_round instead of"},
  };
}

}  // namespace

std::span<const Defect> Defects() {
  static const std::vector<Defect> defects = [] {
    std::vector<Defect> all;
    for (const auto& part : {LayoutAndGate(), Routing(), Order(), Rounding(), Units()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return defects;
}

}  // namespace samebits::defects
