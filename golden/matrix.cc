#include "golden/matrix.h"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "golden/inputs.h"

namespace samebits::golden {
namespace {

/// Where in the matrix we are, for errors.
struct Place {
  std::string text;
  Place operator/(std::string_view below) const { return {text + ": " + std::string(below)}; }
  [[noreturn]] void Refuse(const std::string& what) const { throw ConfigError(text + ": " + what); }
};

std::string ValueText(const toml::node& node, const Place& place) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto integer = node.value_exact<int64_t>()) return std::to_string(*integer);
  if (const auto real = node.value_exact<double>()) {
    char buffer[64];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), *real);
    if (error == std::errc()) return {buffer, end};
  }
  place.Refuse("expected a string or a number");
}

/// One value or a list of them.
std::vector<std::string> ValueList(const toml::node& node, const Place& place) {
  std::vector<std::string> values;
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& value : *list) values.push_back(ValueText(value, place));
    if (values.empty()) place.Refuse("expected at least one value");
  } else {
    values.push_back(ValueText(node, place));
  }
  return values;
}

uint64_t Unsigned(const toml::table& table, std::string_view key, uint64_t otherwise,
                  const Place& place) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  const auto value = node->value_exact<int64_t>();
  if (!value || *value < 0) (place / key).Refuse("expected a non-negative integer");
  return static_cast<uint64_t>(*value);
}

void CheckKeys(const toml::table& table, std::initializer_list<std::string_view> known,
               const Place& place) {
  for (const auto& [key, node] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    std::string list;
    for (const std::string_view name : known)
      list += (list.empty() ? "" : ", ") + std::string(name);
    (place / key.str()).Refuse("unknown; expected one of " + list);
  }
}

using Axes = std::vector<std::pair<std::string, std::vector<std::string>>>;

class MatrixParser {
 public:
  MatrixParser(const Kernel& kernel, const MatrixOverrides& overrides, std::string source)
      : kernel_(kernel), overrides_(overrides), file_{std::move(source)} {}

  std::vector<CaseSpec> Parse(const toml::table& table) {
    CheckKeys(table, {"kernel", "seed", "seed_step", "styles", "block"}, file_);
    const auto name = table["kernel"].value<std::string>();
    if (!name || *name != kernel_.name()) {
      (file_ / "kernel").Refuse("expected \"" + std::string(kernel_.name()) + "\"");
    }
    seed_ = overrides_.seed.value_or(Unsigned(table, "seed", 0, file_));
    seed_step_ = Unsigned(table, "seed_step", 0, file_);
    const std::vector<std::string> styles = Styles(table, {"realistic"}, file_);
    const toml::array* blocks = table.get_as<toml::array>("block");
    if (blocks == nullptr || blocks->empty()) (file_ / "block").Refuse("expected [[block]] tables");
    for (size_t i = 0; i < blocks->size(); ++i) {
      const toml::table* block = blocks->get_as<toml::table>(i);
      if (block == nullptr) (file_ / "block").Refuse("expected [[block]] tables");
      Block(*block, styles, i);
    }
    return std::move(cases_);
  }

 private:
  std::vector<std::string> Styles(const toml::table& table,
                                  const std::vector<std::string>& otherwise,
                                  const Place& place) const {
    std::vector<std::string> styles = otherwise;
    if (const toml::node* node = table.get("styles")) styles = ValueList(*node, place / "styles");
    if (overrides_.style) styles = {*overrides_.style};
    for (const std::string& style : styles) {
      try {
        const InputGenerator known(style, 0);
      } catch (const ConfigError& error) {
        (place / "styles").Refuse(error.what());
      }
    }
    return styles;
  }

  void CheckAxis(std::string_view name, const Place& place) const {
    for (const Axis& axis : kernel_.axes()) {
      if (axis.name == name) return;
    }
    (place / name).Refuse("not an axis of " + std::string(kernel_.name()));
  }

  void Block(const toml::table& block, const std::vector<std::string>& default_styles, size_t i) {
    const Place place =
        file_ / ("block " + block["name"].value_or("number " + std::to_string(i + 1)));
    CheckKeys(block, {"name", "styles", "skip_illegal", "axes", "include", "exclude"}, place);
    const std::vector<std::string> styles = Styles(block, default_styles, place);
    const Axes axes = ReadAxes(block, place);
    const std::vector<Axes> excluded = ReadTables(block, "exclude", place);
    const bool skip = block["skip_illegal"].value_or(false);
    size_t added = 0;
    dropped_.clear();
    const auto add = [&](const Settings& partial) { added += Add(partial, styles, skip, place); };
    if (!axes.empty()) {
      Product(axes, [&](const Settings& partial) {
        const bool drop = std::any_of(excluded.begin(), excluded.end(),
                                      [&](const Axes& e) { return Matches(partial, e); });
        if (!drop) add(partial);
      });
    }
    for (const Axes& include : ReadTables(block, "include", place)) {
      Axes merged = include;  // on top of the block's axes of one value
      for (const auto& axis : axes) {
        const bool given = std::any_of(include.begin(), include.end(),
                                       [&](const auto& own) { return own.first == axis.first; });
        if (!given && axis.second.size() == 1) merged.push_back(axis);
      }
      Product(merged, add);
    }
    if (added == 0) place.Refuse("expected at least one legal configuration" + dropped_);
  }

  Axes ReadAxes(const toml::table& table, const Place& place) const {
    const toml::node* node = table.get("axes");
    if (node == nullptr) return {};
    const toml::table* axes = node->as_table();
    if (axes == nullptr) (place / "axes").Refuse("expected a table");
    return ReadAxisTable(*axes, place / "axes");
  }

  Axes ReadAxisTable(const toml::table& table, const Place& place) const {
    Axes axes;
    for (const auto& [key, values] : table) {
      CheckAxis(key.str(), place);
      axes.emplace_back(key.str(), ValueList(values, place / key.str()));
    }
    return axes;
  }

  std::vector<Axes> ReadTables(const toml::table& block, std::string_view key,
                               const Place& place) const {
    std::vector<Axes> tables;
    const toml::node* node = block.get(key);
    if (node == nullptr) return tables;
    const toml::array* list = node->as_array();
    if (list == nullptr) (place / key).Refuse("expected a list of tables");
    for (const toml::node& item : *list) {
      const toml::table* table = item.as_table();
      if (table == nullptr || table->empty()) (place / key).Refuse("expected a list of tables");
      tables.push_back(ReadAxisTable(*table, place / key));
    }
    return tables;
  }

  /// A configuration matches if each axis of `axes` has one of its values.
  static bool Matches(const Settings& partial, const Axes& axes) {
    return std::all_of(axes.begin(), axes.end(), [&](const auto& axis) {
      const auto value = partial.find(axis.first);
      return value != partial.end() &&
             std::find(axis.second.begin(), axis.second.end(), value->second) != axis.second.end();
    });
  }

  /// Calls visit(partial configuration); the last axis changes fastest.
  template <typename Visit>
  static void Product(const Axes& axes, const Visit& visit, Settings partial = {},
                      size_t depth = 0) {
    if (depth == axes.size()) return visit(partial);
    for (const std::string& value : axes[depth].second) {
      partial[axes[depth].first] = value;
      Product(axes, visit, partial, depth + 1);
    }
  }

  /// Returns how many cases the block would have with this configuration, known ones included.
  size_t Add(const Settings& partial, const std::vector<std::string>& styles, bool skip,
             const Place& place) {
    Settings config;
    try {
      config = kernel_.Complete(partial);
    } catch (const ConfigError& error) {
      if (skip) {
        dropped_ = std::string("; dropped: ") + error.what();
        return 0;
      }
      place.Refuse(error.what());
    }
    auto [known, fresh] = configurations_.try_emplace(config);
    if (fresh) known->second.seed = seed_ + seed_step_ * (configurations_.size() - 1);
    for (const std::string& style : styles) {
      std::vector<std::string>& done = known->second.styles;
      if (std::find(done.begin(), done.end(), style) != done.end()) continue;
      done.push_back(style);
      cases_.push_back({&kernel_, config, style, known->second.seed});
    }
    return styles.size();
  }

  struct Known {
    uint64_t seed = 0;
    std::vector<std::string> styles;
  };

  const Kernel& kernel_;
  const MatrixOverrides& overrides_;
  Place file_;
  uint64_t seed_ = 0, seed_step_ = 0;
  std::map<Settings, Known> configurations_;
  std::vector<CaseSpec> cases_;
  std::string dropped_;  // why the last illegal configuration of the block is so
};

}  // namespace

std::vector<CaseSpec> ParseMatrix(std::string_view text, std::string_view source,
                                  const Kernel& kernel, const MatrixOverrides& overrides) {
  toml::table table;
  try {
    table = toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw ConfigError(std::string(source) + ": line " + std::to_string(error.source().begin.line) +
                      ": " + std::string(error.description()));
  }
  return MatrixParser(kernel, overrides, std::string(source)).Parse(table);
}

std::string ReadMatrix(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw ConfigError(path + ": cannot be read");
  return text.str();
}

std::vector<CaseSpec> LoadMatrix(const std::string& path, const Kernel& kernel,
                                 const MatrixOverrides& overrides) {
  return ParseMatrix(ReadMatrix(path), path, kernel, overrides);
}

}  // namespace samebits::golden
