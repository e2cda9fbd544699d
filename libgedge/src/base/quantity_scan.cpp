#include "base/quantity_scan.hpp"

#include <algorithm>
#include <limits>

namespace gedge {
namespace {

constexpr std::uint64_t kMaxMagnitude = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kNanosPerUnit = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
std::uint64_t digit_of(char c) { return static_cast<std::uint64_t>(c - '0'); }

/// Power of ten of a one-letter suffix.
std::optional<std::int32_t> decimal_power(char c) {
  switch (c) {
    case 'n':
      return -9;
    case 'u':
      return -6;
    case 'm':
      return -3;
    case 'k':
      return 3;
    case 'M':
      return 6;
    case 'G':
      return 9;
    case 'T':
      return 12;
    case 'P':
      return 15;
    case 'E':
      return 18;
    default:
      return std::nullopt;
  }
}

/// Power of two of the letter before "i".
std::optional<std::int32_t> binary_power(char c) {
  switch (c) {
    case 'K':
      return 10;
    case 'M':
      return 20;
    case 'G':
      return 30;
    case 'T':
      return 40;
    case 'P':
      return 50;
    case 'E':
      return 60;
    default:
      return std::nullopt;
  }
}

/// "-3", "+12", "007"; empty for anything else and outside int32.
std::optional<std::int32_t> read_exponent(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
    if (value > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  }
  return static_cast<std::int32_t>(negative ? -value : value);
}

bool read_suffix(std::string_view suffix, QuantityText& out) {
  if (suffix.empty()) return true;
  std::optional<std::int32_t> power;
  if (suffix.size() == 1) {
    power = decimal_power(suffix[0]);
  } else if (suffix.size() == 2 && suffix[1] == 'i') {
    power = binary_power(suffix[0]);
    out.format = QuantityFormat::kBinarySI;
  } else if (suffix[0] == 'e' || suffix[0] == 'E') {
    power = read_exponent(suffix.substr(1));
    out.format = QuantityFormat::kDecimalExponent;
  }
  out.exponent = power.value_or(0);
  return power.has_value();
}

/// Takes the digits at the front of `rest`.
std::string_view take_digits(std::string_view& rest) {
  std::size_t n = 0;
  while (n < rest.size() && is_digit(rest[n])) ++n;
  const std::string_view digits = rest.substr(0, n);
  rest.remove_prefix(n);
  return digits;
}

/// 0.`fraction` * 2^exponent: whole units, and billionths rounded up (10^9 is possible).
BinaryAmount multiply_fraction(std::string_view fraction, std::int32_t exponent) {
  BinaryAmount out;
  std::uint64_t place = 1;  // of the digit at i, in billionths
  for (std::size_t i = fraction.size(); i < 9; ++i) place *= 10;
  bool below_nano = false;
  for (std::size_t i = fraction.size(); i-- > 0;) {
    // At most 9 * 2^60 + 2^60: fits.
    const std::uint64_t product = (digit_of(fraction[i]) << exponent) + out.whole;
    out.whole = product / 10;
    if (i >= 9) {
      below_nano = below_nano || product % 10 != 0;
    } else {
      out.nano += product % 10 * place;
      place *= 10;
    }
  }
  if (below_nano) ++out.nano;
  return out;
}

std::optional<std::int64_t> with_sign(std::uint64_t magnitude, bool negative) {
  if (!negative) {
    if (magnitude > kMaxMagnitude) return std::nullopt;
    return static_cast<std::int64_t>(magnitude);
  }
  if (magnitude > kMaxMagnitude + 1) return std::nullopt;
  if (magnitude == kMaxMagnitude + 1) return std::numeric_limits<std::int64_t>::min();
  return -static_cast<std::int64_t>(magnitude);
}

/// value = value * 10 + digit; false where it leaves 64 bits.
bool append(std::uint64_t& value, std::uint64_t digit) {
  return !__builtin_mul_overflow(value, std::uint64_t{10}, &value) &&
         !__builtin_add_overflow(value, digit, &value);
}

std::optional<std::uint64_t> decimal_magnitude(const QuantityText& text, int shift) {
  // How many digits of whole + fraction stand before the point, once it has moved.
  std::int64_t before = static_cast<std::int64_t>(text.whole.size()) + text.exponent + shift;
  std::uint64_t value = 0;
  bool cut = false;
  for (const std::string_view digits : {text.whole, text.fraction}) {
    for (const char c : digits) {
      if (before-- > 0) {
        if (!append(value, digit_of(c))) return std::nullopt;
      } else {
        cut = cut || c != '0';
      }
    }
  }
  for (; before > 0 && value != 0; --before) {
    if (!append(value, 0)) return std::nullopt;
  }
  if (value > kMaxMagnitude + 1) return std::nullopt;
  return cut ? value + 1 : value;
}

}  // namespace

std::optional<QuantityText> scan_quantity(std::string_view text) {
  if (text.empty()) return std::nullopt;
  QuantityText out;
  out.negative = text[0] == '-';
  if (out.negative || text[0] == '+') text.remove_prefix(1);
  out.whole = take_digits(text);
  out.has_digits = !out.whole.empty();
  out.whole.remove_prefix(std::min(out.whole.find_first_not_of('0'), out.whole.size()));
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    out.fraction = take_digits(text);
    out.has_digits = out.has_digits || !out.fraction.empty();
  }
  if (!read_suffix(text, out)) return std::nullopt;
  // Kubernetes reads a missing number as 0, but only where it does not need its big decimal.
  if (!out.has_digits && !fits_int64_amount(out)) return std::nullopt;
  return out;
}

bool fits_int64_amount(const QuantityText& text) {
  const auto whole = static_cast<std::int64_t>(std::max<std::size_t>(text.whole.size(), 1));
  const auto fraction = static_cast<std::int64_t>(text.fraction.size());
  if (text.format == QuantityFormat::kBinarySI) {
    return fraction == 0 && whole <= 14 - text.exponent * 3 / 10;
  }
  return whole + fraction <= 18 && text.exponent - fraction >= -9;
}

BinaryAmount binary_amount(const QuantityText& text) {
  constexpr BinaryAmount kCap{kMaxMagnitude, 0};
  std::uint64_t whole = 0;
  for (const char c : text.whole) {
    if (!append(whole, digit_of(c))) return kCap;
  }
  if (whole > kMaxMagnitude >> text.exponent) return kCap;
  BinaryAmount out = multiply_fraction(text.fraction, text.exponent);
  if (out.nano == kNanosPerUnit) out = {out.whole + 1, 0};
  out.whole += whole << text.exponent;
  return out.whole >= kMaxMagnitude ? kCap : out;
}

std::optional<std::int64_t> scaled_value(const QuantityText& text, int shift) {
  if (text.format != QuantityFormat::kBinarySI) {
    const auto magnitude = decimal_magnitude(text, shift);
    return magnitude ? with_sign(*magnitude, text.negative) : std::nullopt;
  }
  const BinaryAmount amount = binary_amount(text);
  if (shift == 0) return with_sign(amount.whole + (amount.nano != 0 ? 1 : 0), text.negative);
  constexpr std::uint64_t kNanosPerMilli = 1'000'000;
  std::uint64_t milli = 0;
  if (__builtin_mul_overflow(amount.whole, std::uint64_t{1000}, &milli)) return std::nullopt;
  const std::uint64_t rest = (amount.nano + kNanosPerMilli - 1) / kNanosPerMilli;
  if (__builtin_add_overflow(milli, rest, &milli)) return std::nullopt;
  return with_sign(milli, text.negative);
}

}  // namespace gedge
