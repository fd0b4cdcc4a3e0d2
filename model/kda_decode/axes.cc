#include "model/kda_decode/axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <type_traits>

#include "model/kda_decode/kernel.h"

namespace samebits::kda_decode {
namespace {

/// An axis and its place in Config.
struct Field {
  Axis axis;
  std::function<void(const Axis&, const std::string&, Config*)> read;
  std::function<std::string(const Axis&, const Config&)> write;
};

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

int64_t ReadInteger(const Axis& axis, const std::string& text) {
  const std::optional<int64_t> value = ParseNumber<int64_t>(text);
  if (!value || *value < axis.min || *value > axis.max) {
    Refuse(axis, text, fmt::format("an integer in {}..{}", axis.min, axis.max));
  }
  return *value;
}

/// T: int, or bool for a switch in 0..1.
template <typename T>
Field IntegerField(Axis axis, T Config::*member) {
  axis.kind = Axis::Kind::kInteger;
  return {std::move(axis),
          [member](const Axis& a, const std::string& text, Config* config) {
            config->*member = static_cast<T>(ReadInteger(a, text));
          },
          [member](const Axis&, const Config& config) {
            return std::to_string(static_cast<int>(config.*member));
          }};
}

/// Words in the order of the enumerators.
template <typename T>
Field WordField(Axis axis, T Config::*member) {
  axis.kind = Axis::Kind::kWord;
  return {std::move(axis),
          [member](const Axis& a, const std::string& text, Config* config) {
            for (size_t i = 0; i < a.words.size(); ++i) {
              if (a.words[i] != text) continue;
              config->*member = static_cast<T>(i);
              return;
            }
            Refuse(a, text, fmt::format("one of {}", fmt::join(a.words, ", ")));
          },
          [member](const Axis& a, const Config& config) {
            return a.words[static_cast<size_t>(config.*member)];
          }};
}

Field RealField(Axis axis, float Config::*member) {
  axis.kind = Axis::Kind::kReal;
  return {std::move(axis),
          [member](const Axis& a, const std::string& text, Config* config) {
            const std::optional<float> value = ParseNumber<float>(text);
            if (!value) Refuse(a, text, "a float32 number");
            config->*member = *value;
          },
          [member](const Axis&, const Config& config) {
            char text[32];
            const auto [end, error] = std::to_chars(text, text + sizeof(text), config.*member);
            return std::string(text, end);
          }};
}

/// "+N" is N entries more than the T + 2 that the kernel needs. Reads after `tokens`.
Field WindowField() {
  return {{.name = "window",
           .doc = "entries per channel of the convolution state; +N means tokens + 2 + N (2.2)",
           .kind = Axis::Kind::kInteger,
           .words = {},
           .min = 3,
           .max = kMaxWindow,
           .default_value = "+0"},
          [](const Axis& axis, const std::string& text, Config* config) {
            if (!text.starts_with('+')) {
              config->window = static_cast<int>(ReadInteger(axis, text));
              return;
            }
            const std::optional<int> more = ParseNumber<int>(std::string_view(text).substr(1));
            if (!more || *more < 0 || *more > kMaxWindow) Refuse(axis, text, "an integer or +N");
            config->window = config->tokens + 2 + *more;
          },
          [](const Axis&, const Config& config) { return std::to_string(config.window); }};
}

Axis Integer(std::string name, std::string doc, int64_t min, int64_t max, std::string value) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .kind = Axis::Kind::kInteger,
          .words = {},
          .min = min,
          .max = max,
          .default_value = std::move(value)};
}

/// The first word is the default.
Axis Word(std::string name, std::string doc, std::vector<std::string> words) {
  const std::string value = words.front();
  return {.name = std::move(name),
          .doc = std::move(doc),
          .kind = Axis::Kind::kWord,
          .words = std::move(words),
          .min = 0,
          .max = 0,
          .default_value = value};
}

Axis Real(std::string name, std::string doc, std::string value) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .kind = Axis::Kind::kReal,
          .words = {},
          .min = 0,
          .max = 0,
          .default_value = std::move(value)};
}

const std::vector<Field>& Fields() {
  static const std::vector<Field> fields = {
      IntegerField(
          Integer("tokens", "tokens per request in this step, T (2.2)", 1, kMaxTokens, "1"),
          &Config::tokens),
      IntegerField(
          Integer("requests", "requests, padded rows included, R (2.2)", 1, kMaxRequests, "4"),
          &Config::requests),
      IntegerField(Integer("heads", "heads of this rank, H (2.2)", 1, kMaxHeads, "12"),
                   &Config::heads),
      IntegerField(
          Integer("record", "1: verify step, records instead of state writes (2.5)", 0, 1, "0"),
          &Config::record),
      IntegerField(Integer("gate_mode", "raw gate: 0 one chain of 8 MMAs, 1 four chains of 2 (3.6)",
                           0, 1, "0"),
                   &Config::gate_mode),
      IntegerField(Integer("bias", "1: the convolution has a bias (2.2)", 0, 1, "0"),
                   &Config::has_bias),
      WordField(Word("conv_layout", "convolution state: sd channel-innermost, ds dim-first (2.3)",
                     {"sd", "ds"}),
                &Config::conv_layout),
      WordField(Word("conv_type", "type of the convolution state (2.2)", {"bf16", "f32"}),
                &Config::conv_type),
      WindowField(),
      WordField(Word("padding", "which requests are padded rows (2.4)",
                     {"none", "first", "last", "alternate", "all"}),
                &Config::padding),
      WordField(
          Word("accepted", "num_accepted: 1, T, or 1..T in turn (2.4)", {"one", "full", "mixed"}),
          &Config::accepted),
      WordField(Word("targets", "slots that the states of the tokens go to (2.4)",
                     {"distinct", "source", "repeated", "null"}),
                &Config::targets),
      WordField(Word("rows", "strides of x, gate, f_a, beta: tight, wider, one packed row (2.1)",
                     {"dense", "padded", "packed"}),
                &Config::rows),
      WordField(
          Word("pages", "slots follow each other, or with gaps between (2.1)", {"dense", "gapped"}),
          &Config::pages),
      RealField(Real("lower_bound", "bound of the log decay, negative (2.1)", "-5"),
                &Config::lower_bound),
      RealField(Real("scale", "factor of q, RN(128^-0.5) (2.1)", "0.088388346"), &Config::scale),
      RealField(Real("eps", "epsilon of the output norm (2.1)", "1e-05"), &Config::eps),
  };
  return fields;
}

}  // namespace

std::span<const Axis> Axes() {
  static const std::vector<Axis> axes = [] {
    std::vector<Axis> list;
    for (const Field& field : Fields()) list.push_back(field.axis);
    return list;
  }();
  return axes;
}

Config ReadConfig(const Settings& settings) {
  for (const auto& [name, text] : settings) {
    const bool known =
        std::ranges::any_of(Axes(), [&name = name](const Axis& axis) { return axis.name == name; });
    if (!known) throw ConfigError(fmt::format("{}: kda_decode has no such axis", name));
  }
  Config config;
  for (const Field& field : Fields()) {
    const auto given = settings.find(field.axis.name);
    field.read(field.axis, given == settings.end() ? field.axis.default_value : given->second,
               &config);
  }
  config.validate();
  return config;
}

Settings WriteConfig(const Config& config) {
  Settings settings;
  for (const Field& field : Fields()) {
    settings[field.axis.name] = field.write(field.axis, config);
  }
  return settings;
}

Config ParseConfig(const Settings& config) { return ReadConfig(config); }

}  // namespace samebits::kda_decode
