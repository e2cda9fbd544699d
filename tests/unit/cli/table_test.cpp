#include "term/table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "render/long_table.hpp"

using namespace gedge::cli;

namespace {

Table pods() {
  Table table({{"POD", Align::kLeft, Shrink::kLast},
               {"SCORE", Align::kRight},
               {"NODE", Align::kLeft, Shrink::kLast}});
  table.add({{"web-0"}, {"74", Ink::kPlain, 74}, {"edge-a1", Ink::kGood}});
  table.add({{"checkoutservice-7"}, {"9", Ink::kPlain, 9}, {""}});
  return table;
}

std::string printed(const Table& table, std::size_t width, bool header = true, bool color = false) {
  Stream out = Stream::in_memory(width, color);
  table.print(out, header);
  return out.text();
}

}  // namespace

TEST_CASE("table: a pipe gets one tab between cells and nothing else") {
  CHECK(printed(pods(), 0) ==
        "POD\tSCORE\tNODE\n"
        "web-0\t74\tedge-a1\n"
        "checkoutservice-7\t9\t-\n");
  CHECK(printed(pods(), 0, false) == "web-0\t74\tedge-a1\ncheckoutservice-7\t9\t-\n");
}

TEST_CASE("table: a terminal gets aligned columns without trailing blanks") {
  CHECK(printed(pods(), 80) ==
        "POD                SCORE  NODE\n"
        "web-0                 74  edge-a1\n"
        "checkoutservice-7      9  -\n");
}

TEST_CASE("table: a narrow terminal shortens names in the middle and never numbers") {
  CHECK(printed(pods(), 28) ==
        "POD           SCORE  NODE\n"
        "web-0            74  edge-a1\n"
        "check..ice-7      9  -\n");
  for (const std::size_t width : {1U, 5U, 20U, 26U})
    CHECK(printed(pods(), width).find("74") != std::string::npos);
}

TEST_CASE(
    "table: what shrinks first gives way before what shrinks last and then columns are dropped") {
  Table table({{"NAME", Align::kLeft, Shrink::kLast},
               {"RANGE", Align::kLeft, Shrink::kFirst},
               {"SOURCE", Align::kLeft, Shrink::kFirst, true}});
  table.add({{"abcdefghijklmnopqrst"}, {"0123456789012345"}, {"ABCDEFGHIJKLMNOP"}});
  CHECK(printed(table, 44, false) == "abcdefghijklmnopqrst  0123..2345  ABCD..MNOP\n");
  CHECK(printed(table, 34, false) == "abcd..qrst  0123..2345  ABCD..MNOP\n");
  CHECK(printed(table, 33, false) == "abcdefghijklmnopqrst  01234..2345\n");
  CHECK(table.fits(Stream::in_memory(34)));
  CHECK_FALSE(table.fits(Stream::in_memory(33)));
  CHECK(table.fits(Stream::in_memory(0)));
}

TEST_CASE("table: a column that flows is never cut and cuts nothing else") {
  Table table({{"POD", Align::kLeft, Shrink::kLast}, {"MESSAGE", Align::kLeft, Shrink::kFlows}});
  table.add({{"checkoutservice-7"}, {"a message that is longer than the terminal is wide"}});
  CHECK(printed(table, 30, false) ==
        "checkoutservice-7  a message that is longer than the terminal is wide\n");
  CHECK(printed(table, 15, false) ==
        "checko..ice-7  a message that is longer than the terminal is wide\n");
}

TEST_CASE("table: ten thousand columns pad to the content and not to the terminal") {
  CHECK(printed(pods(), 10'000) == printed(pods(), 80));
}

TEST_CASE("table: colour is around the text and does not move the columns") {
  CHECK(printed(pods(), 80, false, true) ==
        "web-0              74  \x1b[32medge-a1\x1b[0m\n"
        "checkoutservice-7   9  -\n");
}

TEST_CASE("table: wide characters keep the columns straight") {
  Table table({{"NAME", Align::kLeft, Shrink::kLast}, {"N"}});
  table.add({{"東京"}, {"1"}});
  table.add({{"Zürich"}, {"2"}});
  CHECK(printed(table, 80) == "NAME    N\n東京    1\nZürich  2\n");
}

TEST_CASE("table: a cell cannot break out of its row") {
  Table table({{"A"}, {"B"}});
  table.add({{"x\ny"}, {"p\tq\x1b[2J"}});
  CHECK(printed(table, 0, false) == "x\\ny\tp\\tq\\x1b[2J\n");
}

TEST_CASE("table: sorting takes the number where there is one and puts nothing last") {
  Table table = pods();
  REQUIRE(table.sort_by("score"));
  CHECK(printed(table, 0, false) == "checkoutservice-7\t9\t-\nweb-0\t74\tedge-a1\n");
  REQUIRE(table.sort_by("{.node}"));
  CHECK(printed(table, 0, false) == "web-0\t74\tedge-a1\ncheckoutservice-7\t9\t-\n");
}

TEST_CASE("table: an unknown column is refused with the known ones") {
  Table table = pods();
  const auto status = table.sort_by("colour");
  REQUIRE_FALSE(status);
  CHECK(status.error().what == "no column 'colour' to sort by");
  CHECK(status.error().hint == "use pod, score or node");
}

TEST_CASE(
    "table: a long one prints the same as a short one, sorted or not, in pipes and terminals") {
  for (const std::size_t width : {0U, 80U})
    for (const std::string sort_by : {"", "number"})
      for (const bool headers : {true, false}) {
        const std::vector<Column> columns{{"NUMBER", Align::kRight}, {"WORD"}};
        TableOptions options;
        options.sort_by = sort_by;
        options.headers = headers;
        Stream out = Stream::in_memory(width);
        LongTable longer(columns, out, options);
        Table table(columns);
        std::size_t early = 0;
        for (std::int64_t i = 0; i < 70'000; ++i) {
          const std::int64_t number = i * 7'919 % 70'000;
          const std::vector<Cell> row{{std::to_string(number), Ink::kPlain, number}, {"word"}};
          longer.add(row);
          table.add(row);
          early = std::max(early, out.text().size());
        }
        CHECK((early > 0) == (width == 0 && sort_by.empty()));
        REQUIRE(longer.finish());
        if (!sort_by.empty()) REQUIRE(table.sort_by(sort_by));
        CHECK((out.text() == printed(table, width, headers)));
      }
  TableOptions wrong;
  wrong.sort_by = "colour";
  Stream out = Stream::in_memory(0);
  LongTable table({{"A"}}, out, wrong);
  table.add({{"x"}});
  CHECK_FALSE(table.finish());
  CHECK(out.text().empty());
}
