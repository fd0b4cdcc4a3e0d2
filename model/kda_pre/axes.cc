#include "model/kda_pre/axes.h"

#include <utility>
#include <vector>

namespace samebits::kda_pre {
namespace {

using Fields = AxisFields<Config>;
using Field = Fields::Field;

std::vector<Field> SeamFields() {
  return {
      Fields::Integer("tokens", "tokens per request in this step, L (2.2)", 1, kMaxTokenRows, "1",
                      &Config::tokens),
      Fields::Integer("requests", "requests, padded ones included, R (2.2)", 1, kMaxTokenRows, "1",
                      &Config::requests),
      Fields::Integer("nblocks", "stored blocks among the sources, NB (2.2)", 1, kMaxSources - 1,
                      "4", &Config::nblocks),
      Fields::Word("delta", "addend of the prefix: none, bf16 in memory, float32 in LDS (2.4)",
                   {"none", "memory", "lds"}, "memory", &Config::delta),
      Fields::Integer("reset", "1: the addend becomes the prefix (2.4)", 0, 1, "0", &Config::reset),
      Fields::Relative("write_idx",
                       "block that receives the new prefix, -1 for none; +N means nblocks + N "
                       "(2.2)",
                       -1, kMaxSources - 1, "-1", &Config::write_idx,
                       [](const Config& c) { return c.nblocks; }),
  };
}

std::vector<Field> MemoryFields() {
  return {
      Fields::Word("conv_layout", "convolution state: ds dim-first, sd channel-innermost (2.1)",
                   {"ds", "sd"}, "ds", &Config::conv_layout),
      Fields::Relative("state_len",
                       "entries per channel of the convolution state, SL; +N means tokens + 2 + "
                       "N (2.2)",
                       3, kMaxStateLength, "+0", &Config::state_len,
                       [](const Config& c) { return c.tokens + 2; }),
      Fields::Word("padding", "which requests are padded (2.3)",
                   {"none", "first", "last", "alternate", "all"}, "none", &Config::padding),
      Fields::Word("accepted", "num_acc: 1, L, or 1..L in turn (2.3)", {"one", "full", "mixed"},
                   "one", &Config::accepted),
      Fields::Word("targets", "slots of the convolution, the state and the tokens (2.3, E-8..10)",
                   {"distinct", "source", "repeated", "null", "dead_state", "dead_conv"},
                   "distinct", &Config::targets),
      Fields::Word("pages", "slots, table rows and blocks follow each other, or with gaps (2.1)",
                   {"dense", "gapped"}, "dense", &Config::pages),
  };
}

std::vector<Field> LaunchFields() {
  return {
      Fields::Integer("steps", "launches in a row on the same memory and scratch (6.4)", 1,
                      kMaxSteps, "1", &Config::steps),
      Fields::Integer("epoch", "step counter of the first launch; no effect on bits (6.1)", 0,
                      INT32_MAX - kMaxSteps, "1", &Config::epoch),
      Fields::Integer("layer", "tag slot; no effect on bits (6.1)", 0, kTagSlots - 1, "0",
                      &Config::layer),
      Fields::Integer("kda0", "CTA of the first KDA task; no effect on bits (6.3)", 0, 1 << 20, "0",
                      &Config::kda0),
      Fields::Real("eps", "epsilon of the AttnRes norm (2.2)", "1e-05", &Config::eps),
      Fields::Real("out_eps", "epsilon of the input RMSNorm (2.2)", "1e-05", &Config::out_eps),
      Fields::Real("onorm_eps", "epsilon of the gated RMSNorm (2.2)", "1e-05", &Config::onorm_eps),
      Fields::Real("lower_bound", "bound of the log decay, negative (2.2)", "-5",
                   &Config::lower_bound),
  };
}

std::vector<Field> MakeFields() {
  std::vector<Field> list = SeamFields();
  for (auto* more : {&MemoryFields, &LaunchFields}) {
    for (Field& field : more()) list.push_back(std::move(field));
  }
  return list;
}

}  // namespace

const AxisTable<Config>& ConfigTable() {
  static const AxisTable<Config> table("kda_pre", MakeFields());
  return table;
}

Config ReadConfig(const Settings& settings) { return ConfigTable().Read(settings); }
Settings WriteConfig(const Config& config) { return ConfigTable().Write(config); }
}  // namespace samebits::kda_pre
