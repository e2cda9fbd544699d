// Plain matrices whose rows are read some at a time: every cell as if it was read alone.
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

/// Each cell but the diagonal's with its number alone; returns how many.
std::size_t compare(const RttMatrix& matrix, const Table& table, TimeUnit unit) {
  std::size_t compared = 0;
  for (std::uint32_t i = 0; i < table.cells.size(); ++i)
    for (std::uint32_t j = 0; j < table.cells[i].size(); ++j) {
      if (i == j) continue;
      CAPTURE(table.cells[i][j]);
      REQUIRE(matrix.at(NameIndex{i}, NameIndex{j}) == parse_rtt(table.cells[i][j], unit).rtt);
      ++compared;
    }
  return compared;
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
    compared += compare(reading.matrix, table, options.unit);
  }
  CHECK(compared > 20'000);
}

/// What a program prints with that many digits behind the point, another diagonal, and now and then
/// something else.
Table printed(Dice& dice, std::size_t size, std::size_t fraction) {
  const std::string diagonal = dice.pick(std::vector<std::string>{"0", "-", "0.000", "1e-3"});
  const char separator = dice.pick(std::vector<char>{' ', ',', '\t', ';'});
  const std::vector<std::string> others = {"-", "1e1", "+1", ".5", "7.", "1.2345678", "1234567.1"};
  Table table;
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<std::string>& row = table.cells.emplace_back();
    for (std::size_t j = 0; j < size; ++j) {
      std::string rest = std::to_string(dice.below(1'000'000));
      rest = "." + rest.substr(0, std::min(fraction, rest.size()));
      row.push_back(std::to_string(dice.below(dice.chance(50) ? 10 : 1000)) +
                    (fraction > 0 ? rest : ""));
      if (i == j) row.back() = diagonal;
      if (i > 0 && dice.below(500) == 0) row.back() = dice.pick(others);
      table.text += (j > 0 ? std::string(1, separator) : "") + row.back();
    }
    table.text += '\n';
  }
  return table;
}

TEST_CASE("rtt tables: 60 printed matrices give the cells that their numbers give one by one") {
  Dice dice(7);
  std::size_t compared = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const std::size_t size = 40 + dice.below(60);
    const Table table = printed(dice, size, dice.below(5));
    RttOptions options;
    options.zero_is_value = true;
    options.unit = dice.pick(std::vector<TimeUnit>{TimeUnit::kMicro, TimeUnit::kMilli});
    for (std::size_t i = 0; i < size; ++i) options.names.push_back("n" + std::to_string(100 + i));
    const RttReading reading = read_rtt({RttSource{{"m.txt", table.text, 0}}}, options);
    REQUIRE(reading.errors.empty());
    compared += compare(reading.matrix, table, options.unit);
  }
  CHECK(compared > 100'000);
}

TEST_CASE("rtt tables: 60 tables with a header give the same as without, in any order of rows") {
  Dice dice(8);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const std::size_t size = 4 + dice.below(60);
    const Table table = printed(dice, size, dice.below(5));
    RttOptions options;
    std::string header = dice.chance(50) ? "" : "node";
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < size; ++i) {
      options.names.push_back("n" + std::to_string(100 + i));
      header += "," + options.names[i];
      rows.push_back((dice.chance(10) ? "\"" + options.names[i] + "\"" : options.names[i]));
      for (const std::string& cell : table.cells[i]) rows[i] += "," + cell;
    }
    dice.shuffle(rows);
    std::string text = header + "\n";
    for (const std::string& row : rows) text += row + "\n";
    const RttReading plain = read_rtt({RttSource{{"m.txt", table.text, 0}}}, options);
    const RttReading square = read_rtt({RttSource{{"m.csv", text, 0}}}, options);
    REQUIRE(plain.errors.empty());
    REQUIRE(square.errors.empty());
    CHECK(square.formats[0] == RttFormat::kSquareCsv);
    REQUIRE(square.matrix.names() == plain.matrix.names());
    for (std::uint32_t i = 0; i < size; ++i) {
      const auto a = plain.matrix.row(NameIndex{i}), b = square.matrix.row(NameIndex{i});
      CHECK(std::equal(a.begin(), a.end(), b.begin()));
    }
    const std::size_t again = text.find('\n') + 1;
    const RttReading twice = read_rtt(
        {RttSource{{"m.csv", text + text.substr(again, text.find('\n', again)), 0}}}, options);
    CHECK(!twice.errors.empty());
  }
}

TEST_CASE("rtt tables: what is wrong in one of some rows is told with its place") {
  for (const std::string three : {"11.125 22.250 33.375", "111111 222222 333333"})
    for (const std::string odd : {"x", "-1", "1.2.3", "99999999.999", "9999999", "1x", "1,"}) {
      CAPTURE(odd);
      const std::string row = three + " 44 555 666 777\n";
      std::string other = row;
      other.replace(14, 6, odd);
      for (int line = 2; line <= 6; ++line) {
        std::string text;
        for (int i = 1; i <= 7; ++i) text += i == line ? other : row;
        const RttReading reading = read_rtt({RttSource{{"m.txt", text, 0}}}, {});
        REQUIRE(!reading.errors.empty());
        CHECK(reading.errors[0].where.line == line);
        CHECK(reading.errors[0].where.column == 15);
      }
    }
}

}  // namespace
}  // namespace gedge
