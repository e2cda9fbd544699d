#include "codec/scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace gedge::codec {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNoNumber = {".nan",  ".NaN",  ".NAN",  ".inf",
                                                        ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                        "+.INF", "-.inf", "-.Inf", "-.INF"};

// Of true, false, yes, no, on, off and null, of y and n, and "~".
bool may_begin_word(char c) {
  return std::string_view("tTfFyYnNoO~").find(c) != std::string_view::npos;
}

std::string without_underscores(std::string_view text) {
  std::string plain(text);
  plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
  return plain;
}

struct BasedInteger {
  bool negative = false;
  std::uint64_t magnitude = 0;
  bool fits = false;  // the magnitude in uint64
};

// Go's ParseInt with base 0 on text without underscores: 0x, 0o, 0b, a leading 0 for octal.
// Empty where the text is no such integer; beyond uint64 it is one that does not fit.
std::optional<BasedInteger> parse_based(std::string_view text) {
  BasedInteger result;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    result.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char kind = static_cast<char>(text[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    text.remove_prefix(kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1);
  }
  if (text.empty()) return std::nullopt;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), result.magnitude, base);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  result.fits = error == std::errc{};
  return result;
}

bool is_in_int64(const BasedInteger& integer) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return integer.fits && integer.magnitude <= most + (integer.negative ? 1 : 0);
}

// Go's YAML takes what ParseInt and ParseUint take; a signed text is no ParseUint.
bool is_go_integer(std::string_view original, const BasedInteger& integer) {
  const bool has_sign = original[0] == '+' || original[0] == '-';
  return integer.fits && (!has_sign || is_in_int64(integer));
}

std::size_t digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_decimal(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const std::size_t whole = digits(text, at);
  const bool has_whole = whole > at;
  at = whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits(text, at + 1);
    if (!has_whole && fraction == at + 1) return false;
    at = fraction;
  } else if (!has_whole) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = digits(text, at);
    if (exponent == at) return false;
    at = exponent;
  }
  return at == text.size();
}

// A decimal as digits and a power of ten: value = 0.DIGITS x 10^point; no zeros at either end.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t point = 0;
};

Decimal parse_decimal(std::string_view text) {
  Decimal value;
  if (text[0] == '+' || text[0] == '-') {
    value.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const std::size_t e = text.find_first_of("eE");
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view power = text.substr(e + 1);
    const bool minus = power[0] == '-';
    if (power[0] == '+' || minus) power.remove_prefix(1);
    const auto parsed = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (parsed.ec != std::errc{} || exponent > 1'000'000'000'000) exponent = 1'000'000'000'000;
    if (minus) exponent = -exponent;
    text = text.substr(0, e);
  }
  const std::size_t dot = std::min(text.find('.'), text.size());
  value.digits = std::string(text.substr(0, dot));
  if (dot < text.size()) value.digits += text.substr(dot + 1);
  value.point = static_cast<std::int64_t>(dot) + exponent;
  const std::size_t first = std::min(value.digits.find_first_not_of('0'), value.digits.size());
  value.digits.erase(0, first);
  value.point -= static_cast<std::int64_t>(first);
  while (!value.digits.empty() && value.digits.back() == '0') value.digits.pop_back();
  if (value.digits.empty()) value.point = 0;
  return value;
}

// Go's ParseFloat refuses what rounds to infinity; YAML then takes the text as text.
bool is_go_float(std::string_view text) {
  if (!is_decimal(text)) return false;
  const Decimal value = parse_decimal(text);
  if (value.point < 309) return true;
  if (value.point > 309) return false;
  // To 17 digits; what lies closer to the largest double is nobody's setting.
  constexpr std::string_view limit = "17976931348623158";
  return value.digits < limit;
}

}  // namespace

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

ScalarType classify_plain(std::string_view text) {
  if (text.empty()) return ScalarType::kNull;
  const char first = text[0];
  // Most texts are words that are too long for a boolean, or begin with another letter.
  constexpr std::size_t kLongestWord = 5;
  if (first >= 'A' && (text.size() > kLongestWord || !may_begin_word(first)))
    return ScalarType::kText;
  if (is_one_of(text, kNull)) return ScalarType::kNull;
  if (first == '.' || first == '+' || first == '-') {
    if (is_one_of(text, kNoNumber)) return ScalarType::kFloat;
  } else if (!is_digit(first)) {
    return is_one_of(text, kTrue) || is_one_of(text, kFalse) ? ScalarType::kBool
                                                             : ScalarType::kText;
  }
  if (first == '.') {
    const bool is_float =
        text.size() > 1 && text[1] != '_' && is_go_float(without_underscores(text));
    return is_float ? ScalarType::kFloat : ScalarType::kText;
  }
  if (digits(text, 0) == text.size() && first != '0' && text.size() < 19)
    return ScalarType::kInteger;
  const std::string plain = without_underscores(text);
  if (plain.empty()) return ScalarType::kText;
  if (const auto integer = parse_based(plain); integer && is_go_integer(plain, *integer))
    return ScalarType::kInteger;
  return is_go_float(plain) ? ScalarType::kFloat : ScalarType::kText;
}

bool bool_value(std::string_view text) { return is_one_of(text, kTrue); }

std::optional<std::int64_t> integer_value(std::string_view text) {
  const std::string plain = without_underscores(text);
  if (const auto integer = parse_based(plain)) {
    if (is_in_int64(*integer))
      return static_cast<std::int64_t>(integer->negative ? 0 - integer->magnitude
                                                         : integer->magnitude);
  }
  if (!is_decimal(plain)) return std::nullopt;
  Decimal value = parse_decimal(plain);
  const auto count = static_cast<std::int64_t>(value.digits.size());
  if (count == 0) return 0;
  if (value.point < count || value.point > 19) return std::nullopt;
  value.digits.append(static_cast<std::size_t>(value.point - count), '0');
  if (value.negative) value.digits.insert(0, "-");
  std::int64_t result = 0;
  const auto parsed =
      std::from_chars(value.digits.data(), value.digits.data() + value.digits.size(), result);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return result;
}

std::optional<std::string> decimal_text(std::string_view text) {
  std::string plain = without_underscores(text);
  if (const auto integer = parse_based(plain); integer && integer->fits)
    return (integer->negative ? "-" : "") + std::to_string(integer->magnitude);
  if (!is_decimal(plain)) return std::nullopt;
  return plain;
}

}  // namespace gedge::codec
