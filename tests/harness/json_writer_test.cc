#include "harness/report/json_writer.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

using namespace samebits;
using namespace samebits::harness;

namespace {

/// What `body` writes, parsed by a parser that is not ours.
nlohmann::json Written(const std::function<void(JsonWriter*)>& body) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  {
    JsonWriter json(file.get(), "test");
    body(&json);
  }
  std::rewind(file.get());
  std::string text;
  for (int c; (c = std::fgetc(file.get())) != EOF;) text += static_cast<char>(c);
  return nlohmann::json::parse(text);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(json_writer)

BOOST_AUTO_TEST_CASE(starts_with_version_and_verb) {
  const auto json = Written([](JsonWriter*) {});
  BOOST_TEST(json.at("schema_version") == 1);
  BOOST_TEST(json.at("verb") == "test");
}

BOOST_AUTO_TEST_CASE(nested_values) {
  const auto json = Written([](JsonWriter* w) {
    w->Field("a", 1).Field("b", -2.5).Field("c", true).Field("d", "x\"\\\n\t\x01");
    w->Key("list").BeginArray().Value(1).BeginObject().Field("k", uint64_t{1} << 63).End();
    w->BeginArray().End().End();
    w->Strings("s", {"p", "q"}).Map("m", {{"x", "1"}, {"y", "2"}});
    w->Field("nan", std::nan(""));
  });
  BOOST_TEST(json["a"] == 1);
  BOOST_TEST(json["b"] == -2.5);
  BOOST_TEST(json["c"] == true);
  BOOST_TEST(json["d"] == "x\"\\\n\t\x01");
  BOOST_TEST(json["list"].size() == 3u);
  BOOST_TEST(json["list"][1]["k"] == uint64_t{1} << 63);
  BOOST_TEST(json["s"][1] == "q");
  BOOST_TEST(json["m"]["y"] == "2");
  BOOST_TEST(json["nan"].is_null());
}

BOOST_AUTO_TEST_CASE(floats_carry_their_bits) {
  const auto json = Written([](JsonWriter* w) {
    w->Bits("tenth", DType::kF32, 0x3DCCCCCD).Bits("nan", DType::kBf16, 0x7FFF);
    w->Bits("minus", DType::kI32, 0xFFFFFFFF).Bits("negative_zero", DType::kF32, 0x80000000);
  });
  BOOST_TEST(json["tenth"]["bits"] == "0x3dcccccd");
  BOOST_TEST(json["tenth"]["value"].get<float>() == 0.1f);
  BOOST_TEST(json["nan"]["bits"] == "0x7fff");
  BOOST_TEST(json["nan"]["value"].is_null());
  BOOST_TEST(json["minus"]["value"] == -1);
  BOOST_TEST(std::signbit(json["negative_zero"]["value"].get<double>()));
}

BOOST_AUTO_TEST_CASE(what_is_open_is_closed) {
  const auto json = Written([](JsonWriter* w) {
    w->Key("cases").BeginArray().BeginObject().Key("inner").BeginArray().Value(3);
  });
  BOOST_TEST(json["cases"][0]["inner"][0] == 3);
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_stays_valid_json) {
  for (const char* bytes :
       {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "a\x80z"}) {
    BOOST_CHECK_NO_THROW(nlohmann::json::parse(JsonString(bytes)));
  }
  BOOST_TEST(nlohmann::json::parse(JsonString("\xe2\x82\xac")) == "\xe2\x82\xac");
  BOOST_TEST(JsonString("a\x80z") == "\"a\\ufffdz\"");
}

BOOST_AUTO_TEST_SUITE_END()
