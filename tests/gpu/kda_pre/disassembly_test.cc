// What the kda_pre kernels consist of on gfx942 and gfx950.
#include "tests/gpu/hip/disassembly.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace samebits::gpu {
namespace {

constexpr int kProjectionSteps = 2 * 7 * 4;  // two row groups, seven chunks of four steps
constexpr int kGateSteps = 4;
constexpr int kFirstWeights = 7 * 4;  // loads of a row group, 16 bytes each
constexpr int kFmaOfDivision = 5;

std::string PathOf(const std::string& target, int tokens, const char* extension) {
  return SAMEBITS_HIP_FOLDER "/kda_pre_tokens_" + std::to_string(tokens) + "." + target + extension;
}

void CheckMatrixUnit(const std::string& target, const Instructions& code) {
  const bool k32 = target == "gfx950";
  const int steps = kProjectionSteps + kGateSteps;
  BOOST_TEST(CountMnemonic(code, "v_mfma_f32_16x16x32_bf16") == (k32 ? steps : 0));
  BOOST_TEST(CountMnemonic(code, "v_mfma_f32_16x16x16_bf16") == (k32 ? 0 : 2 * steps));
  BOOST_TEST(CountMnemonic(code, "v_mfma") == (k32 ? steps : 2 * steps));
}

/// Fused multiply-adds of float32 are those of correctly rounded divisions, and no others.
void CheckArithmetic(const std::string& target, bool native, const Instructions& code) {
  const int divisions = CountMnemonic(code, "v_div_fixup_f32");
  const int fused = CountMnemonic(code, "v_fma_f32") + CountMnemonic(code, "v_fmac_f32");
  BOOST_TEST(divisions > 0);
  BOOST_TEST(fused == kFmaOfDivision * divisions);
  for (const char* other : {"v_pk_fma", "v_mad_f32", "v_mac_f32", "v_madak", "v_madmk", "v_dot",
                            "v_fmaak", "v_fmamk", "v_sqrt_f32"}) {
    BOOST_TEST(CountMnemonic(code, other) == 0, other);
  }
  BOOST_TEST((CountMnemonic(code, "v_exp_f32") > 0) == native);
  BOOST_TEST((CountMnemonic(code, "v_rsq_f32") > 0) == native);
  BOOST_TEST((CountMnemonic(code, "v_fma_f64") + CountMnemonic(code, "v_fmac_f64") == 0) == native);
  BOOST_TEST((CountMnemonic(code, "v_cvt_pk_bf16_f32") > 0) == (target == "gfx950"));
  BOOST_TEST((CountMnemonic(code, "v_maximum3_f32") > 0) == (target == "gfx950"));
}

void CheckMemory(const Instructions& code) {
  BOOST_TEST(CountMnemonic(code, "scratch_") == 0);
  BOOST_TEST(CountMnemonic(code, "flat_") == 0);
  BOOST_TEST(CountWord(code, "nt") == 2 * kFirstWeights);  // the weights of in_proj alone
  int waits_inside = 0, seen = 0;
  for (const std::string& text : code) {
    const bool weights = HasWord(text, "nt");
    if (weights) BOOST_TEST(Mnemonic(text) == "global_load_dwordx4");
    seen += weights;
    // The first group's loads go out together, before anything that could wait.
    if (seen == 0 || seen == kFirstWeights) continue;
    waits_inside += seen < kFirstWeights && (Mnemonic(text) == "s_barrier" ||
                                             HasWord(text, "vmcnt(0)") || HasWord(text, "sc1"));
  }
  BOOST_TEST(waits_inside == 0);
  int message_loads = 0, message_stores = 0, rows = 0;
  for (const std::string& text : code) {
    if (!HasWord(text, "sc1")) continue;
    message_loads += Mnemonic(text) == "global_load_dwordx2";
    message_stores += Mnemonic(text) == "global_store_dwordx2";
    rows += Mnemonic(text) == "buffer_load_dwordx4";
  }
  BOOST_TEST(message_loads > 0);
  BOOST_TEST(message_stores > 0);
  BOOST_TEST(rows > 0);
  BOOST_TEST(CountMnemonic(code, "s_sleep") > 0);
}

void CheckBudget(std::map<std::string, std::string> notes) {
  BOOST_TEST(notes[".wavefront_size"] == "64");
  BOOST_TEST(notes[".private_segment_fixed_size"] == "0");
  BOOST_TEST(notes[".vgpr_spill_count"] == "0");
  BOOST_TEST(notes[".group_segment_fixed_size"] == "0");  // all LDS is dynamic
  BOOST_TEST(notes[".max_flat_workgroup_size"] == "512");
  // Eight waves of a block on four SIMDs: 256 of the 512 registers for each.
  BOOST_TEST(std::stoi(notes[".vgpr_count"]) <= 256);
}

void Check(const std::string& target) {
  for (const int tokens : {1, 3, 8}) {
    const auto kernels = ReadDisassembly(PathOf(target, tokens, ".s"));
    const auto notes = ReadNotes(PathOf(target, tokens, ".notes"));
    for (const char* name : {"kda_pre_exact", "kda_pre_exact_taps", "kda_pre_native"}) {
      BOOST_TEST_CONTEXT(target << ", tokens " << tokens << ", " << name) {
        BOOST_TEST_REQUIRE(kernels.contains(name));
        BOOST_TEST_REQUIRE(notes.contains(name));
        const Instructions& code = kernels.at(name);
        CheckMatrixUnit(target, code);
        CheckArithmetic(target, std::string(name).find("native") != std::string::npos, code);
        CheckMemory(code);
        CheckBudget(notes.at(name));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE(kda_pre_disassembly)

BOOST_AUTO_TEST_CASE(gfx942) { Check("gfx942"); }
BOOST_AUTO_TEST_CASE(gfx950) { Check("gfx950"); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
