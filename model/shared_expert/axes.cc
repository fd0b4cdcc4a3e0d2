#include "model/shared_expert/axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/shared_expert/kernel.h"

namespace samebits::shared_expert {
namespace {

/// An axis and its place in Config.
struct Field {
  Axis axis;
  std::function<void(const Axis&, const std::string&, Config*)> read;
  std::function<std::string(const Config&)> write;
  bool (*used)(const Config&) = [](const Config&) { return true; };
};

template <typename T>
using Member = T& (*)(Config&);

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

int ReadInteger(const Axis& axis, const std::string& text) {
  const std::optional<int64_t> value = ParseNumber<int64_t>(text);
  if (!value || *value < axis.min || *value > axis.max) {
    Refuse(axis, text, fmt::format("an integer in {}..{}", axis.min, axis.max));
  }
  return static_cast<int>(*value);
}

Axis MakeAxis(std::string name, std::string doc, Axis::Kind kind, std::string value) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .kind = kind,
          .words = {},
          .min = 0,
          .max = 0,
          .default_value = std::move(value)};
}

template <typename T>
T Get(Member<T> member, const Config& config) {
  Config copy = config;
  return member(copy);
}

/// T: int, or bool for a switch in 0..1.
template <typename T>
Field IntegerField(std::string name, std::string doc, int min, int max, std::string value,
                   Member<T> member) {
  Axis axis = MakeAxis(std::move(name), std::move(doc), Axis::Kind::kInteger, std::move(value));
  axis.min = min;
  axis.max = max;
  return {std::move(axis),
          [member](const Axis& a, const std::string& text, Config* config) {
            member(*config) = static_cast<T>(ReadInteger(a, text));
          },
          [member](const Config& config) {
            return std::to_string(static_cast<int>(Get(member, config)));
          }};
}

/// An integer whose natural value follows from the axes before it; "+N" is N more than that.
Field RelativeField(std::string name, std::string doc, int min, int max, std::string value,
                    Member<int> member, int (*natural)(const Config&)) {
  Field field =
      IntegerField<int>(std::move(name), std::move(doc), min, max, std::move(value), member);
  field.read = [member, natural](const Axis& axis, const std::string& text, Config* config) {
    if (!text.starts_with('+')) {
      member(*config) = ReadInteger(axis, text);
      return;
    }
    const std::optional<int> more = ParseNumber<int>(std::string_view(text).substr(1));
    if (!more || *more < 0 || *more > axis.max) Refuse(axis, text, "an integer or +N");
    member(*config) = natural(*config) + *more;
  };
  return field;
}

Field VariantField() {
  Axis axis = MakeAxis("variant", "one launch, two launches, or two with the front GEMM (1.3)",
                       Axis::Kind::kWord, "fused");
  axis.words = {"fused", "split", "front"};
  return {std::move(axis),
          [](const Axis& a, const std::string& text, Config* config) {
            const auto word = std::ranges::find(a.words, text);
            if (word == a.words.end()) {
              Refuse(a, text, fmt::format("one of {}", fmt::join(a.words, ", ")));
            }
            config->variant = static_cast<Variant>(word - a.words.begin());
          },
          [](const Config& config) {
            static constexpr const char* kWords[] = {"fused", "split", "front"};
            return std::string(kWords[static_cast<size_t>(config.variant)]);
          }};
}

Field RealField(std::string name, std::string doc, std::string value, Member<float> member) {
  return {MakeAxis(std::move(name), std::move(doc), Axis::Kind::kReal, std::move(value)),
          [member](const Axis& a, const std::string& text, Config* config) {
            const std::optional<float> number = ParseNumber<float>(text);
            if (!number) Refuse(a, text, "a float32 number");
            member(*config) = *number;
          },
          [member](const Config& config) {
            char text[32];
            const auto [end, error] = std::to_chars(text, text + sizeof(text), Get(member, config));
            return std::string(text, end);
          }};
}

Field With(bool (*used)(const Config&), Field field) {
  field.used = used;
  return field;
}
bool HasFront(const Config& c) { return c.has_front(); }
bool HasDownLaunch(const Config& c) { return c.variant != Variant::kFused; }

std::vector<Field> CaseFields() {
  return {
      VariantField(),
      IntegerField<int>("tp", "tensor-parallel ranks (2.5)", 1, kMaxTp, "8",
                        [](Config& c) -> int& { return c.tp; }),
      IntegerField<int>("batch", "tokens of a step, B (2.5)", 1, kMaxBatch, "16",
                        [](Config& c) -> int& { return c.batch; }),
      IntegerField<int>("steps", "decode steps; parity alternates (2.7)", 1, kMaxSteps, "1",
                        [](Config& c) -> int& { return c.steps; }),
      IntegerField<int>("rank", "the rank that runs, or -1: all, one after the other (7)",
                        kAllRanks, kMaxTp - 1, "-1", [](Config& c) -> int& { return c.rank; }),
      IntegerField<int>("parity", "mailbox half of the first step (2.1)", 0, 1, "0",
                        [](Config& c) -> int& { return c.parity; }),
      RelativeField(
          "capacity", "token rows of a mailbox slot; +N means batch + N (2.1)", 1, kMaxCapacity,
          "128", [](Config& c) -> int& { return c.capacity; },
          [](const Config& c) { return c.batch; }),
      IntegerField<bool>("consumer", "1: every step ends with the sum over ranks (4.9)", 0, 1, "0",
                         [](Config& c) -> bool& { return c.consumer; }),
      With(HasDownLaunch, IntegerField<int>("sms", "CTAs of SharedDown (3.3)", 1, 1024, "28",
                                            [](Config& c) -> int& { return c.sms; })),
      RealField("beta", "cap of the gate in SiTU (4.6)", "4",
                [](Config& c) -> float& { return c.beta; }),
      RealField("linear_beta", "cap of the up value in SiTU; <= 0: none (4.6)", "25",
                [](Config& c) -> float& { return c.linear_beta; }),
  };
}

std::vector<Field> GeometryFields() {
  return {
      IntegerField<int>("width", "model width (2.7)", kTileRows, kMaxWidth, "7168",
                        [](Config& c) -> int& { return c.geometry.width; }),
      IntegerField<int>("intermediate", "intermediate columns of all ranks (2.7)", kBlockK,
                        kMaxWidth, "6144",
                        [](Config& c) -> int& { return c.geometry.intermediate; }),
      IntegerField<int>("latent", "latent columns of all ranks (2.7)", 8, kMaxWidth, "3584",
                        [](Config& c) -> int& { return c.geometry.latent; }),
      IntegerField<int>("experts", "router logits of all ranks (2.7)", 4, kMaxWidth, "896",
                        [](Config& c) -> int& { return c.geometry.experts; }),
      IntegerField<int>("grid", "CTAs of FUSED and of SPLIT's gate half (2.7)", 1, kMaxWidth, "120",
                        [](Config& c) -> int& { return c.geometry.grid; }),
  };
}

std::vector<Field> FrontFields() {
  constexpr int kMax = 2 * kMaxWidth;
  std::vector<Field> fields = {
      RelativeField(
          "front_ks", "FRONT: CTAs per tile; +N means tp/2 + N (2.6)", 1, kMaxCluster, "+0",
          [](Config& c) -> int& { return c.front.ks; }, [](const Config& c) { return c.tp / 2; }),
      RelativeField(
          "front_valid", "FRONT: logit rows; +N means experts/tp + N (2.6)", 0, kMax, "+0",
          [](Config& c) -> int& { return c.front.valid; },
          [](const Config& c) { return c.geometry.experts / c.tp; }),
      RelativeField(
          "front_split", "FRONT: first latent row; +N means valid + N (2.6)", 0, kMax, "+0",
          [](Config& c) -> int& { return c.front.split; },
          [](const Config& c) { return c.front.valid; }),
      RelativeField(
          "front_rows", "FRONT: rows; +N means split + latent/tp + N (2.6)", 1, kMax, "+0",
          [](Config& c) -> int& { return c.front.rows; },
          [](const Config& c) { return c.front.split + c.geometry.latent / c.tp; }),
      RelativeField(
          "front_pitch",
          "FRONT: bf16 elements of a mailbox row; +N means latent + 2*experts + N (4.8)", 8,
          8 * kMax, "+0", [](Config& c) -> int& { return c.front.pitch; },
          [](const Config& c) { return c.geometry.latent + 2 * c.geometry.experts; }),
      IntegerField<int>("front_slot", "FRONT: first logit of rank 0 (2.1)", 0, kMax, "0",
                        [](Config& c) -> int& { return c.front.slot; }),
      IntegerField<int>("front_base", "FRONT: first latent column of rank 0 (2.1)", 0, kMax, "0",
                        [](Config& c) -> int& { return c.front.base; }),
  };
  for (Field& field : fields) field.used = HasFront;
  return fields;
}

const std::vector<Field>& Fields() {
  static const std::vector<Field> fields = [] {
    std::vector<Field> all = CaseFields();
    for (Field& field : GeometryFields()) all.push_back(std::move(field));
    for (Field& field : FrontFields()) all.push_back(std::move(field));
    return all;
  }();
  return fields;
}

/// Two texts of one configuration would be two cases.
void CheckUnused(const Field& field, const std::string& text, const Config& config) {
  Config natural = config;
  field.read(field.axis, field.axis.default_value, &natural);
  if (field.write(natural) == field.write(config)) return;
  throw ConfigError(fmt::format("{}: '{}' is given, which variant {} does not read",
                                field.axis.name, text, VariantField().write(config)));
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
    if (!known) throw ConfigError(fmt::format("{}: shared_expert has no such axis", name));
  }
  Config config;
  for (const Field& field : Fields()) {
    const auto given = settings.find(field.axis.name);
    const std::string& text = given == settings.end() ? field.axis.default_value : given->second;
    field.read(field.axis, text, &config);
    if (!field.used(config)) CheckUnused(field, text, config);
  }
  config.validate();
  return config;
}

Settings WriteConfig(const Config& config) {
  Settings settings;
  for (const Field& field : Fields()) settings[field.axis.name] = field.write(config);
  return settings;
}

Config ParseConfig(const Settings& config) { return ReadConfig(config); }

}  // namespace samebits::shared_expert
