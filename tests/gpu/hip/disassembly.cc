#include "tests/gpu/hip/disassembly.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <regex>

namespace samebits::gpu {
namespace {

std::vector<std::string> ReadLines(const std::string& path) {
  std::ifstream file(path);
  BOOST_TEST_REQUIRE(file.good(), path << " cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::map<std::string, Instructions> ReadDisassembly(const std::string& path) {
  static const std::regex label("[0-9a-f]+ <(\\w+)>:");
  std::map<std::string, Instructions> kernels;
  Instructions* kernel = nullptr;
  for (const std::string& line : ReadLines(path)) {
    std::smatch match;
    if (std::regex_match(line, match, label)) {
      kernel = &kernels[match[1]];
      continue;
    }
    const std::string text = Trimmed(line.substr(0, line.find("//")));
    if (kernel != nullptr && !text.empty()) kernel->push_back(text);
  }
  for (auto& [name, instructions] : kernels) {
    const auto end = std::find(instructions.rbegin(), instructions.rend(), "s_endpgm");
    if (end != instructions.rend()) instructions.erase(end.base(), instructions.end());
  }
  return kernels;
}

std::string_view Mnemonic(std::string_view instruction) {
  return instruction.substr(0, instruction.find(' '));
}

int CountMnemonic(const Instructions& instructions, std::string_view begin) {
  return static_cast<int>(std::ranges::count_if(
      instructions, [&](const std::string& text) { return Mnemonic(text).starts_with(begin); }));
}

bool HasWord(std::string_view instruction, std::string_view word) {
  const std::string padded = " " + std::string(instruction) + " ";
  return padded.find(" " + std::string(word) + " ") != std::string::npos;
}

int CountWord(const Instructions& instructions, std::string_view word) {
  return static_cast<int>(std::ranges::count_if(
      instructions, [&](const std::string& text) { return HasWord(text, word); }));
}

std::map<std::string, std::map<std::string, std::string>> ReadNotes(const std::string& path) {
  static const std::regex field("^ {2}(?:- | {2})(\\.\\w+): +'?([^']*)'?$");
  std::map<std::string, std::map<std::string, std::string>> kernels;
  std::map<std::string, std::string> current;
  const auto close = [&] {
    if (current.contains(".name")) kernels[current[".name"]] = current;
    current.clear();
  };
  for (const std::string& line : ReadLines(path)) {
    if (line.starts_with("  - ")) close();
    std::smatch match;
    if (std::regex_match(line, match, field)) current[match[1]] = match[2];
  }
  close();
  return kernels;
}

}  // namespace samebits::gpu
