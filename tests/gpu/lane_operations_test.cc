// Each operation of the lane interface is one instruction of PTX, apart from the addresses and
// parameters of the kernels around it (lane_operations.cu).
#include <array>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <span>
#include <string>
#include <vector>

namespace samebits::gpu {
namespace {

struct Operation {
  const char* kernel;
  const char* instruction;  // a regular expression
};

constexpr std::array kEverywhere = {
    Operation{"cluster_rank", R"(mov\.u32 %r\d+, %cluster_ctarank)"},
    Operation{"cluster_index", R"(mov\.u32 %r\d+, %clusterid\.x)"},
    Operation{"cluster_blocks", R"(mov\.u32 %r\d+, %cluster_nctarank)"},
    Operation{"map_shared", R"(mapa\.shared::cluster\.u32)"},
    Operation{"cluster_arrive", R"(barrier\.cluster\.arrive\.release\.aligned)"},
    Operation{"cluster_arrive_relaxed", R"(barrier\.cluster\.arrive\.relaxed\.aligned)"},
    Operation{"cluster_wait", R"(barrier\.cluster\.wait\.acquire\.aligned)"},
    Operation{"mbarrier_arrive_remote", R"(mbarrier\.arrive\.release\.cluster\.shared::cluster)"},
    Operation{"mbarrier_wait_cluster", R"(mbarrier\.try_wait\.parity\.acquire\.cluster)"},
    Operation{"store_async_4", R"(st\.async\.shared::cluster\S+::bytes\.b32)"},
    Operation{"store_async_8", R"(st\.async\.shared::cluster\S+::bytes\.v2\.b32)"},
    Operation{"store_async_16", R"(st\.async\.shared::cluster\S+::bytes\.v4\.b32)"},
    Operation{"bulk_copy_remote", R"(cp\.async\.bulk\.shared::cluster\.shared::cta)"},
    Operation{"tensor_map_acquire", R"(fence\.proxy\.tensormap::generic\.acquire\.gpu)"},
    Operation{"tensor_map_prefetch", R"(prefetch\.tensormap)"},
    Operation{"tensor_load", R"(cp\.async\.bulk\.tensor\.2d\.shared::cluster\S+::bytes \[)"},
    Operation{"tensor_load_multicast", R"(cp\.async\.bulk\.tensor\.2d\S+multicast::cluster)"},
    Operation{"tensor_prefetch", R"(cp\.async\.bulk\.prefetch\.tensor\.2d\.L2)"},
    Operation{"load_relaxed", R"(ld\.relaxed\.gpu)"},
    Operation{"load_acquire", R"(ld\.acquire\.gpu)"},
    Operation{"load_relaxed_system", R"(ld\.relaxed\.sys)"},
    Operation{"load_acquire_system", R"(ld\.acquire\.sys)"},
    Operation{"store_relaxed", R"(st\.relaxed\.gpu)"},
    Operation{"store_release", R"(st\.release\.gpu)"},
    Operation{"store_relaxed_system", R"(st\.relaxed\.sys)"},
    Operation{"store_release_system", R"(st\.release\.sys)"},
    Operation{"add_relaxed", R"(atom\.relaxed\.gpu)"},
    Operation{"add_acquire", R"(atom\.acquire\.gpu)"},
    Operation{"add_release", R"(atom\.release\.gpu)"},
    Operation{"add_acquire_release", R"(atom\.acq_rel\.gpu)"},
    Operation{"fence_gpu", R"(fence\.acq_rel\.gpu)"},
    Operation{"fence_system", R"(fence\.acq_rel\.sys)"},
    Operation{"fence_proxy_global", R"(fence\.proxy\.async\.global)"},
    Operation{"load_polled_16", R"(ld\.relaxed\.gpu\.global\.v4)"},
    Operation{"load_polled_8", R"(ld\.relaxed\.gpu\.global\.v2)"},
    Operation{"load_polled_4", R"(ld\.relaxed\.gpu\.global\.b32)"},
    Operation{"store_polled_16", R"(st\.relaxed\.gpu\.global\.v4)"},
    Operation{"store_polled_8", R"(st\.relaxed\.gpu\.global\.v2)"},
    Operation{"store_polled_4", R"(st\.relaxed\.gpu\.global\.b32)"},
    Operation{"store_system_16", R"(st\.relaxed\.sys\.global\.v4)"},
    Operation{"store_system_8", R"(st\.relaxed\.sys\.global\.v2)"},
    Operation{"store_multicast_16", R"(multimem\.st\.relaxed\.sys\.global\.v4)"},
    Operation{"store_multicast_8", R"(multimem\.st\.relaxed\.sys\.global\.v2)"},
    Operation{"store_global_16", R"(st\.global\.v4\.b32)"},
    Operation{"sleep", R"(nanosleep)"},
    Operation{"nanoseconds", R"(mov\.u64 %rd\d+, %globaltimer)"},
    Operation{"block_barrier", R"((bar|barrier)\.sync)"},
    Operation{"named_barrier", R"(bar\.sync)"},
    Operation{"named_barrier_arrive", R"(bar\.arrive)"},
    Operation{"warp_barrier", R"(bar\.warp\.sync)"},
    Operation{"elect_one", R"(elect\.sync)"},
    Operation{"shuffle_xor", R"(shfl\.sync\.bfly)"},
    Operation{"shuffle_index", R"(shfl\.sync\.idx)"},
    Operation{"mbarrier_init", R"(mbarrier\.init)"},
    Operation{"mbarrier_init_fence", R"(fence\.mbarrier_init)"},
    Operation{"mbarrier_arrive", R"(mbarrier\.arrive\.release\.cta)"},
    Operation{"mbarrier_arrive_expect", R"(mbarrier\.arrive\.expect_tx)"},
    Operation{"mbarrier_wait", R"(mbarrier\.try_wait\.parity\.acquire\.cta)"},
    Operation{"copy_async", R"(cp\.async\.cg)"},
    Operation{"copy_async_arrive", R"(cp\.async\.mbarrier\.arrive\.noinc)"},
    Operation{"copy_async_commit", R"(cp\.async\.commit_group)"},
    Operation{"copy_async_wait", R"(cp\.async\.wait_group)"},
    Operation{"bulk_load", R"(cp\.async\.bulk\.shared::cluster\.global)"},
    Operation{"bulk_store", R"(cp\.async\.bulk\.global\.shared::cta)"},
    Operation{"bulk_commit", R"(cp\.async\.bulk\.commit_group)"},
    Operation{"bulk_wait_read", R"(cp\.async\.bulk\.wait_group\.read)"},
    Operation{"bulk_wait_all", R"(cp\.async\.bulk\.wait_group 0)"},
    Operation{"fence_proxy", R"(fence\.proxy\.async\.shared::cta)"},
    Operation{"registers_decrease", R"(setmaxnreg\.dec)"},
    Operation{"registers_increase", R"(setmaxnreg\.inc)"},
    Operation{"grid_dependency_wait", R"(griddepcontrol\.wait)"},
    Operation{"grid_launch_dependents", R"(griddepcontrol\.launch_dependents)"},
    Operation{"prefetch_global", R"(prefetch\.global\.L2)"},
    Operation{"ex2", R"(ex2\.approx\.f32)"},
    Operation{"ex2_ftz", R"(ex2\.approx\.ftz\.f32)"},
    Operation{"rcp", R"(rcp\.approx\.f32)"},
    Operation{"rcp_ftz", R"(rcp\.approx\.ftz\.f32)"},
    Operation{"sqrt_approx", R"(sqrt\.approx\.f32)"},
    Operation{"rsqrt_approx", R"(rsqrt\.approx\.f32)"},
    Operation{"div_full", R"(div\.full\.f32)"},
    Operation{"tanh_approx", R"(tanh\.approx\.f32)"},
    Operation{"add", R"(add\.rn\.f32)"},
    Operation{"sub", R"(sub\.rn\.f32)"},
    Operation{"mul", R"(mul\.rn\.f32)"},
    Operation{"fma_nearest", R"(fma\.rn\.f32)"},
    Operation{"fma_down", R"(fma\.rm\.f32)"},
    Operation{"fma_saturate", R"(fma\.rn\.sat\.f32)"},
    Operation{"min_f32", R"(min\.f32)"},
    Operation{"max_f32", R"(max\.f32)"},
    Operation{"to_bf16", R"(cvt\.rn\.bf16\.f32)"},
    Operation{"to_bf16_pair", R"(cvt\.rn\.bf16x2\.f32)"},
    Operation{"mma_bf16", R"(mma\.sync\.aligned\.m16n8k16)"},
};
constexpr std::array kOnSm90 = {
    Operation{"wgmma_fence", R"(wgmma\.fence\.sync\.aligned)"},
    Operation{"wgmma_commit", R"(wgmma\.commit_group\.sync\.aligned)"},
    Operation{"wgmma_wait", R"(wgmma\.wait_group\.sync\.aligned 0)"},
    Operation{"tcgen05_mma", R"(trap)"},
    Operation{"tmem_allocate", R"(trap)"},
};
constexpr std::array kOnSm100 = {
    Operation{"tmem_allocate", R"(tcgen05\.alloc\.cta_group::1)"},
    Operation{"tmem_relinquish", R"(tcgen05\.relinquish_alloc_permit\.cta_group::1)"},
    Operation{"tmem_free", R"(tcgen05\.dealloc\.cta_group::1)"},
    Operation{"tcgen05_mma", R"(tcgen05\.mma\.cta_group::1\.kind::f16)"},
    Operation{"tcgen05_commit", R"(tcgen05\.commit\.cta_group::1)"},
    Operation{"tcgen05_fence_before", R"(tcgen05\.fence::before_thread_sync)"},
    Operation{"tcgen05_fence_after", R"(tcgen05\.fence::after_thread_sync)"},
    Operation{"tmem_load_wait", R"(tcgen05\.wait::ld)"},
    Operation{"wgmma_fence", R"(trap)"},
};

using Kernels = std::map<std::string, std::vector<std::string>>;

/// The instructions of every kernel of a PTX file.
Kernels ReadKernels(const std::string& architecture) {
  const std::string path =
      std::string(SAMEBITS_PTX_FOLDER) + "/lane_operations.sm_" + architecture + ".ptx";
  std::ifstream file(path);
  BOOST_TEST_REQUIRE(file.good(), "cannot read " << path);
  Kernels kernels;
  std::vector<std::string>* body = nullptr;
  for (std::string line; std::getline(file, line);) {
    const size_t entry = line.find(".entry ");
    if (entry != std::string::npos) {
      const size_t begin = entry + 7;
      body = &kernels[line.substr(begin, line.find('(', begin) - begin)];
    } else if (body) {
      const size_t begin = line.find_first_not_of(" \t");
      if (begin == std::string::npos || line.find(';') == std::string::npos) continue;
      if (std::string("./${}").find(line[begin]) != std::string::npos) continue;
      body->push_back(line.substr(begin));
    }
  }
  return kernels;
}

/// What a kernel needs around the operation: parameters, addresses, its operands' and result's
/// memory, predicates, loops and the end.
bool IsScaffold(const std::string& instruction) {
  static const std::regex scaffold(
      R"((ld\.param|ld\.global|st\.global|cvta|mov\.|cvt\.[us]|add\.s|and\.b|setp|selp|@|bra|ret).*)");
  return std::regex_match(instruction, scaffold);
}

void CheckOperations(const Kernels& kernels, std::span<const Operation> operations) {
  for (const Operation& operation : operations) {
    const auto found = kernels.find(operation.kernel);
    BOOST_TEST_REQUIRE((found != kernels.end()), "no kernel " << operation.kernel);
    const std::regex pattern(operation.instruction);
    int count = 0;
    std::string others;
    for (const std::string& instruction : found->second) {
      if (std::regex_search(instruction, pattern)) {
        ++count;
      } else if (!IsScaffold(instruction)) {
        others += instruction + " ";
      }
    }
    BOOST_TEST(count == 1, operation.kernel << ": " << count << " of " << operation.instruction);
    BOOST_TEST(others == "", operation.kernel << " also has " << others);
  }
}

size_t CountIn(const Kernels& kernels, const std::string& kernel, const std::string& text) {
  size_t count = 0;
  for (const std::string& instruction : kernels.at(kernel)) {
    count += instruction.find(text) != std::string::npos;
  }
  return count;
}

BOOST_AUTO_TEST_SUITE(lane_operations)

BOOST_AUTO_TEST_CASE(are_one_instruction) {
  for (const std::string architecture : {"90a", "100a"}) {
    BOOST_TEST_CONTEXT("sm_" << architecture) {
      CheckOperations(ReadKernels(architecture), kEverywhere);
    }
  }
  CheckOperations(ReadKernels("90a"), kOnSm90);
  CheckOperations(ReadKernels("100a"), kOnSm100);
}

BOOST_AUTO_TEST_CASE(products_of_every_width) {
  const Kernels kernels = ReadKernels("90a");
  for (int n = 8; n <= 256; n += 8) {
    const std::string number = std::to_string(n);
    const std::string name = "_ZN8samebits3gpu12WgmmaProductILi" + number + "EEEvPf";
    BOOST_TEST_REQUIRE(kernels.contains(name));
    BOOST_TEST(CountIn(kernels, name, "wgmma.mma_async.sync.aligned.m64n" + number + "k16.f32") ==
               4u);
  }
}

/// Every product has n / 2 registers of the sum, four of A, a descriptor and four constants, of
/// which the last transposes B.
BOOST_AUTO_TEST_CASE(products_of_registers_of_every_width) {
  const Kernels kernels = ReadKernels("90a");
  for (int n = 8; n <= 256; n += 8) {
    const std::string number = std::to_string(n), registers = std::to_string(n / 2 - 1);
    const std::string name = "_ZN8samebits3gpu23WgmmaProductOfRegistersILi" + number + "EEEvPfPKj";
    BOOST_TEST_REQUIRE(kernels.contains(name));
    const std::regex product(R"(wgmma\.mma_async\.sync\.aligned\.m64n)" + number +
                             R"(k16\.f32\.bf16\.bf16 \{(%f\d+, |%r\d+, ){)" + registers +
                             R"(}(%f\d+|%r\d+)\}, \{(%r\d+, ){3}%r\d+\}, %rd\d+, p, 1, 1, 0;)");
    size_t count = 0;
    for (const std::string& instruction : kernels.at(name)) {
      count += std::regex_search(instruction, product);
    }
    BOOST_TEST(count == 4u, name);
  }
}

BOOST_AUTO_TEST_CASE(reads_of_tensor_memory_of_every_width) {
  const Kernels kernels = ReadKernels("100a");
  for (int columns = 1; columns <= 128; columns *= 2) {
    const std::string number = std::to_string(columns);
    const std::string name = "_ZN8samebits3gpu8TmemReadILi" + number + "EEEvPfj";
    BOOST_TEST_REQUIRE(kernels.contains(name));
    BOOST_TEST(CountIn(kernels, name, "tcgen05.ld.sync.aligned.32x32b.x" + number + ".b32") == 1u);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu
