#include "model/kda_decode/axes.h"

#include <vector>

namespace samebits::kda_decode {
namespace {

std::vector<AxisField<Config>> MakeFields() {
  using Fields = AxisFields<Config>;
  return {
      Fields::Integer("tokens", "tokens per request in this step, T (2.2)", 1, kMaxTokens, "1",
                      &Config::tokens),
      Fields::Integer("requests", "requests, padded rows included, R (2.2)", 1, kMaxRequests, "4",
                      &Config::requests),
      Fields::Integer("heads", "heads of this rank, H (2.2)", 1, kMaxHeads, "12", &Config::heads),
      Fields::Integer("record", "1: verify step, records instead of state writes (2.5)", 0, 1, "0",
                      &Config::record),
      Fields::Integer("gate_mode", "raw gate: 0 one chain of 8 MMAs, 1 four chains of 2 (3.6)", 0,
                      1, "0", &Config::gate_mode),
      Fields::Integer("bias", "1: the convolution has a bias (2.2)", 0, 1, "0", &Config::has_bias),
      Fields::Word("conv_layout", "convolution state: sd channel-innermost, ds dim-first (2.3)",
                   {"sd", "ds"}, "sd", &Config::conv_layout),
      Fields::Word("conv_type", "type of the convolution state (2.2)", {"bf16", "f32"}, "bf16",
                   &Config::conv_type),
      Fields::Relative(
          "window", "entries per channel of the convolution state; +N means tokens + 2 + N (2.2)",
          3, kMaxWindow, "+0", &Config::window, [](const Config& c) { return c.tokens + 2; }),
      Fields::Word("padding", "which requests are padded rows (2.4)",
                   {"none", "first", "last", "alternate", "all"}, "none", &Config::padding),
      Fields::Word("accepted", "num_accepted: 1, T, or 1..T in turn (2.4)",
                   {"one", "full", "mixed"}, "one", &Config::accepted),
      Fields::Word("targets", "slots that the states of the tokens go to (2.4)",
                   {"distinct", "source", "repeated", "null"}, "distinct", &Config::targets),
      Fields::Word("rows", "strides of x, gate, f_a, beta: tight, wider, one packed row (2.1)",
                   {"dense", "padded", "packed"}, "dense", &Config::rows),
      Fields::Word("pages", "slots follow each other, or with gaps between (2.1)",
                   {"dense", "gapped"}, "dense", &Config::pages),
      Fields::Real("lower_bound", "bound of the log decay, negative (2.1)", "-5",
                   &Config::lower_bound),
      Fields::Real("scale", "factor of q, RN(128^-0.5) (2.1)", "0.088388346", &Config::scale),
      Fields::Real("eps", "epsilon of the output norm (2.1)", "1e-05", &Config::eps),
  };
}

}  // namespace

const AxisTable<Config>& ConfigTable() {
  static const AxisTable<Config> table("kda_decode", MakeFields());
  return table;
}

Config ReadConfig(const Settings& settings) { return ConfigTable().Read(settings); }
Settings WriteConfig(const Config& config) { return ConfigTable().Write(config); }
}  // namespace samebits::kda_decode
