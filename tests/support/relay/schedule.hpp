// support/relay/schedule.hpp - what happens to packets on their way, and what did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/units.hpp"
#include "support/dice.hpp"

namespace gedge::test {

/// One far end: 10.77.1.NUMBER and fd77::1:NUMBER. Shares are in millionths, of each direction.
struct Path {
  std::uint8_t number = 0;
  Micros there{0}, back{0};
  std::uint32_t dropped = 0, doubled = 0, overtaken = 0;
  std::uint32_t drops_each = 0;  ///< of this many packets there the last one is lost; 0: none
};

/// "NUMBER:THERE_US:BACK_US[:DROPPED:DOUBLED:OVERTAKEN[:DROPS_EACH]]".
std::optional<Path> parse_path(std::string_view text);

enum class Direction : std::uint8_t { kThere, kBack };

/// An echo as the relay sees it pass, or any other packet of a path.
struct Passing {
  std::uint8_t path = 0;
  bool echo = false;
  std::uint16_t ident = 0, sequence = 0;  // of echoes
};
/// Empty for packets of no path: what a kernel says on its own.
std::optional<Passing> read_packet(std::string_view packet, Direction direction);

/// When copies of a packet leave, after it came; none: it is lost. `place` is that among the
/// packets of its path and direction, from 1.
std::vector<Micros> fate_of(const Path& path, Direction direction, std::uint64_t place, Dice& dice);

/// "path,direction,ident,sequence,in_us,out_us": one line a copy, out_us is `-` where it was lost.
std::string log_line(const Passing& passing, Direction direction, Micros in,
                     std::optional<Micros> out);

}  // namespace gedge::test
