// Each operation of the lane interface on AMD GPUs is the instruction that it should be, and no
// other (lane_operations.hip).
#include <array>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "tests/gpu/hip/disassembly.h"

namespace samebits::gpu {
namespace {

enum class On : uint8_t { kBoth, kGfx942, kGfx950 };

struct Expected {
  std::string_view kernel;
  std::string_view instruction;  // its mnemonic begins so; "": the kernel's own are all
  std::string_view words = "";   // that it ends with
  On on = On::kBoth;
};

constexpr std::array kOperations = {
    Expected{"thread_index", ""},
    Expected{"block_index", ""},
    Expected{"shuffle_xor_1", "v_mov_b32_dpp"},
    Expected{"shuffle_xor_2", "v_mov_b32_dpp"},
    Expected{"shuffle_xor_4", "ds_swizzle_b32"},
    Expected{"shuffle_xor_8", "v_mov_b32_dpp"},
    Expected{"shuffle_xor_16", "ds_swizzle_b32"},
    Expected{"uniform", "v_readfirstlane_b32"},
    Expected{"block_barrier", "s_barrier"},
    Expected{"sleep", "s_sleep"},
    Expected{"set_priority", "s_setprio"},
    Expected{"mfma_16", "v_mfma_f32_16x16x16_bf16"},
    Expected{"mfma_32", "v_mfma_f32_16x16x32_bf16", "", On::kGfx950},
    Expected{"mfma_32", "s_trap", "", On::kGfx942},
    Expected{"exp2_native", "v_exp_f32"},
    Expected{"rsq_native", "v_rsq_f32"},
    Expected{"rcp_native", "v_rcp_f32"},
    Expected{"add", "v_add_f32"},
    Expected{"sub", "v_sub_f32"},
    Expected{"mul", "v_mul_f32"},
    Expected{"fma", "v_fma"},
    Expected{"maximum", "v_maximum3_f32", "", On::kGfx950},
    Expected{"fma_64", "v_fma"},
    Expected{"round_even_64", "v_rndne_f64"},
    Expected{"ldexp_64", "v_ldexp_f64"},
    Expected{"to_bf16_pair", "v_cvt_pk_bf16_f32", "", On::kGfx950},
};

/// Loads, stores and moves of the test kernels themselves.
bool IsScaffold(std::string_view mnemonic) {
  for (const std::string_view begin :
       {"s_load_", "s_waitcnt", "s_nop", "s_endpgm", "s_mov", "v_mov_b32_e32", "v_mov_b64",
        "v_lshl", "global_load_", "global_store_", "v_add_u32"}) {
    if (mnemonic.starts_with(begin)) return true;
  }
  return false;
}

/// Accesses of memory: the one load or store that is meant has these words.
struct Access {
  std::string_view kernel, instruction, words;
};
constexpr std::array kAccesses = {
    Access{"load_store_global_4", "global_load_dword", ""},
    Access{"load_store_global_4", "global_store_dword", ""},
    Access{"load_store_global_8", "global_load_dwordx2", ""},
    Access{"load_store_global_16", "global_load_dwordx4", ""},
    Access{"load_store_global_16", "global_store_dwordx4", ""},
    Access{"load_non_temporal", "global_load_dwordx4", "nt"},
    Access{"load_device", "buffer_load_dwordx4", "sc1"},
    Access{"store_device", "global_store_dwordx2", "sc1"},
    Access{"put_message", "global_store_dwordx2", "sc1"},
    Access{"load_shared_16", "ds_read_b128", ""},
    Access{"store_shared_16", "ds_write_b128", ""},
    Access{"atomic_load_relaxed", "global_load_dword", "sc1"},
    Access{"atomic_load_acquire", "global_load_dword", "sc1"},
    Access{"atomic_load_acquire_system", "global_load_dword", "sc0 sc1"},
    Access{"atomic_store_relaxed", "global_store_dword", "sc1"},
    Access{"atomic_store_release_system", "global_store_dword", "sc0 sc1"},
};

/// Operations that are more than one instruction, or none that stays: what they must contain.
constexpr std::array kSequences = {
    Access{"shuffle_xor_32", "ds_bpermute_b32", ""},
    Access{"div", "v_div_fixup_f32", ""},
    Access{"sqrt_64", "v_rsq_f64", ""},
    Access{"poll_messages", "s_sleep", ""},
    Access{"atomic_load_acquire", "buffer_inv", "sc1"},
    Access{"atomic_store_release", "buffer_wbl2", "sc1"},
    Access{"mul_add", "v_mul_f32", ""},
    Access{"mul_add", "v_add_f32", ""},
    Access{"wait_stores", "s_waitcnt", "vmcnt(0)"},
};

int Count(const Instructions& instructions, std::string_view mnemonic, std::string_view words) {
  int count = 0;
  for (const std::string& text : instructions) {
    const bool same =
        Mnemonic(text) == mnemonic || Mnemonic(text) == std::string(mnemonic) + "_e32";
    count += same && (words.empty() || text.ends_with(words));
  }
  return count;
}

void Check(const std::string& target) {
  const auto kernels = ReadDisassembly(SAMEBITS_HIP_FOLDER "/lane_operations." + target + ".s");
  const auto at = [&](std::string_view name) -> const Instructions& {
    const auto found = kernels.find(std::string(name));
    BOOST_TEST_REQUIRE((found != kernels.end()), "no kernel " << name);
    return found->second;
  };
  for (const Expected& e : kOperations) {
    if (e.on == On::kGfx942 && target != "gfx942") continue;
    if (e.on == On::kGfx950 && target != "gfx950") continue;
    BOOST_TEST_CONTEXT(target << " " << e.kernel) {
      int own = 0;
      for (const std::string& text : at(e.kernel)) {
        if (IsScaffold(Mnemonic(text))) continue;
        ++own;
        BOOST_TEST(Mnemonic(text).starts_with(e.instruction), text);
      }
      BOOST_TEST(own == (e.instruction.empty() ? 0 : 1));
    }
  }
  for (const Access& access : kAccesses) {
    BOOST_TEST_CONTEXT(target << " " << access.kernel) {
      BOOST_TEST(Count(at(access.kernel), access.instruction, access.words) == 1);
    }
  }
  for (const Access& access : kSequences) {
    BOOST_TEST_CONTEXT(target << " " << access.kernel) {
      BOOST_TEST(Count(at(access.kernel), access.instruction, access.words) >= 1);
    }
  }
  BOOST_TEST(CountMnemonic(at("mul_add"), "v_fma") == 0);
  for (const auto& [name, instructions] : kernels) {
    BOOST_TEST(CountMnemonic(instructions, "flat_") == 0, name);
    BOOST_TEST(CountMnemonic(instructions, "scratch_") == 0, name);
  }
}

BOOST_AUTO_TEST_SUITE(lane_operations_on_amd)

BOOST_AUTO_TEST_CASE(gfx942) { Check("gfx942"); }
BOOST_AUTO_TEST_CASE(gfx950) { Check("gfx950"); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
