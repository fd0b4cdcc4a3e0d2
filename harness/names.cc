#include "harness/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

#include "golden/contract_text.h"
#include "golden/inputs.h"
#include "harness/status.h"
#include "harness/suggest.h"

namespace samebits::harness {
namespace {

template <typename Range>
std::vector<std::string> NamesOf(const Range& range) {
  std::vector<std::string> names;
  for (const auto& item : range) names.push_back(item.name);
  return names;
}

/// The item of that name; throws UsageError with the nearest.
template <typename T>
const T& Named(std::string_view what, std::string_view name, std::span<const T> items) {
  for (const T& item : items) {
    if (item.name == name) return item;
  }
  throw UsageError(UnknownName(what, name, NamesOf(items)));
}

/// Throws UsageError unless `word` is "name=value".
std::pair<std::string, std::string> Split(std::string_view option, const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
    throw UsageError(fmt::format("{}: expected name=value, got \"{}\"", option, word));
  }
  return {word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace

const Kernel& KernelNamed(std::string_view name) {
  if (const Kernel* kernel = FindKernel(name)) return *kernel;
  std::vector<std::string> names;
  for (const Kernel* kernel : Kernels()) names.emplace_back(kernel->name());
  throw UsageError(UnknownName("kernel", name, names));
}

std::string AxisValue(const Kernel& kernel, const std::string& axis, const std::string& value) {
  const Axis& found = Named("axis", axis, kernel.axes());
  if (found.kind != Axis::Kind::kWord) return value;  // Kernel::Complete knows ranges
  if (std::find(found.words.begin(), found.words.end(), value) == found.words.end()) {
    throw UsageError(UnknownName("value of axis " + axis, value, found.words));
  }
  return value;
}

Settings ParseAxes(const Kernel& kernel, std::string_view option,
                   const std::vector<std::string>& words) {
  Settings settings;
  for (const std::string& word : words) {
    const auto [axis, value] = Split(option, word);
    if (!settings.emplace(axis, AxisValue(kernel, axis, value)).second) {
      throw UsageError(fmt::format("{}: axis {} is given twice", option, axis));
    }
  }
  return settings;
}

void ChangeContract(const Kernel& kernel, const std::vector<std::string>& changes,
                    Contract* contract) {
  std::set<std::string> changed;
  for (const std::string& change : changes) {
    const auto [name, value] = Split("--set", change);
    if (!changed.insert(name).second) {
      throw UsageError(fmt::format("--set: choice {} is given twice", name));
    }
    const Choice& choice = Named("choice", name, kernel.choices());
    if (std::find(choice.values.begin(), choice.values.end(), value) == choice.values.end()) {
      throw UsageError(UnknownName("value of choice " + name, value, choice.values));
    }
    if (contract->choices[name] == value) continue;
    contract->choices[name] = value;
    contract->name += "+" + change;
  }
  kernel.CheckContract(*contract);
}

Contract ParseContract(const Kernel& kernel, const std::string& name_or_file,
                       const std::vector<std::string>& changes) {
  const std::vector<std::string> names = kernel.contract_names();
  const bool named =
      name_or_file.empty() || std::find(names.begin(), names.end(), name_or_file) != names.end();
  const bool file = name_or_file.ends_with(".toml") || std::filesystem::exists(name_or_file);
  if (!named && !file) throw UsageError(UnknownName("contract", name_or_file, names));
  Contract contract =
      named ? kernel.NamedContract(name_or_file) : golden::LoadContract(name_or_file);
  if (contract.kernel != kernel.name()) {
    throw UsageError(fmt::format("{}: kernel: expected \"{}\", got \"{}\"", name_or_file,
                                 kernel.name(), contract.kernel));
  }
  ChangeContract(kernel, changes, &contract);
  return contract;
}

Settings NonDefault(const Kernel& kernel, const Settings& config) {
  // A default can depend on other axes: an axis is at its default if leaving it out changes
  // nothing.
  const auto is_default = [&](const std::string& axis) {
    Settings without = config;
    without.erase(axis);
    try {
      return kernel.Complete(without) == config;
    } catch (const ConfigError&) {
      return false;
    }
  };
  Settings shown;
  for (const auto& [axis, value] : config) {
    if (!is_default(axis)) shown.emplace(axis, value);
  }
  return shown;
}

std::vector<std::string> InputStyles() {
  return {golden::StyleNames().begin(), golden::StyleNames().end()};
}

void CheckStyle(const std::string& style) {
  const std::vector<std::string> styles = InputStyles();
  if (std::find(styles.begin(), styles.end(), style) == styles.end()) {
    throw UsageError(UnknownName("input style", style, styles));
  }
}

int ThreadCount(int threads) {
  return threads > 0 ? threads
                     : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace samebits::harness
