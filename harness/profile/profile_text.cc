#include "harness/profile/profile_text.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "golden/integrity_error.h"
#include "golden/temporary_file.h"
#include "harness/profile/matrix_parameters.h"
#include "model/contract.h"

namespace samebits::harness::profile {
namespace {

using units::SpecialFunctionMethod;

constexpr profiles::Evidence kEvidences[] = {
    profiles::Evidence::kMeasured, profiles::Evidence::kPublished, profiles::Evidence::kAssumed,
    profiles::Evidence::kReference};

/// A table of the text that knows its place in errors.
class Reader {
 public:
  Reader(const toml::table& table, std::string place) : table_(table), place_(std::move(place)) {}

  template <typename T>
  T Value(std::string_view key) const {
    const auto value = table_[key].value_exact<T>();
    if (!value) Refuse(key, std::is_same_v<T, std::string> ? "a string" : "a number or flag");
    return *value;
  }
  int Integer(std::string_view key, int64_t min, int64_t max) const {
    const auto value = Value<int64_t>(key);
    if (value < min || value > max) Refuse(key, fmt::format("{} to {}", min, max));
    return static_cast<int>(value);
  }
  std::optional<Reader> Table(std::string_view key) const {
    const toml::table* table = table_[key].as_table();
    if (table == nullptr) return std::nullopt;
    return Reader(*table, place_ + ": " + std::string(key));
  }
  std::vector<std::string> Keys() const {
    std::vector<std::string> keys;
    for (const auto& [key, node] : table_) keys.emplace_back(key.str());
    return keys;
  }
  const toml::table& table() const { return table_; }
  [[noreturn]] void Refuse(std::string_view key, const std::string& expected) const {
    throw ConfigError(fmt::format("{}: {}: expected {}", place_, key, expected));
  }

 private:
  const toml::table& table_;
  std::string place_;
};

Evidence ReadEvidence(const Reader& reader) {
  const auto kind = reader.Value<std::string>("evidence");
  for (const profiles::Evidence evidence : kEvidences) {
    if (profiles::ToString(evidence) == kind)
      return {evidence, reader.Value<std::string>("source")};
  }
  reader.Refuse("evidence", "measured, published, assumed or reference");
}

MatrixEntry ReadMatrix(const std::string& name, const Reader& reader) {
  MatrixEntry entry;
  entry.instruction = name;
  entry.m = reader.Integer("m", 1, 256);
  entry.n = reader.Integer("n", 1, 256);
  entry.k = reader.Integer("k", 1, 64);
  const auto op = reader.Value<std::string>("sum");
  const auto found = std::find_if(std::begin(kBlockSums), std::end(kBlockSums),
                                  [&](units::BlockSum sum) { return Name(sum) == op; });
  if (found == std::end(kBlockSums)) {
    reader.Refuse("sum", "join, late, pair, exact or sequential");
  }
  entry.unit.op = *found;
  entry.unit.instruction_k = entry.k;
  // What this kind of sum does not read stays at the model's default.
  for (const MatrixParameter& parameter : MatrixParameters()) {
    if (!parameter.used(entry.unit.op)) continue;
    parameter.set(&entry.unit, parameter.flag
                                   ? static_cast<int64_t>(reader.Value<bool>(parameter.name))
                                   : reader.Integer(parameter.name, -1000, 1000));
  }
  if (entry.unit.op != units::BlockSum::kJoin) {
    entry.unit.rounding = units::Rounding::kNearestEven;
  }
  entry.unit.nan_bits = static_cast<uint32_t>(reader.Value<int64_t>("nan_bits"));
  entry.unit.validate();
  entry.evidence = ReadEvidence(reader);
  return entry;
}

FunctionEntry ReadFunction(const Reader& reader, SpecialFunctionMethod method) {
  FunctionEntry entry;
  entry.evidence = ReadEvidence(reader);
  if (method == SpecialFunctionMethod::kCorrectlyRounded) return entry;
  entry.shape.low_bits = reader.Integer("low_bits", 1, 22);
  entry.shape.square_first_column = reader.Integer("square_first_column", 0, 44);
  entry.shape.fraction_bits = reader.Integer("fraction_bits", 24, 50);
  entry.shape.c0_shift = reader.Integer("c0_shift", 0, 20);
  entry.shape.c2_shift = reader.Integer("c2_shift", 0, 20);
  entry.shape.bias = reader.Value<int64_t>("bias");
  return entry;
}

TensorSpec RowsSpec(const std::string& function, int64_t rows) {
  TensorSpec spec;
  spec.name = function;
  spec.dtype = DType::kI32;
  spec.dims = {"row", "coefficient"};
  spec.shape = {rows, 3};
  return spec;
}

void ReadRows(const golden::H5File& file, Profile* profile) {
  const golden::H5Node root = file.Root();
  for (auto& [name, entry] : profile->functions) {
    const golden::H5Node dataset = root.Dataset(name);
    const std::vector<int64_t> extents = dataset.ArrayExtents();
    if (extents.size() != 2 || extents[1] != 3) dataset.Refuse("expected rows of 3 coefficients");
    const TensorSpec spec = RowsSpec(name, extents[0]);
    dataset.CheckTensor(spec);
    static_assert(sizeof(units::QuadraticRow) == 12);
    entry.rows.resize(static_cast<size_t>(extents[0]));
    dataset.ReadTensor(spec, std::as_writable_bytes(std::span(entry.rows)));
  }
}

void ReadSpecial(const Reader& special, const OpenTables& open, Profile* profile) {
  const auto method = special.Value<std::string>("method");
  if (method != "interpolated" && method != "correctly_rounded") {
    special.Refuse("method", "interpolated or correctly_rounded");
  }
  const bool interpolated = method == "interpolated";
  profile->method = interpolated ? SpecialFunctionMethod::kInterpolated
                                 : SpecialFunctionMethod::kCorrectlyRounded;
  for (const char* name : kFunctionNames) {
    if (const auto reader = special.Table(name)) {
      profile->functions[name] = ReadFunction(*reader, profile->method);
    }
  }
  if (!interpolated) return;
  ReadRows(open(special.Value<std::string>("tables")), profile);
  if (profile->has("tanh")) {
    const toml::array* bits = special.table()["tanh"]["index_bits"].as_array();
    if (bits == nullptr || bits->size() != units::SpecialFunctionTables{}.tanh_binades.size()) {
      special.Refuse("tanh.index_bits", "a number for each binade, 11");
    }
    uint32_t row = 0;
    for (const toml::node& node : *bits) {
      const int64_t value = node.value_exact<int64_t>().value_or(-1);
      if (value < 0 || value > 6) special.Refuse("tanh.index_bits", "numbers from 0 to 6");
      profile->tanh_binades.push_back({static_cast<uint8_t>(value), static_cast<uint8_t>(row)});
      row += 1u << value;
    }
  }
  units::SpecialFunctionTables tables = profile->tables();
  if (profile->functions.size() == std::size(kFunctionNames)) tables.validate();
}

std::string EvidenceText(const Evidence& evidence) {
  return fmt::format("evidence = \"{}\"\nsource = \"{}\"\n", profiles::ToString(evidence.kind),
                     evidence.source);
}

std::string MatrixText(const MatrixEntry& entry) {
  std::string text = fmt::format("\n[matrix.\"{}\"]\nm = {}\nn = {}\nk = {}\nsum = \"{}\"\n",
                                 entry.instruction, entry.m, entry.n, entry.k, Name(entry.unit.op));
  for (const MatrixParameter& parameter : MatrixParameters()) {
    if (!parameter.used(entry.unit.op)) continue;
    const int64_t value = parameter.get(entry.unit);
    text += fmt::format("{} = {}\n", parameter.name,
                        parameter.flag ? (value != 0 ? "true" : "false") : std::to_string(value));
  }
  return text + fmt::format("nan_bits = 0x{:08X}\n", entry.unit.nan_bits) +
         EvidenceText(entry.evidence);
}

std::string FunctionText(const Profile& profile, const std::string& name) {
  const FunctionEntry& entry = profile.functions.at(name);
  std::string text = fmt::format("\n[special_functions.{}]\n", name);
  if (profile.method == SpecialFunctionMethod::kInterpolated) {
    const units::Interpolator& t = entry.shape;
    text += fmt::format(
        "low_bits = {}\nsquare_first_column = {}\nfraction_bits = {}\nc0_shift = {}\n"
        "c2_shift = {}\nbias = {}\n",
        t.low_bits, t.square_first_column, t.fraction_bits, t.c0_shift, t.c2_shift, t.bias);
    if (name == "tanh") {
      text += "index_bits = [";
      for (size_t i = 0; i < profile.tanh_binades.size(); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", profile.tanh_binades[i].index_bits);
      }
      text += "]\n";
    }
  }
  return text + EvidenceText(entry.evidence);
}

void SaveTables(const std::string& path, const Profile& profile) {
  golden::TemporaryFile temporary(path + ".part");
  golden::H5File file = golden::H5File::Create(temporary.path());
  {
    golden::H5Node root = file.Root();
    root.SetText("schema", "samebits-profile-tables");
    for (const auto& [name, entry] : profile.functions) {
      root.CreateTensor(name, RowsSpec(name, static_cast<int64_t>(entry.rows.size())),
                        std::as_bytes(std::span(entry.rows)));
    }
  }
  file.Close();
  golden::WriteSeal(temporary.path());
  temporary.PutInPlace(path);
}

}  // namespace

Profile ParseProfile(std::string_view text, const std::string& source, const OpenTables& open) {
  toml::table table;
  try {
    table = toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw ConfigError(
        fmt::format("{}: line {}: {}", source, error.source().begin.line, error.description()));
  }
  const Reader reader(table, source);
  Profile profile;
  profile.name = reader.Value<std::string>("name");
  profile.architecture = reader.Value<std::string>("architecture");
  const auto vendor = reader.Value<std::string>("vendor");
  if (vendor != "NVIDIA" && vendor != "AMD") reader.Refuse("vendor", "NVIDIA or AMD");
  profile.vendor = vendor == "AMD" ? gpu::probe::Vendor::kAmd : gpu::probe::Vendor::kNvidia;
  if (const auto special = reader.Table("special_functions")) ReadSpecial(*special, open, &profile);
  if (const auto matrix = reader.Table("matrix")) {
    for (const std::string& name : matrix->Keys()) {
      const auto entry = matrix->Table(name);
      if (!entry) matrix->Refuse(name, "a table");
      profile.matrix.push_back(ReadMatrix(name, *entry));
    }
  }
  return profile;
}

std::string ProfileText(const Profile& profile, const std::string& tables) {
  std::string text = fmt::format("name = \"{}\"\narchitecture = \"{}\"\nvendor = \"{}\"\n",
                                 profile.name, profile.architecture,
                                 profile.vendor == gpu::probe::Vendor::kAmd ? "AMD" : "NVIDIA");
  if (!profile.functions.empty()) {
    const bool interpolated = profile.method == SpecialFunctionMethod::kInterpolated;
    text += fmt::format("\n[special_functions]\nmethod = \"{}\"\n",
                        interpolated ? "interpolated" : "correctly_rounded");
    if (interpolated) text += fmt::format("tables = \"{}\"\n", tables);
    for (const auto& [name, entry] : profile.functions) text += FunctionText(profile, name);
  }
  for (const MatrixEntry& entry : profile.matrix) text += MatrixText(entry);
  return text;
}

void SaveProfile(const std::string& path, const Profile& profile, bool force) {
  const std::filesystem::path target(path);
  if (target.extension() != ".toml")
    throw ConfigError(path + ": expected a name that ends in .toml");
  const std::string tables = target.stem().string() + ".h5";
  const std::string tables_path = (target.parent_path() / tables).string();
  const bool has_tables =
      !profile.functions.empty() && profile.method == SpecialFunctionMethod::kInterpolated;
  golden::RefuseExisting(path, force);
  if (has_tables) {
    golden::RefuseExisting(tables_path, force);
    SaveTables(tables_path, profile);
  }
  golden::TemporaryFile temporary(path + ".part");
  {
    std::ofstream file(temporary.path(), std::ios::binary);
    if (!(file << ProfileText(profile, tables)) || !file.flush()) {
      throw golden::StorageError(path + ": cannot be written");
    }
  }
  temporary.PutInPlace(path);
}

}  // namespace samebits::harness::profile
