// codec/rtt_number.hpp - one cell of a latency matrix: decimal text to whole microseconds, rounded
// up.
#pragma once

#include <cstdint>
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

/// What is wrong with a cell, for a message: "is negative: '-1'"; and the fix.
std::string cell_problem(Cell cell, std::string_view text);
std::string cell_hint(Cell cell, std::string_view text);

}  // namespace gedge::codec
