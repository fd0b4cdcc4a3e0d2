#include "golden/case_text.h"

#include <charconv>
#include <stdexcept>

namespace samebits::golden {
namespace {

/// Cuts `text` at the first `separator`; the rest is "" if there is none.
std::string_view Cut(std::string_view* text, char separator) {
  const size_t at = text->find(separator);
  const std::string_view head = text->substr(0, at);
  *text = at == std::string_view::npos ? std::string_view() : text->substr(at + 1);
  return head;
}

[[noreturn]] void Refuse(std::string_view what, std::string_view text) {
  throw std::invalid_argument("expected " + std::string(what) + ", found \"" + std::string(text) +
                              "\"");
}

Role ParseRole(std::string_view group) {
  for (const Role role : {Role::kInput, Role::kTap, Role::kOutput}) {
    if (GroupName(role) == group) return role;
  }
  Refuse("inputs, taps or outputs", group);
}

/// Every name or value must survive being written between separators.
void CheckWord(std::string_view word, std::string_view what) {
  if (word.empty() || word.find_first_of(" ,=/\n\0", 0, 6) != std::string_view::npos) {
    Refuse(what, word);
  }
}

void ParseDims(std::string_view text, TensorSpec* spec) {
  if (text == "scalar") return;
  constexpr uint64_t kMaxElements = uint64_t{1} << 48;
  uint64_t elements = 1;
  while (!text.empty()) {
    std::string_view dim = Cut(&text, ',');
    const std::string_view name = Cut(&dim, '=');
    CheckWord(name, "the name of a dimension");
    const uint64_t extent = ParseUnsigned(dim);
    if (extent > kMaxElements || (elements *= extent) > kMaxElements) Refuse("an extent", dim);
    spec->dims.emplace_back(name);
    spec->shape.push_back(static_cast<int64_t>(extent));
  }
}

bool IsHash(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

uint64_t ParseUnsigned(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    Refuse("an unsigned integer", text);
  }
  return value;
}

std::string TensorLine(const TensorEntry& entry) {
  const TensorSpec& spec = entry.spec;
  CheckWord(spec.name, "the name of a tensor");
  std::string dims;
  for (size_t i = 0; i < spec.shape.size(); ++i) {
    CheckWord(spec.dims[i], "the name of a dimension");
    dims += (i == 0 ? "" : ",") + spec.dims[i] + "=" + std::to_string(spec.shape[i]);
  }
  if (dims.empty()) dims = "scalar";
  return std::string(GroupName(spec.role)) + "/" + spec.name + " " + std::string(Name(spec.dtype)) +
         " " + dims + " " + entry.xxh3;
}

TensorEntry ParseTensorLine(std::string_view line) {
  std::string_view rest = line;
  TensorEntry entry;
  entry.spec.role = ParseRole(Cut(&rest, '/'));
  entry.spec.name = Cut(&rest, ' ');
  CheckWord(entry.spec.name, "the name of a tensor");
  const std::string_view dtype = Cut(&rest, ' ');
  const std::optional<DType> parsed = ParseDType(dtype);
  if (!parsed) Refuse("bf16, f16, f32 or i32", dtype);
  entry.spec.dtype = *parsed;
  ParseDims(Cut(&rest, ' '), &entry.spec);
  if (!IsHash(rest)) Refuse("32 hexadecimal digits", rest);
  entry.xxh3 = rest;
  if (TensorLine(entry) != line) Refuse("a tensor line in canonical form", line);
  return entry;
}

std::string CaseText(const CaseEntry& entry) {
  std::string text = "id=" + entry.id + "\nindex=" + std::to_string(entry.index) +
                     "\nstyle=" + entry.style + "\nseed=" + std::to_string(entry.seed) + "\n";
  for (const auto& [axis, value] : entry.config) text += "config." + axis + "=" + value + "\n";
  for (const TensorEntry& tensor : entry.tensors) text += "tensor " + TensorLine(tensor) + "\n";
  return text;
}

CaseEntry ParseCaseText(std::string_view text) {
  constexpr std::string_view kTensor = "tensor ", kConfig = "config.";
  CaseEntry entry;
  while (!text.empty()) {
    std::string_view line = Cut(&text, '\n');
    if (line.starts_with(kTensor)) {
      entry.tensors.push_back(ParseTensorLine(line.substr(kTensor.size())));
      continue;
    }
    const std::string_view key = Cut(&line, '=');
    if (key == "id") {
      entry.id = line;
    } else if (key == "index") {
      entry.index = static_cast<int64_t>(ParseUnsigned(line));
    } else if (key == "style") {
      entry.style = line;
    } else if (key == "seed") {
      entry.seed = ParseUnsigned(line);
    } else if (key.starts_with(kConfig)) {
      entry.config[std::string(key.substr(kConfig.size()))] = line;
    } else {
      Refuse("a line of a case", key);
    }
  }
  return entry;
}

}  // namespace samebits::golden
