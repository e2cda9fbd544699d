#include <doctest/doctest.h>

#include <string>

#include "gedge/base/quantity.hpp"
#include "support/conformance.hpp"

namespace {

using gedge::test::expect_equal;
using nlohmann::json;

std::string name_of(gedge::QuantityFormat format) {
  switch (format) {
    case gedge::QuantityFormat::kBinarySI:
      return "BinarySI";
    case gedge::QuantityFormat::kDecimalSI:
      return "DecimalSI";
    case gedge::QuantityFormat::kDecimalExponent:
      return "DecimalExponent";
  }
  return "";
}

std::string text_of(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "nothing";
}

std::string printed(const gedge::Quantity& quantity, const std::string& text) {
  return quantity.prints_as_written ? text : quantity.canonical;
}

/// The bytes between the quotes of a JSON string, escapes left alone, trimmed: what Kubernetes
/// decodes.
std::string json_text(const std::string& input) {
  const std::string quoted = json(input).dump();
  return std::string(gedge::trim_quantity(std::string_view(quoted).substr(1, quoted.size() - 2)));
}

void check_value(const char* field, const json& expected, std::optional<std::int64_t> slow,
                 std::optional<std::int64_t> fast) {
  CHECK_MESSAGE(slow == fast,
                field << ": fast path gives " << text_of(fast) << ", the other " << text_of(slow));
  if (expected.contains(field))
    expect_equal(field, expected.at(field).get<std::string>(), text_of(slow));
}

void check_vector(const json& vector) {
  const auto input = vector.at("input").get<std::string>();
  const json& expected = vector.at("expected");
  const auto got = gedge::parse_quantity(input);
  expect_equal("valid", expected.at("valid").get<bool>(), got.has_value());
  if (got && expected.at("valid").get<bool>()) {
    expect_equal("string", expected.at("string").get<std::string>(), printed(*got, input));
    expect_equal("canonical", expected.at("canonical").get<std::string>(), got->canonical);
    expect_equal("format", expected.at("format").get<std::string>(), name_of(got->format));
    expect_equal("sign", expected.at("sign").get<int>(), got->sign);
  }
  const auto nothing = std::optional<std::int64_t>{};
  check_value("value", expected, got ? got->value : nothing, gedge::parse_units(input));
  check_value("milliValue", expected, got ? got->milli : nothing, gedge::parse_milli(input));

  const std::string decoded = json_text(input);
  const auto from_json = gedge::parse_quantity(decoded);
  expect_equal("fromJSON", expected.value("fromJSON", "refused"),
               from_json ? printed(*from_json, decoded) : "refused");
}

}  // namespace

TEST_CASE("every quantity vector agrees") {
  gedge::test::for_each_vector("quantity.jsonl", check_vector);
}
