#include "harness/profile/profile.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "harness/profile/embedded.h"
#include "harness/profile/profile_text.h"
#include "harness/status.h"
#include "harness/suggest.h"
#include "model/contract.h"

namespace samebits::harness::profile {

units::Interpolator& TableNamed(const std::string& function, units::SpecialFunctionTables* tables) {
  if (function == "ex2") return tables->ex2;
  if (function == "rcp") return tables->rcp;
  if (function == "rsq") return tables->rsq;
  if (function == "sqrt") return tables->sqrt;
  if (function == "lg2") return tables->lg2;
  if (function == "tanh") return tables->tanh;
  return tables->sin;
}

units::SpecialFunctionTables Profile::tables() const {
  units::SpecialFunctionTables tables;
  tables.method = method;
  if (method == units::SpecialFunctionMethod::kCorrectlyRounded) return tables;
  for (const auto& [name, entry] : functions) {
    units::Interpolator& table = TableNamed(name, &tables);
    table = entry.shape;
    table.rows = entry.rows;
  }
  std::copy(tanh_binades.begin(), tanh_binades.end(), tables.tanh_binades.begin());
  return tables;
}

gpu::probe::Chip Profile::chip() const {
  const auto copy = std::make_shared<Profile>(*this);
  gpu::probe::Chip chip{name, architecture, vendor, copy->tables(), copy, {}};
  for (const MatrixEntry& entry : copy->matrix) {
    chip.matrix.push_back({{entry.instruction, entry.m, entry.n, entry.k}, entry.unit});
  }
  return chip;
}

void SetFunctions(const units::SpecialFunctionTables& tables, const Evidence& evidence,
                  Profile* profile) {
  profile->method = tables.method;
  units::SpecialFunctionTables copy = tables;
  for (const char* name : kFunctionNames) {
    FunctionEntry entry;
    entry.shape = TableNamed(name, &copy);
    entry.rows.assign(entry.shape.rows.begin(), entry.shape.rows.end());
    entry.shape.rows = {};
    entry.evidence = evidence;
    profile->functions[name] = std::move(entry);
  }
  profile->tanh_binades.assign(tables.tanh_binades.begin(), tables.tanh_binades.end());
}

std::vector<std::string> ProfileNames() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (file.name.ends_with(".toml")) names.emplace_back(file.name.substr(0, file.name.size() - 5));
  }
  return names;
}

Profile LoadProfile(const std::string& name_or_file) {
  if (name_or_file.ends_with(".toml") || std::filesystem::exists(name_or_file)) {
    std::ifstream file(name_or_file, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) throw ConfigError(name_or_file + ": cannot be read");
    return ParseProfile(text.str(), name_or_file, [&](const std::string& tables) {
      return golden::OpenSealed(
          (std::filesystem::path(name_or_file).parent_path() / tables).string());
    });
  }
  const auto find = [](const std::string& name) -> const EmbeddedFile* {
    for (const EmbeddedFile& file : EmbeddedFiles()) {
      if (file.name == name) return &file;
    }
    return nullptr;
  };
  const EmbeddedFile* file = find(name_or_file + ".toml");
  if (file == nullptr) throw UsageError(UnknownName("profile", name_or_file, ProfileNames()));
  return ParseProfile({reinterpret_cast<const char*>(file->data), file->size}, name_or_file,
                      [&](const std::string& tables) {
                        const EmbeddedFile* image = find(tables);
                        if (image == nullptr) throw ConfigError("no embedded file " + tables);
                        return golden::H5File::OpenImage(
                            std::as_bytes(std::span(image->data, image->size)), tables);
                      });
}

}  // namespace samebits::harness::profile
