#include "render/heat.hpp"

#include <doctest/doctest.h>

#include "render/heat_map.hpp"
#include "term/style.hpp"

using namespace gedge;
using namespace gedge::cli;

namespace {

NameIndex at(std::uint32_t i) { return NameIndex{i}; }

RttMatrix chain(std::uint32_t n) {  // i to j takes 100 us times the distance
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < n; ++i) names.push_back("n" + std::to_string(1000 + i));
  RttMatrix matrix(names);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j)
      if (i != j) matrix.set(at(i), at(j), Rtt{100 * (i < j ? j - i : i - j)});
  return matrix;
}

}  // namespace

TEST_CASE("heat: shades change at round numbers, and an edge belongs below") {
  const HeatScale scale(chain(10));  // 100 us to 900 us
  REQUIRE(scale.levels() == 4);
  CHECK(scale.text(0) == "up to 100us");
  CHECK(scale.text(2) == "up to 500us");
  CHECK(scale.text(3) == "more");
  CHECK(scale.level(Rtt{100}) == 0);
  CHECK(scale.level(Rtt{101}) == 1);
  CHECK(scale.level(Rtt{900}) == 3);
}

TEST_CASE("heat: however far apart times are, there are at most as many shades as colours") {
  RttMatrix matrix({"a", "b"});
  matrix.set(at(0), at(1), Rtt{0});
  matrix.set(at(1), at(0), kMaxRtt);
  const HeatScale scale(matrix);
  CHECK(scale.levels() == kShades);
  CHECK(scale.level(Rtt{0}) == 0);
  CHECK(scale.level(kMaxRtt) == kShades - 1);
  CHECK(HeatScale(RttMatrix({"a", "b"})).levels() == 1);
  CHECK(HeatScale(RttMatrix{}).text(0) == "all alike");
}

TEST_CASE("heat: a grid keeps every name, the last row may stand for fewer") {
  const HeatGrid whole = heat_grid(chain(7), {}, 7);
  CHECK(whole.step == 1);
  CHECK(whole.at(2, 5).rtt == Rtt{300});
  CHECK(whole.at(3, 3).diagonal);
  CHECK(whole.at(3, 3).rtt == kUnmeasured);
  const RttMatrix matrix = chain(7);
  const HeatGrid grid = heat_grid(matrix, {}, 3);
  CHECK(grid.step == 3);
  CHECK(grid.side == 3);
  CHECK_FALSE(grid.at(0, 0).diagonal);
  CHECK(grid.at(0, 1).rtt == Rtt{300});  // the median of 1 to 5 with 3 three times
  CHECK(grid.at(2, 2).diagonal);         // one name is left
  CHECK(heat_label(matrix, grid, 0) == "n1000 to n1002");
  CHECK(heat_label(matrix, grid, 2) == "n1006");
}

TEST_CASE("heat: gaps stay gaps in a cell of several, and marks show through") {
  RttMatrix matrix({"a", "b", "c", "d"});
  matrix.set(at(0), at(2), Rtt{700});
  PairDetails details;
  PairStats pair;
  pair.from = at(1), pair.to = at(3), pair.suspicious = true;
  details.pairs = {pair};
  const HeatGrid grid = heat_grid(matrix, details, 2);
  CHECK(grid.at(0, 1).rtt == Rtt{700});
  CHECK(grid.at(0, 1).suspicious);
  CHECK_FALSE(grid.at(0, 1).estimated);
  CHECK(grid.at(1, 0).rtt == kUnmeasured);
  CHECK_FALSE(grid.at(1, 0).diagonal);
}

TEST_CASE("heat: colours are asked of the style, and a map never exceeds its terminal") {
  CHECK(Style(false).shade(3, "x") == "x");
  CHECK(Style(true).shade(0, "x") == "\x1b[48;5;230;38;5;16mx\x1b[0m");
  CHECK(Style(true).shade(99, "x") == Style(true).shade(kShades - 1, "x"));
  for (const std::size_t width : {20U, 33U, 80U, 200U}) {
    Stream out = Stream::in_memory(width);
    print_heat_map(out, chain(150), {});
    std::size_t rows = 0, begin = 0;
    for (std::size_t end = 0; (end = out.text().find('\n', begin)) != std::string::npos;
         begin = end + 1, ++rows)
      if (out.text()[begin] == 'n') CHECK(end - begin <= width);
    CHECK(rows >= 4);
  }
}
