#include "golden/contract_text.h"

#include <toml++/toml.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "golden/xxh3.h"

namespace samebits::golden {
namespace {

/// A TOML basic string.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string BodyText(const Contract& contract) {
  if (!contract.orders.empty()) {
    throw std::logic_error("contract: orders that no choice names have no text");
  }
  std::string text = "profile = " + Quoted(contract.profile) + "\n\n[choices]\n";
  for (const auto& [name, value] : contract.choices) text += name + " = " + Quoted(value) + "\n";
  return text;
}

std::string RequiredString(const toml::node* node, std::string_view key, std::string_view source) {
  const auto value = node ? node->value_exact<std::string>() : std::nullopt;
  if (!value) {
    throw ConfigError(std::string(source) + ": " + std::string(key) + ": expected a string");
  }
  return *value;
}

}  // namespace

std::string ContractText(const Contract& contract) {
  return "kernel = " + Quoted(contract.kernel) + "\nname = " + Quoted(contract.name) + "\n" +
         BodyText(contract);
}

Contract ParseContract(std::string_view text, std::string_view source) {
  toml::table table;
  try {
    table = toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw ConfigError(std::string(source) + ": line " + std::to_string(error.source().begin.line) +
                      ": " + std::string(error.description()));
  }
  Contract contract;
  for (const auto& [key, node] : table) {
    if (key != "kernel" && key != "name" && key != "profile" && key != "choices") {
      throw ConfigError(std::string(source) + ": " + std::string(key.str()) +
                        ": unknown; expected kernel, name, profile or choices");
    }
  }
  contract.kernel = RequiredString(table.get("kernel"), "kernel", source);
  contract.name = RequiredString(table.get("name"), "name", source);
  contract.profile = RequiredString(table.get("profile"), "profile", source);
  const toml::table* choices = table.get_as<toml::table>("choices");
  if (choices == nullptr) throw ConfigError(std::string(source) + ": choices: expected a table");
  for (const auto& [key, node] : *choices) {
    contract.choices[std::string(key.str())] =
        RequiredString(&node, "choices." + std::string(key.str()), source);
  }
  return contract;
}

Contract LoadContract(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw ConfigError(path + ": cannot be read");
  return ParseContract(text.str(), path);
}

std::string ContractHash(const Contract& contract) {
  return HashHex("kernel = " + Quoted(contract.kernel) + "\n" + BodyText(contract));
}

}  // namespace samebits::golden
