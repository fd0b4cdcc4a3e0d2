// Configuration matrices: TOML that describes many cases. schema.md documents the keys.
#ifndef SAMEBITS_GOLDEN_MATRIX_H_
#define SAMEBITS_GOLDEN_MATRIX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/case.h"

namespace samebits::golden {

/// What a command line says instead of the matrix.
struct MatrixOverrides {
  std::optional<std::string> style;  // every block uses this style alone
  std::optional<uint64_t> seed;
};

/// The cases in order, without duplicates. Throws ConfigError, which names file, block and key: no
/// TOML, unknown key, another kernel, unknown style, a combination that Kernel::Complete refuses in
/// a block without skip_illegal, a block without any case.
std::vector<CaseSpec> ParseMatrix(std::string_view text, std::string_view source,
                                  const Kernel& kernel, const MatrixOverrides& overrides = {});
/// The text of a file. Throws ConfigError if it cannot be read.
std::string ReadMatrix(const std::string& path);
std::vector<CaseSpec> LoadMatrix(const std::string& path, const Kernel& kernel,
                                 const MatrixOverrides& overrides = {});

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_MATRIX_H_
