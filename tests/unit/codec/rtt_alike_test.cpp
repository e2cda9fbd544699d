// Numbers that are read as words: each as if it was read alone, up to the first that looks
// different.
#include "codec/rtt_alike.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codec/rtt_number.hpp"
#include "support/dice.hpp"

namespace gedge::codec {
namespace {

using test::Dice;

constexpr std::size_t kRows = AlikeRtts::kRows;

std::string digits(Dice& dice, std::size_t count) {
  std::string text;
  while (text.size() < count) text += static_cast<char>('0' + dice.below(10));
  return text;
}

/// A number of at most seven characters with that many behind the point.
std::string number_of(Dice& dice, std::size_t fraction) {
  const std::size_t before = 1 + dice.below(fraction == 0 ? 7 : 6 - fraction);
  return digits(dice, before) + (fraction == 0 ? "" : "." + digits(dice, fraction));
}

struct Text {
  std::string row;
  std::vector<std::string> cells;
  std::vector<std::size_t> places;  // of the cells, and of the end
};

Text text_of(Dice& dice, std::size_t count, std::size_t fraction, char separator, int odd) {
  const std::vector<std::string> others = {
      "",    "-",      "-1",       "+1",        ".5",           "1e3",  "7.",    "1..2",
      "1/2", "1:2",    "12345678", "x",         "99999999.999", "\xB1", "1.2.3", "9999999",
      "1;5", "123456", "0.10",     "1234567.1", "1\t2",         "1 2"};
  Text text;
  for (std::size_t i = 0; i < count; ++i) {
    text.places.push_back(text.row.size());
    std::string cell = number_of(dice, fraction);
    if (dice.below(1000) < static_cast<std::size_t>(odd)) cell = dice.pick(others);
    std::erase(cell, separator);
    text.cells.push_back(cell);
    text.row += text.cells.back() + separator;
  }
  text.places.push_back(text.row.size());
  return text;
}

/// Reads four rows once; returns how many cells of each were read.
std::size_t read_and_compare(Dice& dice, std::size_t fraction, char separator, TimeUnit unit,
                             int odd) {
  const std::size_t count = 20 + dice.below(100), stride = count + dice.below(3);
  std::vector<Text> texts;
  AlikeRtts::Rows rows;
  for (std::size_t i = 0; i < kRows; ++i)
    texts.push_back(text_of(dice, count, fraction, separator, odd));
  for (std::size_t i = 0; i < kRows; ++i) rows[i] = texts[i].row;
  std::vector<Rtt> cells(kRows * stride, Rtt{7});
  AlikeRtts alike(separator, unit);
  const std::string model = fraction == 0 ? "1" : "1." + std::string(fraction, '0');
  alike.expect(model, model);
  const std::size_t done = alike.read(rows, cells.data(), stride, count);
  REQUIRE(done <= count);
  for (std::size_t row = 0; row < kRows; ++row) {
    REQUIRE(static_cast<std::size_t>(rows[row].data() - texts[row].row.data()) ==
            texts[row].places[done]);
    for (std::size_t i = 0; i < done; ++i) {
      CAPTURE(texts[row].cells[i]);
      const ParsedRtt alone = parse_rtt(texts[row].cells[i], unit);
      REQUIRE(alone.cell == Cell::kValue);
      REQUIRE(alone.rtt == cells[row * stride + i]);
    }
    if (stride > count) REQUIRE(cells[row * stride + count] == Rtt{7});
  }
  return done;
}

TEST_CASE("rtt alike: 20,000 rows give the cells that their numbers give one by one") {
  Dice dice(11);
  std::size_t read = 0, stopped = 0;
  for (int round = 0; round < 5'000; ++round) {
    CAPTURE(round);
    const char separator = dice.pick(std::vector<char>{' ', ',', '\t', ';'});
    const auto unit =
        dice.pick(std::vector<TimeUnit>{TimeUnit::kMicro, TimeUnit::kMilli, TimeUnit::kSecond});
    const std::size_t done =
        read_and_compare(dice, dice.below(6), separator, unit, dice.chance(50) ? 0 : 3);
    read += done;
    stopped += done < 10 ? 1 : 0;
  }
  CHECK(read > 50'000);
  CHECK(stopped > 100);
}

TEST_CASE("rtt alike: nearly all of rows that look alike is read") {
  Dice dice(12);
  for (int round = 0; round < 100; ++round) {
    CHECK(read_and_compare(dice, 3, ' ', TimeUnit::kMilli, 0) + 4 >= 20);
    CHECK(read_and_compare(dice, 1, ';', TimeUnit::kMilli, 0) + 8 >= 20);
    CHECK(read_and_compare(dice, 0, ',', TimeUnit::kMicro, 0) + 8 >= 20);
  }
}

TEST_CASE("rtt alike: an empty cell is no zero, and what is too large is left to others") {
  AlikeRtts alike(',', TimeUnit::kSecond);
  std::vector<Rtt> cells(kRows * 8);
  for (const std::string first : {",", "1000,", "4295,", "9999999,"}) {
    CAPTURE(first);
    const std::string row = first + std::string(200, '1'), fine = "999,1," + std::string(200, '1');
    AlikeRtts::Rows rows{fine, fine, row, fine};
    CHECK(alike.read(rows, cells.data(), 8, 8) == 0);
    CHECK(rows[0].data() == fine.data());
    CHECK(rows[2].data() == row.data());
    rows = {fine, fine, fine, fine};
    CHECK(alike.read(rows, cells.data(), 8, 8) == 2);
    CHECK(cells[8] == Rtt{999'000'000});
  }
}

}  // namespace
}  // namespace gedge::codec
