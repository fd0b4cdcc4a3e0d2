#include "harness/report/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "harness/compare/element.h"

namespace samebits::harness {
namespace {

/// Bytes of the UTF-8 sequence at the start of `text`, 0 if there is no valid one (RFC 3629: no
/// overlong forms, no surrogates, at most U+10FFFF).
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0};
  };
  const auto tail = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF && tail(1)) return 2;
  if (lead >= 0xE0 && lead <= 0xEF && tail(1) && tail(2)) {
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4 && tail(1) && tail(2) && tail(3)) {
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

/// Shortest for the type T, so that a float32 is not printed as the double that it widens to;
/// "-0.0" because parsers read "-0" as an integer.
template <typename T>
std::string NumberText(T value) {
  if (!std::isfinite(value)) return "null";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  return fmt::format("{}", value);
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = Utf8Length(text.substr(i));
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<uint8_t>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else if (length == 0) {
      out += "\\ufffd";
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out + '"';
}

JsonWriter::JsonWriter(std::FILE* file, std::string_view verb) : file_(file) {
  begun_ = begun_ || file == stdout;
  BeginObject();
  Field("schema_version", kJsonSchemaVersion).Field("verb", verb);
}

JsonWriter::~JsonWriter() {
  const bool interrupted = file_ == stdout && std::uncaught_exceptions() > exceptions_;
  while (open_.size() > (interrupted ? 1 : 0)) End();
  interrupted_ = interrupted_ || interrupted;
  if (interrupted) return;
  std::fputc('\n', file_);
  std::fflush(file_);
}

void JsonWriter::EndInterrupted(std::string_view error, int exit_status) {
  if (!std::exchange(interrupted_, false)) return;
  fmt::print(stdout, ",\n\"error\":{},\n\"exit_status\":{}}}\n", JsonString(error), exit_status);
}

void JsonWriter::Comma() {
  if (!first_ && !after_key_) std::fputc(',', file_);
  if (!after_key_ && open_.size() <= 2 && !open_.empty()) std::fputc('\n', file_);
  first_ = after_key_ = false;
}

JsonWriter& JsonWriter::Raw(std::string_view text) {
  Comma();
  std::fwrite(text.data(), 1, text.size(), file_);
  return *this;
}

JsonWriter& JsonWriter::Open(char bracket) {
  Raw({&bracket, 1});
  open_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::End() {
  std::fputc(open_.back() == '{' ? '}' : ']', file_);
  open_.pop_back();
  first_ = after_key_ = false;
  std::fflush(file_);
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Raw(JsonString(key) + ':');
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Value(std::string_view text) { return Raw(JsonString(text)); }

JsonWriter& JsonWriter::Value(double value) { return Raw(NumberText(value)); }

JsonWriter& JsonWriter::Bits(std::string_view key, DType dtype, uint32_t bits) {
  Key(key).BeginObject().Field("bits", HexBits(dtype, bits));
  if (dtype == DType::kI32) {
    Field("value", static_cast<int32_t>(bits));
  } else {
    Key("value").Raw(NumberText(ToFloat(dtype, bits)));
  }
  return End();
}

JsonWriter& JsonWriter::Strings(std::string_view key, const std::vector<std::string>& values) {
  Key(key).BeginArray();
  for (const std::string& value : values) Value(value);
  return End();
}

JsonWriter& JsonWriter::Map(std::string_view key, const Settings& settings) {
  Key(key).BeginObject();
  for (const auto& [name, value] : settings) Field(name, value);
  return End();
}

}  // namespace samebits::harness
