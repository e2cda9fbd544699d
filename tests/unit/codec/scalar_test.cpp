#include "codec/scalar.hpp"

#include <doctest/doctest.h>

#include <string>

namespace gedge::codec {
namespace {

struct Case {
  const char* text;
  const char* means;  // as `kubectl label --local -o json` 1.32 prints it; text in quotes
};

std::string meaning(std::string_view text) {
  switch (classify_plain(text)) {
    case ScalarType::kNull:
      return "null";
    case ScalarType::kBool:
      return bool_value(text) ? "true" : "false";
    case ScalarType::kInteger:
    case ScalarType::kFloat:
      if (const auto whole = integer_value(text)) return std::to_string(*whole);
      return decimal_text(text).value_or("no number");
    case ScalarType::kText:
      break;
  }
  return "\"" + std::string(text) + "\"";
}

TEST_CASE("plain scalars mean what kubectl reads: words") {
  for (const char* text : {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
    CHECK_MESSAGE(meaning(text) == "true", text);
  for (const char* text :
       {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})
    CHECK_MESSAGE(meaning(text) == "false", text);
  for (const char* text : {"", "~", "null", "Null", "NULL"})
    CHECK_MESSAGE(meaning(text) == "null", text);
  for (const char* text : {"truE",       "yES",
                           "nO",         "nULL",
                           "oN",         "None",
                           "nil",        "12:30",
                           "2001-01-01", "1,000",
                           "-",          "+",
                           ".",          "_1",
                           "0x",         "0o",
                           "0b",         "0o8",
                           "0b2",        "0xg",
                           "0x1p3",      "1e",
                           "._5",        "1e400",
                           "-1e400",     "1.7976931348623159e308"})
    CHECK_MESSAGE(meaning(text) == "\"" + std::string(text) + "\"", text);
}

TEST_CASE("plain scalars mean what kubectl reads: numbers") {
  const Case cases[] = {
      {"017", "15"},
      {"0o17", "15"},
      {"08", "8"},
      {"09", "9"},
      {"1_000", "1000"},
      {"1e3", "1000"},
      {"1E5", "100000"},
      {"0x1F", "31"},
      {"0X1f", "31"},
      {"0b11", "3"},
      {"-0b11", "-3"},
      {"+5", "5"},
      {"+0x1F", "31"},
      {"1.0", "1"},
      {"1.", "1"},
      {"1.5e3", "1500"},
      {"1e+3", "1000"},
      {"0_7", "7"},
      {"1__0", "10"},
      {"-_1", "-1"},
      {"00", "0"},
      {"-0", "0"},
      {"-0.0", "0"},
      {"4.e1", "40"},
      {"0.1", "0.1"},
      {"5_0.5", "50.5"},
      {".5", ".5"},
      {"1e-1", "1e-1"},
      {"0x_1F", "31"},
      {".inf", "no number"},
      {"-.INF", "no number"},
      {".nan", "no number"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
  };
  for (const Case& c : cases) CHECK_MESSAGE(meaning(c.text) == c.means, c.text);
}

TEST_CASE("integers beyond int64 stay exact as decimals and are no int64") {
  for (const char* text : {"9223372036854775808", "18446744073709551615", "18446744073709551616",
                           "-9223372036854775809", "123456789012345678901234567890"}) {
    CHECK_FALSE(integer_value(text));
    CHECK(decimal_text(text) == std::string(text));
  }
}

TEST_CASE("a number with a fraction is no integer however it is written") {
  CHECK_FALSE(integer_value("1.5"));
  CHECK_FALSE(integer_value("15e-1"));
  CHECK(integer_value("150e-1") == 15);
  CHECK(integer_value("0.00015e5") == 15);
  CHECK_FALSE(integer_value("1e19"));
  CHECK_FALSE(integer_value("1e999999999999999999999"));
  CHECK(integer_value("0e999999999999999999999") == 0);
}

TEST_CASE("a number of a million digits is judged in linear time and exactly") {
  const std::string long_one(1'000'000, '9');
  CHECK(classify_plain(long_one) == ScalarType::kText);  // beyond every double
  const std::string small = "0." + std::string(999'990, '0') + "1";
  CHECK(classify_plain(small) == ScalarType::kFloat);
  CHECK_FALSE(integer_value(small));
}

}  // namespace
}  // namespace gedge::codec
