// codec/rtt_number.hpp - one cell of a latency matrix: decimal text to whole microseconds, rounded
// up.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "gedge/base/duration.hpp"
#include "gedge/base/units.hpp"

namespace gedge::codec {

enum class Cell : std::uint8_t {
  kValue,
  kUnmeasured,
  kNotANumber,
  kNegative,
  kNotFinite,
  kTooLarge
};

struct ParsedRtt {
  Cell cell = Cell::kNotANumber;
  Rtt rtt = kUnmeasured;
};

/// Reads "12", "0.25", ".5", "1e1", "1.000000000000000000e+01" of `unit`, of any length, exactly.
/// Empty text and "-" are kUnmeasured; "-0" is 0. No white space around it. Cost: O(length).
ParsedRtt parse_rtt(std::string_view text, TimeUnit unit);

/// The common case in one pass: at most 18 digits with an optional point, then `separator` (' '
/// stands for any blank) or the end. Sets what parse_rtt would give and the length of the number;
/// false leaves all else to parse_rtt.
bool parse_plain_rtt(std::string_view rest, char separator, TimeUnit unit, Rtt& rtt,
                     std::size_t& length);

/// Digits behind the point down to a microsecond.
constexpr int digits_of(TimeUnit unit) {
  if (unit == TimeUnit::kMicro) return 0;
  return unit == TimeUnit::kMilli ? 3 : 6;
}

/// parse_plain_rtt for numbers that end within eight bytes. In line: tables have a million of them.
class ShortRtts {
 public:
  ShortRtts(char separator, TimeUnit unit)
      : separator_(separator),
        other_(separator == ' ' ? '\t' : separator),
        shift_(static_cast<std::size_t>(digits_of(unit))) {}

  /// The length of the number at the front, with the separator behind it still there; 0 leaves it
  /// to others.
  std::size_t read(std::string_view rest, Rtt& rtt) const {
    if (std::endian::native != std::endian::little || rest.size() < 8) return 0;
    std::uint64_t word = 0;
    std::memcpy(&word, rest.data(), sizeof word);
    word ^= 0x3030303030303030;  // digits become 0 to 9
    // The high bit of every byte that is no digit. A carry reaches bytes behind one of these only.
    const std::uint64_t others = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
    if (others == 0) return 0;
    const auto first = static_cast<std::size_t>(std::countr_zero(others)) / 8;
    std::size_t end = first, fraction = 0;
    if (rest[first] == '.') {
      const std::uint64_t behind = others & (others - 1);
      if (behind == 0) return 0;
      end = static_cast<std::size_t>(std::countr_zero(behind)) / 8;
      fraction = end - first - 1;
      const std::uint64_t before = (std::uint64_t{1} << (8 * first)) - 1;
      word = (word & before) | ((word >> 8) & ~before);
    }
    const std::size_t digits = end - (end > first ? 1 : 0);
    if (digits == 0 || (rest[end] != separator_ && rest[end] != other_)) return 0;
    std::uint64_t us = number_of(word << (8 * (8 - digits)));
    if (fraction <= shift_)
      us *= kFactors[shift_ - fraction];
    else
      us = (us + kFactors[fraction - shift_] - 1) / kFactors[fraction - shift_];
    if (us > kMaxRtt.us) return 0;
    rtt = Rtt{static_cast<std::uint32_t>(us)};
    return end;
  }

 private:
  // Eight digits, the first in the lowest byte: two, four, eight at a time.
  static std::uint64_t number_of(std::uint64_t digits) {
    digits = digits * 10 + (digits >> 8);
    constexpr std::uint64_t pairs = 0x000000FF000000FF;
    return ((digits & pairs) * 0x000F424000000064 +
            ((digits >> 16) & pairs) * 0x0000271000000001) >>
           32;
  }

  static constexpr std::array<std::uint32_t, 8> kFactors = {1,      10,      100,       1'000,
                                                            10'000, 100'000, 1'000'000, 10'000'000};
  char separator_, other_;  // what may stand behind a number
  std::size_t shift_;       // digits behind the point down to a microsecond
};

/// What is wrong with a cell, for a message: "is negative: '-1'"; and the fix.
std::string cell_problem(Cell cell, std::string_view text);
std::string cell_hint(Cell cell, std::string_view text);

}  // namespace gedge::codec
