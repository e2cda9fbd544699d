#include "gedge/codec/timestamp.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace gedge::codec {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes `count` digits off the front; -1 if they are not there.
int take_number(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty()) return false;
  if (std::none_of(any_of.begin(), any_of.end(), [&](char c) { return c == text[0]; }))
    return false;
  text.remove_prefix(1);
  return true;
}

struct Time {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

// Empty for a day that no calendar has.
std::optional<UnixSeconds> seconds_of(const Time& time, UnixSeconds offset) {
  using namespace std::chrono;
  const year_month_day date{year(time.year), month(static_cast<unsigned>(time.month)),
                            day(static_cast<unsigned>(time.day))};
  if (time.hour > 23 || time.minute > 59 || time.second > 60 || !date.ok()) return std::nullopt;
  const UnixSeconds days = sys_days(date).time_since_epoch().count();
  return days * 86400 + UnixSeconds{time.hour} * 3600 + UnixSeconds{time.minute} * 60 +
         std::min(time.second, 59) - offset;
}

// Eight bytes, the first of them lowest.
std::uint64_t eight_bytes(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return std::endian::native == std::endian::big ? __builtin_bswap64(word) : word;
}

/// What eight bytes have to be: a digit where there is a 0, elsewhere the same.
struct Form {
  constexpr explicit Form(std::string_view text) {
    for (std::size_t i = 8; i-- > 0;) {
      bytes = bytes << 8 | static_cast<unsigned char>(text[i]);
      to_limit = to_limit << 8 | (text[i] == '0' ? 0x76u : 0x7Fu);
    }
  }
  std::uint64_t bytes = 0;
  std::uint64_t to_limit = 0;  // what is one too large has a byte's highest bit with this
};

struct EightDigits {
  EightDigits(const char* text, const Form& form) : digits(eight_bytes(text) ^ form.bytes) {
    fits = (((digits + form.to_limit) | digits) & 0x8080808080808080) == 0;
    pairs = digits * 10 + (digits >> 8);
  }
  /// The number that two digits from `at` on are.
  int two(int at) const { return static_cast<int>(pairs >> (8 * at) & 0xFF); }
  std::uint64_t digits, pairs = 0;
  bool fits = false;
};

/// Reads the form in which the API server writes times; false for any other.
bool read_usual(std::string_view text, Time& out) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  constexpr Form first_form(form), second_form(form.substr(8)), last_form(form.substr(12));
  if (text.size() != form.size()) return false;
  const EightDigits first(text.data(), first_form), second(text.data() + 8, second_form),
      last(text.data() + 12, last_form);
  out = {first.two(0) * 100 + first.two(2),
         first.two(5),
         second.two(0),
         second.two(3),
         second.two(6),
         last.two(5)};
  return first.fits && second.fits && last.fits;
}

/// "Z", "+02:00" or nothing, in seconds; empty if it is none of these.
std::optional<UnixSeconds> read_offset(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  const int sign = text[0] == '-' ? -1 : 1;
  if (!take(text, "+-")) return std::nullopt;
  const int hours = take_number(text, 2);
  if (!take(text, ":")) return std::nullopt;
  const int minutes = take_number(text, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || !text.empty()) return std::nullopt;
  return sign * (UnixSeconds{hours} * 3600 + UnixSeconds{minutes} * 60);
}

}  // namespace

std::optional<UnixSeconds> parse_timestamp(std::string_view text) {
  Time time;
  if (read_usual(text, time)) return seconds_of(time, 0);
  time.year = take_number(text, 4);
  if (!take(text, "-")) return std::nullopt;
  time.month = take_number(text, 2);
  if (!take(text, "-")) return std::nullopt;
  time.day = take_number(text, 2);
  if (!take(text, "Tt ")) return std::nullopt;
  time.hour = take_number(text, 2);
  if (!take(text, ":")) return std::nullopt;
  time.minute = take_number(text, 2);
  if (!take(text, ":")) return std::nullopt;
  time.second = take_number(text, 2);
  for (const int part : {time.year, time.month, time.day, time.hour, time.minute, time.second})
    if (part < 0) return std::nullopt;
  if (take(text, ".") && take_number(text, 1) < 0) return std::nullopt;
  while (!text.empty() && is_digit(text[0])) text.remove_prefix(1);
  const auto offset = read_offset(text);
  return offset ? seconds_of(time, *offset) : std::nullopt;
}

std::string format_timestamp(UnixSeconds time) {
  using namespace std::chrono;
  const sys_seconds moment{seconds(time)};
  const auto midnight = floor<days>(moment);
  const year_month_day date(midnight);
  const hh_mm_ss clock(moment - midnight);
  const auto padded = [](std::int64_t number, std::size_t width) {
    std::string text = std::to_string(number);
    return std::string(width - std::min(width, text.size()), '0') + text;
  };
  return padded(static_cast<int>(date.year()), 4) + '-' +
         padded(static_cast<unsigned>(date.month()), 2) + '-' +
         padded(static_cast<unsigned>(date.day()), 2) + 'T' + padded(clock.hours().count(), 2) +
         ':' + padded(clock.minutes().count(), 2) + ':' + padded(clock.seconds().count(), 2) + 'Z';
}

}  // namespace gedge::codec
