// Writes one JSON object while the work goes on, so that what was found is out even if a later step
// fails. Every object starts with `schema_version`; keys are snake_case.
#ifndef SAMEBITS_HARNESS_REPORT_JSON_WRITER_H_
#define SAMEBITS_HARNESS_REPORT_JSON_WRITER_H_

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "model/contract.h"
#include "model/tensor.h"

namespace samebits::harness {

inline constexpr int kJsonSchemaVersion = 1;

/// Brackets and commas are the writer's business. Inside an object every value needs a key, inside
/// an array none has one. Whatever is still open at destruction is closed,
/// but for the object itself where an exception ends it: see EndInterrupted.
class JsonWriter {
 public:
  /// Opens the top-level object and writes schema_version and verb.
  JsonWriter(std::FILE* file, std::string_view verb);
  /// Whether this process has begun an object on standard output.
  static bool Begun() { return begun_; }
  /// Ends the object that an exception left on standard output with the reason; none was left:
  /// nothing.
  static void EndInterrupted(std::string_view error, int exit_status);
  ~JsonWriter();
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  JsonWriter& Key(std::string_view key);
  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& End();  // of the innermost object or array

  JsonWriter& Value(std::string_view text);
  JsonWriter& Value(const char* text) { return Value(std::string_view(text)); }
  JsonWriter& Value(const std::string& text) { return Value(std::string_view(text)); }
  JsonWriter& Value(bool value) { return Raw(value ? "true" : "false"); }
  /// Shortest text that reads back to the same double; NaN and infinities become null.
  JsonWriter& Value(double value);
  template <std::integral T>
  JsonWriter& Value(T value) {
    return Raw(std::to_string(value));
  }

  template <typename T>
  JsonWriter& Field(std::string_view key, const T& value) {
    return Key(key).Value(value);
  }
  /// {"bits": "0x3f800000", "value": 1.0}; integers as value too.
  JsonWriter& Bits(std::string_view key, DType dtype, uint32_t bits);
  JsonWriter& Strings(std::string_view key, const std::vector<std::string>& values);
  JsonWriter& Map(std::string_view key, const Settings& settings);

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Raw(std::string_view text);
  void Comma();

  static inline bool begun_ = false, interrupted_ = false;

  std::FILE* file_;
  const int exceptions_ = std::uncaught_exceptions();
  std::string open_;  // brackets that are still to be closed
  bool first_ = true, after_key_ = false;
};

/// `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_REPORT_JSON_WRITER_H_
