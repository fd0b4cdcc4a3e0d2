// The golden digests of SPEC.md appendix D: two launches, on both targets, every array.
#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "model/arith/bfloat16.h"
#include "model/kda_pre/contract.h"
#include "model/kda_pre/operands.h"
#include "model/kda_pre/run.h"

namespace samebits::kda_pre {
namespace {

uint64_t Mix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

float Value(uint64_t id, uint64_t i, float scale, float bias) {
  const auto v = static_cast<int32_t>(Mix64((id << 40) ^ i) >> 48) - 32768;
  return bias + scale * (static_cast<float>(v) / 32768.0f);
}

std::vector<float> Reals(int id, size_t count, float scale, float bias = 0.0f) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = Value(id, i, scale, bias);
  return values;
}

std::vector<uint16_t> Bf16s(int id, size_t count, float scale, float bias = 0.0f) {
  std::vector<uint16_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = arith::RoundToBf16(Value(id, i, scale, bias));
  return values;
}

template <typename T>
std::string Digest(const std::vector<T>& array) {
  uint64_t hash = 0xCBF29CE484222325u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(array.data());
  for (size_t i = 0; i < array.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001B3u;
  return fmt::format("{:016x}", hash);
}

constexpr int kSlots = 8, kBlocks = 8;

/// Arrays of one case, with the taps that have digests and those that the model asks for.
struct Case {
  Config config;
  std::vector<int32_t> num_acc, st_idx;
  std::vector<uint16_t> prefix, delta, blocks, ares_nw, ares_qk, in_nw, w_in, w_fb, conv_state,
      on_w, core_out, x;
  std::vector<float> conv_w, a_log, dt_bias, rstate;
  std::vector<float> part, logit, weight, mixed, msq, proj, qk, v, beta, gate_raw, decay, qkn, dot,
      correction, state_after, out_raw, onrm;

  Case(const Config& c, std::vector<int32_t> accepted, std::vector<int32_t> slots)
      : config(c), num_acc(std::move(accepted)), st_idx(std::move(slots)) {
    const size_t rows = c.token_rows(), sources = c.sources();
    prefix = Bf16s(1, rows * kHidden, 4);
    delta = Bf16s(2, rows * kHidden, 1);
    blocks = Bf16s(3, rows * kBlocks * kHidden, 4);
    ares_nw = Bf16s(4, kHidden, 0.25f, 1);
    ares_qk = Bf16s(5, kHidden, 1.0f / 64);
    in_nw = Bf16s(6, kHidden, 0.25f, 1);
    w_in = Bf16s(7, size_t{kInProjRows} * kHidden, 1.0f / 32);
    std::fill(w_in.begin() + size_t{kUsedRows} * kHidden, w_in.end(), 0);
    w_fb = Bf16s(8, size_t{kProjection} * kHeadDim, 1.0f / 8);
    conv_w = Reals(9, size_t{kConvChannels} * kConvWidth, 0.75f);
    conv_state = Bf16s(10, size_t{kSlots} * kConvChannels * c.state_len, 2);
    a_log = Reals(11, kHeads, 1);
    dt_bias = Reals(12, kProjection, 1);
    on_w = Bf16s(13, kHeadDim, 0.25f, 1);
    rstate = Reals(14, size_t{kSlots} * kHeads * kHeadDim * kHeadDim, 1.0f / 8);
    core_out.resize(rows * kProjection);
    const size_t heads = rows * kHeads;
    part.resize(kSlices * rows * sources * 2), logit.resize(rows * sources);
    weight.resize(rows * (sources + 1)), mixed.resize(rows * kHidden);
    msq.resize(kSlices * rows), x.resize(rows * kHidden), proj.resize(rows * kInProjRows);
    qk.resize(heads * 2 * kHeadDim), v.resize(heads * kHeadDim), beta.resize(heads);
    gate_raw.resize(heads * kHeadDim), decay.resize(heads * kHeadDim);
    qkn.resize(heads * 2 * kHeadDim), dot.resize(heads * kHeadDim);
    correction.resize(heads * kHeadDim), state_after.resize(heads * kHeadDim * kHeadDim);
    out_raw.resize(heads * kHeadDim), onrm.resize(heads * kValueChunks);
  }

  Operands MakeOperands() {
    const bool dim_first = config.conv_layout == ConvLayout::kDimFirst;
    return {.prefix = prefix.data(),
            .delta = config.delta == Delta::kNone ? nullptr : delta.data(),
            .delta_lds = nullptr,
            .blocks = blocks.data(),
            .blocks_token = kBlocks * kHidden,
            .blocks_block = kHidden,
            .ares_nw = ares_nw.data(),
            .ares_qk = ares_qk.data(),
            .in_nw = in_nw.data(),
            .w_in = w_in.data(),
            .w_fb = w_fb.data(),
            .conv_w = conv_w.data(),
            .conv_state = conv_state.data(),
            .conv_slot = int64_t{kConvChannels} * config.state_len,
            .conv_channel = dim_first ? config.state_len : 1,
            .conv_position = dim_first ? 1 : kConvChannels,
            .a_log = a_log.data(),
            .dt_bias = dt_bias.data(),
            .on_w = on_w.data(),
            .rstate = rstate.data(),
            .rstate_slot = int64_t{kHeads} * kHeadDim * kHeadDim,
            .st_idx = st_idx.data(),
            .st_idx_request = config.tokens,
            .num_acc = num_acc.data(),
            .core_out = core_out.data()};
  }

  Taps MakeTaps() {
    return {part.data(),        logit.data(),   weight.data(), mixed.data(), msq.data(),
            x.data(),           proj.data(),    qk.data(),     v.data(),     beta.data(),
            gate_raw.data(),    decay.data(),   qkn.data(),    dot.data(),   correction.data(),
            state_after.data(), out_raw.data(), onrm.data()};
  }

  std::map<std::string, std::string> Run(std::string_view contract) {
    RunLaunch(config, ReadChoices(ContractTable().Named(contract)), MakeOperands(), MakeTaps(), 2);
    return {{"prefix", Digest(prefix)},
            {"blocks", Digest(blocks)},
            {"part", Digest(part)},
            {"wgt", Digest(weight)},
            {"x", Digest(x)},
            {"proj", Digest(proj)},
            {"conv_state", Digest(conv_state)},
            {"decay", Digest(decay)},
            {"qkn", Digest(qkn)},
            {"onrm", Digest(onrm)},
            {"rstate", Digest(rstate)},
            {"core_out", Digest(core_out)}};
  }
};

Case CaseA() {
  Config config;
  config.tokens = 3, config.requests = 1, config.nblocks = 4, config.write_idx = 4;
  config.state_len = 5;
  return {config, {2}, {3, 4, 5}};
}

Case CaseB() {
  Config config;
  config.tokens = 2, config.requests = 2, config.nblocks = 1, config.delta = Delta::kNone;
  config.state_len = 4, config.conv_layout = ConvLayout::kChannelInner;
  return {config, {1, 1}, {2, 3, 0, 0}};
}

using Digests = std::map<std::string, std::string>;

const Digests kCaseA = {
    {"prefix", "d51d6bdb087b92e3"},     {"blocks", "ede975befa971fbf"},
    {"part", "a9a7017ba84ed804"},       {"wgt", "e2ee70af21f82455"},
    {"x", "cc559d1bee88c46a"},          {"proj", "da91236dd9b18de6"},
    {"conv_state", "c3eb990e0703d086"}, {"decay", "6999fb43c0a7abf0"},
    {"qkn", "88d5eb09cc67afac"},        {"onrm", "fc77c60ad5947843"},
    {"rstate", "5791c1e07bfe7e67"},     {"core_out", "505f320128b3358c"},
};
const Digests kCaseB = {
    {"prefix", "6820823aa6a0917d"},     {"blocks", "cfc5216f4a35e674"},
    {"part", "742c3f5fd402e354"},       {"wgt", "612831d86b2ac83d"},
    {"x", "82c2d3af67c8dc96"},          {"proj", "2749a64d4a9b678d"},
    {"conv_state", "80f50f0dd5c5a10d"}, {"decay", "54c0f131ce540c73"},
    {"qkn", "d371c5fd7573a8ba"},        {"onrm", "b2f565560b57ded6"},
    {"rstate", "8d73be18a29ed1d4"},     {"core_out", "842445beb679b13e"},
};

void Check(Case c, std::string_view contract, Digests expected, const Digests& changes) {
  for (const auto& [name, digest] : changes) expected[name] = digest;
  for (const auto& [name, digest] : c.Run(contract)) {
    BOOST_TEST(digest == expected.at(name), name << " is " << digest);
  }
}

BOOST_AUTO_TEST_SUITE(kda_pre_digests)

BOOST_AUTO_TEST_CASE(inputs_are_those_of_the_digests) {
  const Case c = CaseA();
  BOOST_TEST(Digest(c.w_in) == "b6049de65f15acfc");
  BOOST_TEST(Digest(c.rstate) == "15082a8bc464e267");
  BOOST_TEST(Digest(c.conv_w) == "415596db19c2005f");
}

BOOST_AUTO_TEST_CASE(case_a_gfx950) {
  Case c = CaseA();
  Check(c, "kda_pre.gfx950", kCaseA, {});
  c.Run("kda_pre.gfx950");
  BOOST_TEST(arith::ToBits(c.weight[0]) == 0x3e4dea91u);
  BOOST_TEST(arith::ToBits(c.weight[5]) == 0x4020ababu);
  BOOST_TEST(arith::ToBits(c.decay[0]) == 0x3d1a1588u);
}

BOOST_AUTO_TEST_CASE(case_a_gfx942) {
  Check(CaseA(), "kda_pre.gfx942", kCaseA,
        {{"proj", "a81b3be8987a108d"},
         {"conv_state", "af1457bf9b549662"},
         {"qkn", "58342dca0b1287ac"},
         {"onrm", "89934078d42bdbbf"},
         {"rstate", "efafc1c8b7edfb87"},
         {"core_out", "2398a36a424af0b9"}});
}

BOOST_AUTO_TEST_CASE(case_b_gfx950) { Check(CaseB(), "kda_pre.gfx950", kCaseB, {}); }

BOOST_AUTO_TEST_CASE(case_b_gfx942) {
  Check(CaseB(), "kda_pre.gfx942", kCaseB,
        {{"proj", "15fe86a803e3331f"}, {"conv_state", "ad8cb390d439b1fd"}});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::kda_pre
