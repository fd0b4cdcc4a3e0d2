// The axes of a kernel as one table: each axis beside its place in the kernel's Config. Everything
// that reads or writes a configuration as text goes through it.
#ifndef SAMEBITS_MODEL_AXIS_TABLE_H_
#define SAMEBITS_MODEL_AXIS_TABLE_H_

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/axis_text.h"
#include "model/contract.h"

namespace samebits {

template <class Config>
struct AxisField {
  Axis axis;
  std::function<void(const Axis&, const std::string&, Config*)> read;
  std::function<std::string(const Axis&, const Config&)> write;
  /// "" where the configuration reads the axis, else who does not; null: it is always read.
  std::string (*unread_by)(const Config&) = nullptr;
};

/// Makes fields of Config. A member is a pointer to one, or a function object that returns a
/// reference into the Config that it is given, const or not.
template <class Config>
struct AxisFields {
  using Field = AxisField<Config>;

  template <class Member>
  using ValueOf = std::remove_reference_t<std::invoke_result_t<Member, Config&>>;

  /// An integer type, or bool for a switch in 0..1.
  template <class Member>
  static Field Integer(std::string name, std::string doc, int64_t min, int64_t max,
                       std::string value, Member member) {
    return {IntegerAxis(std::move(name), std::move(doc), min, max, std::move(value)),
            [member](const Axis& axis, const std::string& text, Config* config) {
              std::invoke(member, *config) = static_cast<ValueOf<Member>>(ReadInteger(axis, text));
            },
            [member](const Axis&, const Config& config) {
              return std::to_string(static_cast<int64_t>(std::invoke(member, config)));
            }};
  }

  /// Besides an integer, "+N" is N more than `base` of the configuration, whose axes come before.
  template <class Member, class Base>
  static Field Relative(std::string name, std::string doc, int64_t min, int64_t max,
                        std::string value, Member member, Base base) {
    Field field = Integer(std::move(name), std::move(doc), min, max, std::move(value), member);
    field.read = [member, base](const Axis& axis, const std::string& text, Config* config) {
      const auto more = ReadOffset(axis, text);
      std::invoke(member, *config) =
          static_cast<ValueOf<Member>>(more ? base(*config) + *more : ReadInteger(axis, text));
    };
    return field;
  }

  /// An enumeration; the words stand in the order of the enumerators.
  template <class Member>
  static Field Word(std::string name, std::string doc, std::vector<std::string> words,
                    std::string value, Member member) {
    return {WordAxis(std::move(name), std::move(doc), std::move(words), std::move(value)),
            [member](const Axis& axis, const std::string& text, Config* config) {
              std::invoke(member, *config) = static_cast<ValueOf<Member>>(ReadWord(axis, text));
            },
            [member](const Axis& axis, const Config& config) {
              return axis.words.at(static_cast<size_t>(std::invoke(member, config)));
            }};
  }

  /// A float.
  template <class Member>
  static Field Real(std::string name, std::string doc, std::string value, Member member) {
    return {RealAxis(std::move(name), std::move(doc), std::move(value)),
            [member](const Axis& axis, const std::string& text, Config* config) {
              std::invoke(member, *config) = ReadReal(axis, text);
            },
            [member](const Axis&, const Config& config) {
              return WriteReal(std::invoke(member, config));
            }};
  }
};

template <class Config>
class AxisTable {
 public:
  AxisTable(std::string_view kernel, std::vector<AxisField<Config>> fields)
      : kernel_(kernel), fields_(std::move(fields)) {
    for (const AxisField<Config>& field : fields_) axes_.push_back(field.axis);
  }

  std::span<const Axis> axes() const { return axes_; }

  /// Defaults for what is missing. Throws ConfigError: unknown axis, illegal value, an axis that
  /// the configuration does not read set to another value than its default, or a combination that
  /// Config::validate refuses.
  Config Read(const Settings& settings) const {
    for (const auto& [name, text] : settings) RequireKnown(name);
    Config config;
    for (const AxisField<Config>& field : fields_) {
      const auto given = settings.find(field.axis.name);
      const std::string& text = given == settings.end() ? field.axis.default_value : given->second;
      field.read(field.axis, text, &config);
      if (field.unread_by != nullptr) RequireRead(field, text, config);
    }
    config.validate();
    return config;
  }

  /// Every axis in canonical text: Read of it is the same configuration.
  Settings Write(const Config& config) const {
    Settings settings;
    for (const AxisField<Config>& field : fields_) {
      settings[field.axis.name] = field.write(field.axis, config);
    }
    return settings;
  }

 private:
  void RequireKnown(std::string_view name) const {
    if (std::ranges::find(axes_, name, &Axis::name) != axes_.end()) return;
    throw ConfigError(fmt::format("{}: {} has no such axis", name, kernel_));
  }

  /// Two texts of one configuration would be two cases.
  static void RequireRead(const AxisField<Config>& field, const std::string& text,
                          const Config& config) {
    const std::string who = field.unread_by(config);
    if (who.empty()) return;
    Config natural = config;
    field.read(field.axis, field.axis.default_value, &natural);
    if (field.write(field.axis, natural) == field.write(field.axis, config)) return;
    throw ConfigError(
        fmt::format("{}: '{}' is given, which {} does not read", field.axis.name, text, who));
  }

  std::string_view kernel_;
  std::vector<AxisField<Config>> fields_;
  std::vector<Axis> axes_;
};

}  // namespace samebits

#endif  // SAMEBITS_MODEL_AXIS_TABLE_H_
