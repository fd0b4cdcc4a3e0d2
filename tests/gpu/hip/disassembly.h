// Disassembled code objects, as llvm-objdump -d and llvm-readelf --notes print them.
#ifndef SAMEBITS_TESTS_GPU_HIP_DISASSEMBLY_H_
#define SAMEBITS_TESTS_GPU_HIP_DISASSEMBLY_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace samebits::gpu {

/// The instructions of a kernel up to its last s_endpgm.
using Instructions = std::vector<std::string>;

/// By kernel. Fails the test if the file cannot be read.
std::map<std::string, Instructions> ReadDisassembly(const std::string& path);

std::string_view Mnemonic(std::string_view instruction);
/// Instructions whose mnemonic begins so.
int CountMnemonic(const Instructions& instructions, std::string_view begin);
/// Instructions with the text as a word of their own (" nt", " sc1").
int CountWord(const Instructions& instructions, std::string_view word);
bool HasWord(std::string_view instruction, std::string_view word);

/// What the metadata says of a kernel, by field (".vgpr_count").
std::map<std::string, std::map<std::string, std::string>> ReadNotes(const std::string& path);

}  // namespace samebits::gpu

#endif  // SAMEBITS_TESTS_GPU_HIP_DISASSEMBLY_H_
