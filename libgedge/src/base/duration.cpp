// base/duration.cpp - decimal digits times a power of ten, never through a double.
#include "gedge/base/duration.hpp"

namespace gedge {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

int digits_of(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMicro:
      return 0;
    case TimeUnit::kMilli:
      return 3;
    case TimeUnit::kSecond:
      return 6;
  }
  return 0;
}

bool push_digit(std::int64_t& value, int digit) {
  return !__builtin_mul_overflow(value, 10, &value) &&
         !__builtin_add_overflow(value, digit, &value);
}

}  // namespace

std::optional<std::int64_t> parse_micros(std::string_view number, TimeUnit unit,
                                         Rounding rounding) {
  std::int64_t micros = 0;
  std::size_t i = 0;
  for (; i < number.size() && is_digit(number[i]); ++i)
    if (!push_digit(micros, number[i] - '0')) return std::nullopt;
  std::size_t digits = i;
  int shift = digits_of(unit);
  bool remainder = false;
  if (i < number.size() && number[i] == '.') {
    for (++i; i < number.size() && is_digit(number[i]); ++i, ++digits) {
      if (shift > 0) {
        if (!push_digit(micros, number[i] - '0')) return std::nullopt;
        --shift;
      } else {
        remainder = remainder || number[i] != '0';
      }
    }
  }
  if (digits == 0 || i != number.size()) return std::nullopt;
  for (; shift > 0; --shift)
    if (!push_digit(micros, 0)) return std::nullopt;
  if (remainder && rounding == Rounding::kUp && __builtin_add_overflow(micros, 1, &micros))
    return std::nullopt;
  return micros;
}

std::optional<std::int64_t> parse_duration(std::string_view text, Rounding rounding) {
  TimeUnit unit = TimeUnit::kSecond;
  std::size_t suffix = 1;
  if (text.ends_with("us") || text.ends_with("ms")) {
    unit = text.ends_with("us") ? TimeUnit::kMicro : TimeUnit::kMilli;
    suffix = 2;
  } else if (!text.ends_with("s")) {
    return std::nullopt;
  }
  text.remove_suffix(suffix);
  return parse_micros(text, unit, rounding);
}

std::string format_duration(std::int64_t micros) {
  constexpr std::int64_t kMilli = 1000, kSecond = 1000000;
  if (micros != 0 && micros % kSecond == 0) return std::to_string(micros / kSecond) + "s";
  if (micros < kMilli) return std::to_string(micros) + "us";
  std::string text = std::to_string(micros / kMilli);
  if (const std::int64_t rest = micros % kMilli; rest != 0) {
    std::string fraction = std::to_string(kMilli + rest).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += "." + fraction;
  }
  return text + "ms";
}

}  // namespace gedge
