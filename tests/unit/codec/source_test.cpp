#include "codec/source.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

#include "support/dice.hpp"

namespace gedge::codec {
namespace {

using test::Dice;

// Whoever looks from the beginning each time is never led astray by where it looked before.
TEST_CASE("source: a position is the same whichever was asked for before") {
  constexpr std::array<std::string_view, 9> kPieces{
      "a",        "\xC3\xA9",     "\n",           "\r",          "\r\n",
      "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x82\xAC"};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    std::string text = "\xC3\xA9";
    for (int i = 0; i < 200; ++i) text += kPieces[dice.below(kPieces.size())];
    const Source asked("x", text);
    for (int i = 0; i < 300; ++i) {
      const Source fresh("x", text);
      const std::size_t offset = dice.below(text.size() + 1), line = dice.below(150),
                        column = dice.below(8);
      const Position there = asked.at_offset(offset), wanted = fresh.at_offset(offset);
      CHECK(there.line == wanted.line);
      CHECK(there.column == wanted.column);
      const Position mark = asked.at_mark(line, column), expected = fresh.at_mark(line, column);
      CHECK(mark.line == expected.line);
      CHECK(mark.column == expected.column);
    }
  }
}

}  // namespace
}  // namespace gedge::codec
