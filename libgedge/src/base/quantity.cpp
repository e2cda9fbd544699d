#include "gedge/base/quantity.hpp"

#include <algorithm>
#include <array>

#include "base/quantity_scan.hpp"

namespace gedge {
namespace {

/// A magnitude as decimal digits times 10^exponent; no digits: zero.
struct Decimal {
  std::string digits;  // without leading zeros
  std::int64_t exponent = 0;
};

constexpr std::int64_t kSmallestExponent = -9;  // Kubernetes keeps billionths

bool has_nonzero(std::string_view digits) {
  return digits.find_first_not_of('0') != std::string_view::npos;
}

void add_one(std::string& digits) {
  std::size_t i = digits.size();
  while (i > 0 && digits[i - 1] == '9') digits[--i] = '0';
  if (i == 0) {
    digits.insert(digits.begin(), '1');
  } else {
    ++digits[i - 1];
  }
}

/// Rounds up to billionths, then moves zeros into an exponent that is a multiple of 3.
void canonicalize(Decimal& number) {
  number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
  if (number.digits.empty()) return;
  if (number.exponent < kSmallestExponent) {
    const auto size = static_cast<std::int64_t>(number.digits.size());
    const std::int64_t kept = size - std::min(size, kSmallestExponent - number.exponent);
    const auto cut = static_cast<std::size_t>(kept);
    const bool round_up = has_nonzero(std::string_view(number.digits).substr(cut));
    number.digits.resize(cut);
    if (round_up) add_one(number.digits);
    number.exponent = kSmallestExponent;
  }
  const std::size_t used = number.digits.find_last_not_of('0') + 1;
  number.exponent += static_cast<std::int64_t>(number.digits.size() - used);
  number.digits.resize(used);
  for (; number.exponent % 3 != 0; --number.exponent) number.digits += '0';
}

Decimal decimal_of(const QuantityText& text) {
  Decimal out;
  if (text.format != QuantityFormat::kBinarySI) {
    out.digits.reserve(text.whole.size() + text.fraction.size() + 2);
    out.digits.append(text.whole).append(text.fraction);
    out.exponent = text.exponent - static_cast<std::int64_t>(text.fraction.size());
    return out;
  }
  const BinaryAmount amount = binary_amount(text);
  const std::string nano = std::to_string(amount.nano);
  out.digits = std::to_string(amount.whole).append(9 - nano.size(), '0').append(nano);
  out.exponent = kSmallestExponent;
  return out;
}

/// Above "E" there is no suffix, and Kubernetes 1.20 prints none.
std::string decimal_suffix(std::int64_t exponent) {
  constexpr std::string_view kLetters = "num kMGTPE";
  const std::int64_t at = (exponent - kSmallestExponent) / 3;
  if (exponent == 0 || at >= static_cast<std::int64_t>(kLetters.size())) return {};
  return {kLetters[static_cast<std::size_t>(at)]};
}

std::string binary_form(std::uint64_t whole) {
  constexpr std::array<std::string_view, 7> kSuffixes{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t suffix = 0;
  while (whole != 0 && whole % 1024 == 0) {
    whole /= 1024;
    ++suffix;
  }
  return std::to_string(whole).append(kSuffixes[suffix]);
}

std::string canonical_form(const QuantityText& text) {
  if (text.format == QuantityFormat::kBinarySI) {
    const BinaryAmount amount = binary_amount(text);
    if (amount.whole >= 1024 && amount.nano == 0) return binary_form(amount.whole);
  }
  Decimal number = decimal_of(text);
  canonicalize(number);
  if (number.digits.empty()) return "0";
  if (text.format != QuantityFormat::kDecimalExponent) {
    return number.digits + decimal_suffix(number.exponent);
  }
  return number.exponent == 0 ? number.digits
                              : number.digits + 'e' + std::to_string(number.exponent);
}

/// The test by which Kubernetes keeps the text of an amount for printing.
bool looks_canonical(const QuantityText& text) {
  if (!fits_int64_amount(text)) return false;
  if (text.format == QuantityFormat::kBinarySI) {
    return scaled_value({false, true, text.whole, {}, QuantityFormat::kDecimalSI, 0}, 0)
                   .value_or(0) %
               8 !=
           0;
  }
  if (text.whole.empty()) return false;
  if ((text.exponent - static_cast<std::int64_t>(text.fraction.size())) % 3 != 0) return false;
  std::string digits(text.whole);
  digits += text.fraction;
  return !digits.ends_with("000");
}

/// White space as Go's unicode.IsSpace knows it, in UTF-8.
constexpr std::array<std::string_view, 25> kSpaces{
    " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\xc2\x85", "\u00a0", "\u1680",
    "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",   "\u2007", "\u2008",
    "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

/// Amounts of up to nine digits without a suffix, or with m, Ki, Mi or Gi, which nearly all are; of
/// any other text nothing is said. Rounds up.
std::optional<std::int64_t> common_amount(std::string_view text, bool milli) {
  constexpr std::size_t kMostDigits = 9;
  std::int64_t value = 0;
  std::size_t size = 0;
  for (; size < text.size(); ++size) {
    const auto digit = static_cast<unsigned char>(text[size] - '0');
    if (digit > 9) break;
    if (size == kMostDigits) return std::nullopt;
    value = value * 10 + digit;
  }
  if (size == 0) return std::nullopt;
  if (size == text.size()) return milli ? value * 1000 : value;
  if (size + 1 == text.size() && text[size] == 'm') return milli ? value : (value + 999) / 1000;
  if (size + 2 != text.size() || text[size + 1] != 'i') return std::nullopt;
  const char letter = text[size];
  const int shift = letter == 'M' ? 20 : letter == 'G' ? 30 : letter == 'K' ? 10 : 0;
  if (shift == 0) return std::nullopt;
  value <<= shift;  // below 10^9 * 2^30
  if (!milli) return value;
  std::int64_t thousandths = 0;
  if (__builtin_mul_overflow(value, std::int64_t{1000}, &thousandths)) return std::nullopt;
  return thousandths;
}

}  // namespace

std::string_view trim_quantity(std::string_view text) {
  const auto leads = [&](std::string_view space) { return text.starts_with(space); };
  const auto ends = [&](std::string_view space) { return text.ends_with(space); };
  for (;;) {
    const auto* const lead = std::find_if(kSpaces.begin(), kSpaces.end(), leads);
    if (lead == kSpaces.end()) break;
    text.remove_prefix(lead->size());
  }
  for (;;) {
    const auto* const end = std::find_if(kSpaces.begin(), kSpaces.end(), ends);
    if (end == kSpaces.end()) return text;
    text.remove_suffix(end->size());
  }
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  const auto scanned = scan_quantity(text);
  if (!scanned) return std::nullopt;
  Quantity out;
  out.value = scaled_value(*scanned, 0);
  out.milli = scaled_value(*scanned, 3);
  const bool zero = !has_nonzero(scanned->whole) && !has_nonzero(scanned->fraction);
  out.sign = zero ? 0 : scanned->negative ? -1 : 1;
  out.format = scanned->format;
  if (out.format == QuantityFormat::kBinarySI && !zero && binary_amount(*scanned).whole == 0) {
    out.format = QuantityFormat::kDecimalSI;
  }
  out.canonical = canonical_form(*scanned);
  if (out.sign < 0) out.canonical.insert(out.canonical.begin(), '-');
  out.prints_as_written = text == "0" || looks_canonical(*scanned);
  return out;
}

std::optional<std::int64_t> parse_milli(std::string_view text) {
  if (const auto common = common_amount(text, true)) return common;
  const auto scanned = scan_quantity(text);
  return scanned ? scaled_value(*scanned, 3) : std::nullopt;
}

std::optional<std::int64_t> parse_units(std::string_view text) {
  if (const auto common = common_amount(text, false)) return common;
  const auto scanned = scan_quantity(text);
  return scanned ? scaled_value(*scanned, 0) : std::nullopt;
}

std::string format_milli(std::int64_t milli) {
  if (milli % 1000 == 0) return std::to_string(milli / 1000);
  return std::to_string(milli) + 'm';
}

std::string format_bytes(std::int64_t bytes) {
  const auto magnitude =
      bytes < 0 ? 0 - static_cast<std::uint64_t>(bytes) : static_cast<std::uint64_t>(bytes);
  return (bytes < 0 ? "-" : "") + binary_form(magnitude);
}

}  // namespace gedge
