#include "codec/rtt_number.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "codec/diagnostics.hpp"

namespace gedge::codec {
namespace {

constexpr int kMaxDigits = 19;  // that fit uint64 whatever they are
constexpr std::array<std::uint64_t, 20> kPowers = [] {
  std::array<std::uint64_t, 20> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// mantissa * 10^exponent, and whether digits that did not fit were not all 0.
struct Decimal {
  std::uint64_t mantissa = 0;
  int digits = 0;  // in the mantissa
  std::int64_t exponent = 0;
  bool rest = false;

  void push(char c, bool fraction) {
    if (digits == kMaxDigits) {
      rest = rest || c != '0';
      if (!fraction) ++exponent;
      return;
    }
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(c - '0');
    if (mantissa != 0) ++digits;
    if (fraction) --exponent;
  }
};

/// The number behind "e"; saturates, for nobody needs to know how much is too much. False if there
/// is none.
bool read_exponent(std::string_view text, std::int64_t& exponent) {
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.empty()) return false;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return false;
    value = std::min(value * 10 + (c - '0'), kFar);
  }
  exponent += negative ? -value : value;
  return true;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
  });
}

bool is_not_finite(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);  // YAML's .inf
  return equals_ignoring_case(text, "nan") || equals_ignoring_case(text, "inf") ||
         equals_ignoring_case(text, "infinity");
}

ParsedRtt round_up(const Decimal& number, std::int64_t scale) {
  std::uint64_t us = number.mantissa;
  bool rest = number.rest;
  if (scale < -kMaxDigits) {
    rest = rest || us != 0;
    us = 0;
  } else if (scale < 0) {
    const std::uint64_t power = kPowers[static_cast<std::size_t>(-scale)];
    rest = rest || us % power != 0;
    us /= power;
  } else if (us != 0) {
    for (; scale > 0 && us <= kMaxRtt.us; --scale) us *= 10;
  }
  if (rest) ++us;
  if (us > kMaxRtt.us) return {Cell::kTooLarge, kUnmeasured};
  return {Cell::kValue, Rtt{static_cast<std::uint32_t>(us)}};
}

}  // namespace

ParsedRtt parse_rtt(std::string_view text, TimeUnit unit) {
  if (text.empty() || text == "-") return {Cell::kUnmeasured, kUnmeasured};
  Decimal number;
  std::size_t i = text[0] == '-' || text[0] == '+' ? 1 : 0;
  const std::size_t first = i;
  for (; i < text.size() && is_digit(text[i]); ++i) number.push(text[i], false);
  std::size_t count = i - first;
  if (i < text.size() && text[i] == '.') {
    const std::size_t point = i++;
    for (; i < text.size() && is_digit(text[i]); ++i) number.push(text[i], true);
    count += i - point - 1;
  }
  const bool has_exponent = count > 0 && i < text.size() && (text[i] | 0x20) == 'e';
  if (has_exponent && !read_exponent(text.substr(i + 1), number.exponent)) return {};
  if (count == 0 || (i < text.size() && !has_exponent))
    return {is_not_finite(text) ? Cell::kNotFinite : Cell::kNotANumber, kUnmeasured};
  if (text[0] == '-' && (number.mantissa != 0 || number.rest))
    return {Cell::kNegative, kUnmeasured};
  return round_up(number, number.exponent + digits_of(unit));
}

bool parse_plain_rtt(std::string_view rest, char separator, TimeUnit unit, Rtt& rtt,
                     std::size_t& length) {
  const ShortRtts quick(separator, unit);
  length = quick.read(rest, rtt);
  if (length > 0) return true;
  std::uint64_t mantissa = 0;
  std::size_t i = 0, point = std::string_view::npos;
  for (; i < rest.size(); ++i) {
    const char c = rest[i];
    if (is_digit(c))
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(c - '0');
    else if (c == '.' && point == std::string_view::npos)
      point = i;
    else
      break;
    if (i == kMaxDigits - 1) return false;
  }
  const bool blank = separator == ' ' && i < rest.size() && rest[i] == '\t';
  if (i < rest.size() && rest[i] != separator && !blank) return false;
  const std::size_t fraction = point == std::string_view::npos ? 0 : i - point - 1;
  if (i == 0 || (point == 0 && fraction == 0)) return false;
  length = i;
  const auto shift = static_cast<std::size_t>(digits_of(unit));
  if (fraction > shift) {
    const std::uint64_t power = kPowers[fraction - shift];
    mantissa = mantissa / power + (mantissa % power != 0 ? 1 : 0);
  } else if (__builtin_mul_overflow(mantissa, kPowers[shift - fraction], &mantissa)) {
    return false;
  }
  if (mantissa > kMaxRtt.us) return false;
  rtt = Rtt{static_cast<std::uint32_t>(mantissa)};
  return true;
}

std::string cell_problem(Cell cell, std::string_view text) {
  switch (cell) {
    case Cell::kNegative:
      return "is negative: " + quote(text);
    case Cell::kTooLarge:
      return "is over 71 minutes: " + quote(text);
    case Cell::kUnmeasured:
      return "is missing";
    case Cell::kNotFinite:
    case Cell::kNotANumber:
    case Cell::kValue:
      break;
  }
  return "is not a number: " + quote(text);
}

std::string cell_hint(Cell cell, std::string_view text) {
  if (cell == Cell::kTooLarge) return "check the unit (`--rtt-unit us|ms|s`)";
  if (cell == Cell::kNegative || cell == Cell::kNotFinite)
    return "leave the cell empty or write `-` for an unmeasured pair";
  if (text.ends_with("ms") || text.ends_with("us") || text.ends_with("s"))
    return "write the number alone and give the unit with `--rtt-unit us|ms|s`";
  return "write a number, or `-` for an unmeasured pair";
}

}  // namespace gedge::codec
