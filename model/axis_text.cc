#include "model/axis_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace samebits {
namespace {

Axis MakeAxis(std::string name, std::string doc, Axis::Kind kind, std::string value) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .kind = kind,
          .words = {},
          .min = 0,
          .max = 0,
          .default_value = std::move(value)};
}

[[noreturn]] void Refuse(const Axis& axis, const std::string& text, const std::string& expected) {
  throw ConfigError(fmt::format("{}: '{}' is not {}", axis.name, text, expected));
}

template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Axis IntegerAxis(std::string name, std::string doc, int64_t min, int64_t max, std::string value) {
  Axis axis = MakeAxis(std::move(name), std::move(doc), Axis::Kind::kInteger, std::move(value));
  axis.min = min;
  axis.max = max;
  return axis;
}

Axis WordAxis(std::string name, std::string doc, std::vector<std::string> words,
              std::string value) {
  Axis axis = MakeAxis(std::move(name), std::move(doc), Axis::Kind::kWord, std::move(value));
  axis.words = std::move(words);
  return axis;
}

Axis RealAxis(std::string name, std::string doc, std::string value) {
  return MakeAxis(std::move(name), std::move(doc), Axis::Kind::kReal, std::move(value));
}

int64_t ReadInteger(const Axis& axis, const std::string& text) {
  const std::optional<int64_t> value = ParseNumber<int64_t>(text);
  if (!value || *value < axis.min || *value > axis.max) {
    Refuse(axis, text, fmt::format("an integer in {}..{}", axis.min, axis.max));
  }
  return *value;
}

std::optional<int> ReadOffset(const Axis& axis, const std::string& text) {
  if (!text.starts_with('+')) return std::nullopt;
  const std::optional<int> more = ParseNumber<int>(std::string_view(text).substr(1));
  if (!more || *more < 0 || *more > axis.max) Refuse(axis, text, "an integer or +N");
  return more;
}

size_t ReadWord(const Axis& axis, const std::string& text) {
  const auto word = std::ranges::find(axis.words, text);
  if (word == axis.words.end()) {
    Refuse(axis, text, fmt::format("one of {}", fmt::join(axis.words, ", ")));
  }
  return static_cast<size_t>(word - axis.words.begin());
}

float ReadReal(const Axis& axis, const std::string& text) {
  const std::optional<float> value = ParseNumber<float>(text);
  if (!value) Refuse(axis, text, "a float32 number");
  return *value;
}

std::string WriteReal(float value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  return {text, end};
}

}  // namespace samebits
