// Plain matrices whose rows are read two at a time: every cell as if it was read alone.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "codec/rtt_number.hpp"
#include "gedge/codec/latency.hpp"
#include "support/dice.hpp"

namespace gedge {
namespace {

using codec::Cell;
using codec::parse_rtt;
using test::Dice;

struct Table {
  std::string text;
  std::vector<std::vector<std::string>> cells;
  bool is_square = true;
};

/// Numbers of all lengths, most of them short, and now and then something else.
std::string cell_of(Dice& dice, char separator, bool is_first_row, std::size_t points) {
  const std::vector<std::string> odd = {"-",        "1e1",         "1.000000000000000000e+01",
                                        "12345678", "+1",          ".5",
                                        "7.",       "4294967.294", "0.10",
                                        "-0",       "123456789.5", "1.2345678",
                                        "4294967"};
  if (dice.chance(2) && !is_first_row) return dice.pick(odd);
  if (dice.chance(1) && !is_first_row && separator != ' ') return "";
  std::string text = std::to_string(dice.below(dice.chance(50) ? 10 : 1000));
  if (dice.chance(points))
    text += "." + std::to_string(dice.below(dice.chance(80) ? 1000 : 100000));
  return text;
}

Table table_of(Dice& dice, std::size_t size) {
  const char separator = dice.pick(std::vector<char>{' ', ' ', ',', '\t', ';'});
  const std::size_t points = dice.pick(std::vector<std::size_t>{80, 80, 1, 0});
  Table table;
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_odd = i > 0 && separator == ' ' && dice.chance(1);
    const std::size_t count = is_odd ? size + dice.below(3) - 1 : size;
    table.is_square = table.is_square && count == size;
    std::vector<std::string>& row = table.cells.emplace_back();
    for (std::size_t j = 0; j < count; ++j) {
      row.push_back(cell_of(dice, separator, i == 0, points));
      if (j > 0) table.text += separator;
      if (separator == ' ' && dice.chance(5)) table.text += i == 0 ? "  " : "\t ";
      table.text += row.back();
    }
    table.text += dice.chance(5) ? " \r\n" : "\n";
    if (dice.chance(5)) table.text += "\n# a remark\n";
  }
  return table;
}

TEST_CASE("rtt tables: 400 plain matrices give the cells that their numbers give one by one") {
  Dice dice(6);
  std::size_t compared = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const std::size_t size = 2 + dice.below(30);
    const Table table = table_of(dice, size);
    RttOptions options;
    options.zero_is_value = true;
    for (std::size_t i = 0; i < size; ++i) options.names.push_back("n" + std::to_string(100 + i));
    const RttReading reading = read_rtt({RttSource{{"m.txt", table.text, 0}}}, options);
    bool is_right = table.is_square;
    for (const auto& row : table.cells)
      for (const std::string& cell : row) {
        const Cell kind = parse_rtt(cell, options.unit).cell;
        is_right = is_right && (kind == Cell::kValue || kind == Cell::kUnmeasured);
      }
    REQUIRE(reading.errors.empty() == is_right);
    if (!is_right) continue;
    for (std::uint32_t i = 0; i < size; ++i)
      for (std::uint32_t j = 0; j < size; ++j) {
        if (i == j) continue;
        CAPTURE(table.cells[i][j]);
        REQUIRE(reading.matrix.at(NameIndex{i}, NameIndex{j}) ==
                parse_rtt(table.cells[i][j], options.unit).rtt);
        ++compared;
      }
  }
  CHECK(compared > 20'000);
}

TEST_CASE("rtt tables: what is wrong in the second of two rows is told with its place") {
  for (const std::string three : {"11.125 22.250 33.375", "111111 222222 333333"})
    for (const std::string odd : {"x", "-1", "1.2.3", "99999999.999", "9999999", "1x", "1,"}) {
      CAPTURE(odd);
      const std::string row = three + " 44 555 666 777\n";
      std::string third = row;
      third.replace(14, 6, odd);
      const RttReading reading = read_rtt({RttSource{{"m.txt", row + row + third + row, 0}}}, {});
      REQUIRE(!reading.errors.empty());
      CHECK(reading.errors[0].where.line == 3);
      CHECK(reading.errors[0].where.column == 15);
    }
}

}  // namespace
}  // namespace gedge
