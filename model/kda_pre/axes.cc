#include "model/kda_pre/axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <type_traits>

#include "model/kda_pre/kernel.h"

namespace samebits::kda_pre {
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

/// T: an integer type, or bool for a switch in 0..1.
template <typename T>
Field IntegerField(Axis axis, T Config::*member) {
  axis.kind = Axis::Kind::kInteger;
  return {std::move(axis),
          [member](const Axis& a, const std::string& text, Config* config) {
            config->*member = static_cast<T>(ReadInteger(a, text));
          },
          [member](const Axis&, const Config& config) {
            return std::to_string(static_cast<int64_t>(config.*member));
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

/// Besides an integer, "+N" is N more than another field; that field's axis reads before.
template <typename Base>
Field OffsetField(Axis axis, int Config::*member, const Base& base) {
  axis.kind = Axis::Kind::kInteger;
  return {std::move(axis),
          [member, base](const Axis& a, const std::string& text, Config* config) {
            if (!text.starts_with('+')) {
              config->*member = static_cast<int>(ReadInteger(a, text));
              return;
            }
            const std::optional<int> more = ParseNumber<int>(std::string_view(text).substr(1));
            if (!more || *more < 0 || *more > a.max) Refuse(a, text, "an integer or +N");
            config->*member = base(*config) + *more;
          },
          [member](const Axis&, const Config& config) { return std::to_string(config.*member); }};
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

Axis Word(std::string name, std::string doc, std::vector<std::string> words, std::string value) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .kind = Axis::Kind::kWord,
          .words = std::move(words),
          .min = 0,
          .max = 0,
          .default_value = std::move(value)};
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

std::vector<Field> SeamFields() {
  return {
      IntegerField(
          Integer("tokens", "tokens per request in this step, L (2.2)", 1, kMaxTokenRows, "1"),
          &Config::tokens),
      IntegerField(
          Integer("requests", "requests, padded ones included, R (2.2)", 1, kMaxTokenRows, "1"),
          &Config::requests),
      IntegerField(
          Integer("nblocks", "stored blocks among the sources, NB (2.2)", 1, kMaxSources - 1, "4"),
          &Config::nblocks),
      WordField(Word("delta", "addend of the prefix: none, bf16 in memory, float32 in LDS (2.4)",
                     {"none", "memory", "lds"}, "memory"),
                &Config::delta),
      IntegerField(Integer("reset", "1: the addend becomes the prefix (2.4)", 0, 1, "0"),
                   &Config::reset),
      OffsetField(Integer("write_idx",
                          "block that receives the new prefix, -1 for none; +N means nblocks + N "
                          "(2.2)",
                          -1, kMaxSources - 1, "-1"),
                  &Config::write_idx, [](const Config& c) { return c.nblocks; }),
  };
}

std::vector<Field> MemoryFields() {
  return {
      WordField(Word("conv_layout", "convolution state: ds dim-first, sd channel-innermost (2.1)",
                     {"ds", "sd"}, "ds"),
                &Config::conv_layout),
      OffsetField(Integer("state_len",
                          "entries per channel of the convolution state, SL; +N means tokens + 2 + "
                          "N (2.2)",
                          3, kMaxStateLength, "+0"),
                  &Config::state_len, [](const Config& c) { return c.tokens + 2; }),
      WordField(Word("padding", "which requests are padded (2.3)",
                     {"none", "first", "last", "alternate", "all"}, "none"),
                &Config::padding),
      WordField(
          Word("accepted", "num_acc: 1, L, or 1..L in turn (2.3)", {"one", "full", "mixed"}, "one"),
          &Config::accepted),
      WordField(
          Word("targets", "slots of the convolution, the state and the tokens (2.3, E-8..10)",
               {"distinct", "source", "repeated", "null", "dead_state", "dead_conv"}, "distinct"),
          &Config::targets),
      WordField(Word("pages", "slots, table rows and blocks follow each other, or with gaps (2.1)",
                     {"dense", "gapped"}, "dense"),
                &Config::pages),
  };
}

std::vector<Field> LaunchFields() {
  return {
      IntegerField(Integer("steps", "launches in a row on the same memory and scratch (6.4)", 1,
                           kMaxSteps, "1"),
                   &Config::steps),
      IntegerField(Integer("epoch", "step counter of the first launch; no effect on bits (6.1)", 0,
                           INT32_MAX - kMaxSteps, "1"),
                   &Config::epoch),
      IntegerField(Integer("layer", "tag slot; no effect on bits (6.1)", 0, kTagSlots - 1, "0"),
                   &Config::layer),
      IntegerField(
          Integer("kda0", "CTA of the first KDA task; no effect on bits (6.3)", 0, 1 << 20, "0"),
          &Config::kda0),
      RealField(Real("eps", "epsilon of the AttnRes norm (2.2)", "1e-05"), &Config::eps),
      RealField(Real("out_eps", "epsilon of the input RMSNorm (2.2)", "1e-05"), &Config::out_eps),
      RealField(Real("onorm_eps", "epsilon of the gated RMSNorm (2.2)", "1e-05"),
                &Config::onorm_eps),
      RealField(Real("lower_bound", "bound of the log decay, negative (2.2)", "-5"),
                &Config::lower_bound),
  };
}

const std::vector<Field>& Fields() {
  static const std::vector<Field> fields = [] {
    std::vector<Field> list = SeamFields();
    for (auto* more : {&MemoryFields, &LaunchFields}) {
      for (Field& field : more()) list.push_back(std::move(field));
    }
    return list;
  }();
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
    if (!known) throw ConfigError(fmt::format("{}: kda_pre has no such axis", name));
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

}  // namespace samebits::kda_pre
