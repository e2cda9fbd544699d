#include "render/numbers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gedge::cli {
namespace {

constexpr std::int64_t kMilli = 1'000, kSecond = 1'000'000;
constexpr std::int64_t kSecondsFrom =
    10 * kSecond;  // below that, milliseconds are what people compare
constexpr std::array<std::string_view, 7> kByteUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

std::int64_t magnitude(std::int64_t value) { return value < 0 ? -value : value; }

std::int64_t largest(const std::vector<std::int64_t>& values) {
  std::int64_t most = 0;
  for (const std::int64_t value : values) most = std::max(most, magnitude(value));
  return most;
}

std::int64_t divisor_for(std::int64_t micros) {
  if (micros >= kSecondsFrom) return kSecond;
  return micros >= kMilli ? kMilli : 1;
}

std::string_view unit_of(std::int64_t divisor) {
  return divisor == kSecond ? " s" : divisor == kMilli ? " ms" : " us";
}

// value / divisor with `digits` decimal places, rounded half away from zero.
std::string decimal(std::int64_t value, std::int64_t divisor, int digits) {
  if (divisor == 1) return std::to_string(value);
  std::int64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  const std::int64_t step = std::max<std::int64_t>(divisor / scale, 1);
  const std::int64_t steps = (magnitude(value) + step / 2) / step;
  std::string text = std::to_string(steps);
  const auto places = static_cast<std::size_t>(digits);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  text.insert(text.size() - places, ".");
  return (value < 0 && steps != 0 ? "-" : "") + text;
}

}  // namespace

DurationColumn::DurationColumn(const std::vector<std::int64_t>& micros)
    : divisor_(divisor_for(largest(micros))) {}

std::string DurationColumn::text(std::int64_t micros) const {
  return decimal(micros, divisor_, 1) + std::string(unit_of(divisor_));
}

std::string over_limit(std::int64_t measured_us, std::int64_t limit_us) {
  constexpr int kMostDigits = 3;  // of milliseconds: whole microseconds
  const std::int64_t divisor = std::min(divisor_for(std::max(measured_us, limit_us)), kMilli);
  for (int digits = 1;; ++digits) {
    const std::string measured = decimal(measured_us, divisor, digits),
                      limit = decimal(limit_us, divisor, digits);
    if (measured != limit || digits == kMostDigits)
      return measured + " > " + limit + std::string(unit_of(divisor));
  }
}

BytesColumn::BytesColumn(const std::vector<std::int64_t>& bytes) {
  for (std::int64_t most = largest(bytes); most >= 1024 && unit_ + 1 < kByteUnits.size();
       most /= 1024)
    ++unit_;
}

std::string BytesColumn::text(std::int64_t bytes) const {
  if (unit_ == 0) return std::to_string(bytes) + " B";
  const std::int64_t divisor = std::int64_t{1} << (10 * unit_);
  const std::int64_t whole = bytes / divisor;
  // Ten times the rest would leave int64 at the largest units; shifted down it does not.
  const std::int64_t rest = (bytes % divisor) >> (unit_ > 5 ? 10 : 0),
                     scaled = divisor >> (unit_ > 5 ? 10 : 0);
  const std::int64_t tenths = (rest * 10 + scaled / 2) / scaled;
  return std::to_string(whole + tenths / 10) + '.' + std::to_string(tenths % 10) + ' ' +
         std::string(kByteUnits[unit_]);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  const std::int64_t shift =
      magnitude(part) > (std::int64_t{1} << 56) ? 10 : 0;  // part * 100 stays in int64
  return std::to_string((part >> shift) * 100 / std::max<std::int64_t>(whole >> shift, 1)) + " %";
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace gedge::cli
