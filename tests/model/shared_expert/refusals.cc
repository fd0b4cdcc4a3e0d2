#include "tests/model/shared_expert/refusals.h"

#include "tests/model/shared_expert/case.h"

namespace samebits::shared_expert::testing {

Settings FrontWith(const Settings& changes) {
  Settings settings = changes;
  settings.emplace("variant", "front");
  return settings;
}

std::vector<Refusal> Refusals() {
  return {
      {{{"tp", "5"}}, "tp", "(C1)"},
      {{{"tp", "4"}}, "grid", "48 tiles (C1)"},
      {{{"tp", "32"}}, "tp", "straddle two peers (C1)"},
      {{{"tp", "48"}}, "tp", "straddle two peers (C1)"},
      {{{"grid", "119"}}, "grid", "24 tiles (C1)"},
      {{{"grid", "72"}}, "grid", "fewer than the 4 owners of its columns (C1)"},
      {{{"grid", "408"}}, "grid", "a cluster has at most 16 (C1)"},
      {Small(8, {{"grid", "20"}}), "grid", "share the 8 K blocks"},
      {Small(8, {{"width", "1024"}, {"grid", "10"}}), "grid", "16 down tiles of FUSED (C1)"},
      {FrontWith({{"tp", "16"}, {"latent", "3592"}}), "tp", "does not divide latent 3592 (C1)"},
      {FrontWith({{"latent", "3616"}}), "latent", "(C1)"},
      {{{"batch", "129"}}, "batch", "1..128"},
      {{{"batch", "0"}}, "batch", "1..128"},
      {FrontWith({{"batch", "65"}}), "batch", "above 64"},
      {{{"variant", "split"}, {"batch", "105"}}, "batch", "(C5)"},
      {{{"batch", "16"}, {"capacity", "15"}}, "capacity", "(C7)"},
      {{{"parity", "2"}}, "parity", "0..1"},
      {{{"rank", "8"}}, "rank", "(C7)"},
      {{{"rank", "-2"}}, "rank", "-1..63"},
      {FrontWith({{"front_valid", "116"}}), "front_valid", "multiple of 8 (C8)"},
      {FrontWith({{"front_split", "116"}}), "front_split", "multiple of 8 (C8)"},
      {FrontWith({{"front_split", "104"}}), "front_split", "below the 112 logit rows (C8)"},
      {FrontWith({{"front_rows", "559"}}), "front_rows", "(C8)"},
      {FrontWith({{"front_slot", "2"}}), "front_slot", "multiple of 4 (C8)"},
      {FrontWith({{"front_slot", "4"}}), "front_slot", "end at 900"},
      {FrontWith({{"front_base", "4"}}), "front_base", "multiple of 8 (C8)"},
      {FrontWith({{"front_base", "8"}}), "front_base", "end at 3592"},
      {FrontWith({{"front_pitch", "5380"}}), "front_pitch", "multiple of 8 (C8)"},
      {FrontWith({{"front_pitch", "5368"}}), "front_pitch", "below the 5376"},
      {FrontWith({{"front_ks", "3"}}), "front_ks", "(C1)"},
      {{{"rank", "0"}, {"consumer", "1"}}, "consumer", "needs all ranks"},
      {{{"beta", "0"}}, "beta", "different from 0"},
      {{{"beta", "inf"}}, "beta", "not finite"},
      {{{"linear_beta", "nan"}}, "linear_beta", "not finite"},
      {{{"front_valid", "8"}}, "front_valid", "variant fused does not read"},
      {{{"sms", "8"}}, "sms", "variant fused does not read"},
      {{{"variant", "whole"}}, "variant", "fused, split, front"},
      {{{"tokens", "8"}}, "tokens", "no such axis"},
  };
}

}  // namespace samebits::shared_expert::testing
