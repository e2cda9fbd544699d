#include "gedge/codec/timestamp.hpp"

#include <algorithm>
#include <chrono>

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
  using namespace std::chrono;
  const int y = take_number(text, 4);
  if (!take(text, "-")) return std::nullopt;
  const int m = take_number(text, 2);
  if (!take(text, "-")) return std::nullopt;
  const int d = take_number(text, 2);
  if (y < 0 || m < 0 || d < 0 || !take(text, "Tt ")) return std::nullopt;
  const int hour = take_number(text, 2);
  if (!take(text, ":")) return std::nullopt;
  const int minute = take_number(text, 2);
  if (!take(text, ":")) return std::nullopt;
  const int second = take_number(text, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
    return std::nullopt;
  if (take(text, ".") && take_number(text, 1) < 0) return std::nullopt;
  while (!text.empty() && is_digit(text[0])) text.remove_prefix(1);
  const auto offset = read_offset(text);
  const year_month_day day{year(y), month(static_cast<unsigned>(m)),
                           std::chrono::day(static_cast<unsigned>(d))};
  if (!offset || !day.ok()) return std::nullopt;
  const auto days = sys_days(day).time_since_epoch().count();
  return UnixSeconds{days} * 86400 + UnixSeconds{hour} * 3600 + UnixSeconds{minute} * 60 +
         std::min(second, 59) - *offset;
}

}  // namespace gedge::codec
