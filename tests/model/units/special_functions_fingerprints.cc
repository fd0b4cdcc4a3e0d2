// Compares the model with fingerprints of the hardware's results, on all cores.
//
//   special_functions_fingerprints [--blocks chosen|all] [--target AVX2|AVX3] [INSTRUCTION...]
//
// all: all 2^32 inputs; chosen (default): see ChosenBlocks. The target is the best of this machine
// unless named. Exit status 1 if a block differs.
#include <hwy/targets.h>

#include <atomic>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "model/parallel.h"
#include "model/profiles/special_functions_sm_90.h"
#include "model/simd_support.h"
#include "model/units/special_functions/simd.h"
#include "tests/model/units/special_functions_fingerprint.h"
#include "tests/silicon.h"

namespace samebits {
namespace {

using units::Instruction;

struct Arguments {
  bool all_blocks = false;
  std::vector<Instruction> instructions;
};

/// Runs everything that follows on one instruction set.
void Restrict(std::string_view name) {
  for (const SimdTarget& target : SimdTargets()) {
    if (target.name != name) continue;
    hwy::SetSupportedTargetsForTest(target.bit);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return;
  }
  throw std::invalid_argument("--target: this machine has no " + std::string(name));
}

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--blocks") {
      const std::string_view value = ++i < argc ? argv[i] : "";
      if (value != "all" && value != "chosen") {
        throw std::invalid_argument("--blocks: expected chosen or all");
      }
      arguments.all_blocks = value == "all";
    } else if (word == "--target") {
      Restrict(++i < argc ? argv[i] : "");
    } else if (const auto instruction = units::ParseInstruction(word)) {
      arguments.instructions.push_back(*instruction);
    } else {
      throw std::invalid_argument("unknown instruction " + std::string(word));
    }
  }
  if (arguments.instructions.empty()) {
    for (int k = 0; k < units::kInstructionCount; ++k) {
      arguments.instructions.push_back(static_cast<Instruction>(k));
    }
  }
  return arguments;
}

/// How many blocks differ.
int Compare(Instruction instruction, const std::vector<uint32_t>& blocks) {
  const std::string name(units::Name(instruction));
  const auto recorded = testing::ReadSilicon<uint64_t>("data/silicon/sm_90/special_functions.h5",
                                                       "fingerprints/" + name);
  if (recorded.size() != testing::kBlocks)
    throw std::runtime_error(name + ": expected 65536 blocks");
  std::atomic<int> bad{0};
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  ParallelFor(static_cast<int64_t>(blocks.size()), threads, [&](int64_t i) {
    const uint32_t block = blocks[static_cast<size_t>(i)];
    if (testing::Fingerprint(profiles::Sm90SpecialFunctions(), instruction, block) ==
        recorded[block]) {
      return;
    }
    if (++bad <= 8) std::printf("%s: block 0x%04X differs\n", name.c_str(), block);
  });
  std::printf("%s: %d of %zu blocks differ\n", name.c_str(), bad.load(), blocks.size());
  std::fflush(stdout);
  return bad;
}

int Run(int argc, char** argv) {
  const Arguments arguments = Parse(argc, argv);
  std::printf("running on %s\n", SimdSupported() ? units::SimdTargetInUse() : "plain code");
  bool same = true;
  for (const Instruction instruction : arguments.instructions) {
    std::vector<uint32_t> blocks = testing::ChosenBlocks(instruction);
    if (arguments.all_blocks) {
      blocks.resize(testing::kBlocks);
      std::iota(blocks.begin(), blocks.end(), 0u);
    }
    same = Compare(instruction, blocks) == 0 && same;
  }
  return same ? 0 : 1;
}

}  // namespace
}  // namespace samebits

int main(int argc, char** argv) {
  try {
    return samebits::Run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "special_functions_fingerprints: %s\n", e.what());
    return 2;
  }
}
