// The machine code of the CUDA kernels that a program contains, read from its executable file: what
// a result says it was computed with, and what tests check for registers and spills.
#ifndef SAMEBITS_GPU_CUDA_MACHINE_CODE_H_
#define SAMEBITS_GPU_CUDA_MACHINE_CODE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace samebits::gpu {

/// One kernel for one architecture.
struct MachineCode {
  int architecture = 0;  // 90, 100
  std::string symbol;    // mangled
  int registers = 0;     // per thread at launch
  int stack_bytes = 0;   // per thread: spills and addressable local arrays
  std::vector<uint8_t> text;
};

/// Every kernel in the `.nv_fatbin` section of an ELF64 executable (built with
/// --compress-mode=none; compressed images are skipped). Throws EnvironmentError if the file cannot
/// be read or has no such section.
std::vector<MachineCode> ReadMachineCode(const std::string& executable);

/// "fnv1a:" and 16 hexadecimal digits: FNV-1a, 64 bits, of the instructions of `symbol` for
/// `architecture` in the running program.
std::string MachineCodeHash(std::string_view symbol, int architecture);

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_CUDA_MACHINE_CODE_H_
