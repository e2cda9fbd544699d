// gedge/base/duration.hpp - "25ms", "1.5s", "800us" to whole microseconds, exactly, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gedge {

/// RTTs round up and limits round down, so that rounding never hides a violated budget.
enum class Rounding : std::uint8_t { kUp, kDown };

enum class TimeUnit : std::uint8_t { kMicro, kMilli, kSecond };

/// A non-negative decimal number ("12", "0.25", "1e3" is refused) of `unit`, in microseconds. Any
/// number of digits is read exactly. Empty for anything else, and where the result leaves int64.
/// Cost: O(length), no allocation.
std::optional<std::int64_t> parse_micros(std::string_view number, TimeUnit unit, Rounding rounding);

/// A number with its unit: us, ms or s. Empty if the unit is missing or unknown.
std::optional<std::int64_t> parse_duration(std::string_view text, Rounding rounding);

/// The shortest exact text that parse_duration reads back: "25ms", "1.2ms", "800us", "2s".
std::string format_duration(std::int64_t micros);

}  // namespace gedge
