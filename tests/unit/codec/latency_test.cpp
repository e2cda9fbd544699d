#include <doctest/doctest.h>

#include <string>

#include "gedge/codec/latency.hpp"

namespace gedge {
namespace {

RttReading read(const std::string& text, const RttOptions& options = {},
                const std::string& name = "m.csv") {
  return read_rtt({{{name, text}}}, options);
}

/// The cell (from, to) of a reading without errors; -1 for unmeasured.
std::int64_t us(const RttReading& reading, std::string_view from, std::string_view to) {
  REQUIRE_MESSAGE(reading.errors.empty(), reading.errors.front().what);
  const auto a = reading.matrix.find(from), b = reading.matrix.find(to);
  REQUIRE(a);
  REQUIRE(b);
  const Rtt rtt = reading.matrix.at(*a, *b);
  return rtt == kUnmeasured ? -1 : std::int64_t{rtt.us};
}

/// "line:column what" of the only error.
std::string error(const RttReading& reading) {
  REQUIRE(reading.errors.size() == 1);
  const Error& e = reading.errors[0];
  return std::to_string(e.where.line) + ":" + std::to_string(e.where.column) + " " + e.what;
}

bool warned(const RttReading& reading, std::string_view code, std::string_view part = {}) {
  for (const Warning& w : reading.warnings)
    if (w.code == code && w.message.find(part) != std::string::npos) return true;
  return false;
}

Node node(std::string name, Labels labels = {}) {
  Node n;
  n.name = std::move(name);
  n.labels = std::move(labels);
  return n;
}

TEST_CASE("rtt: numbers become whole microseconds, rounded up, without binary fractions") {
  const auto r = read(
      "from,to,rtt_ms\na,b,0.1\na,c,0.1000000000000000000000000001\na,d,1.1e1\na,e,2.3\n"
      "a,f,1.000000000000000000e+01\na,g,4294967.294\na,h,1e-30\n");
  CHECK(us(r, "a", "b") == 100);
  CHECK(us(r, "a", "c") == 101);
  CHECK(us(r, "a", "d") == 11000);
  CHECK(us(r, "a", "e") == 2300);
  CHECK(us(r, "a", "f") == 10000);
  CHECK(us(r, "a", "g") == 4294967294);
  CHECK(us(r, "a", "h") == 1);
  CHECK(us(r, "b", "a") == -1);
  CHECK(r.matrix.between(*r.matrix.find("b"), *r.matrix.find("a")) == Rtt{100});
}

TEST_CASE("rtt: cells are the same where the names are sorted and where they are not") {
  const std::vector<std::string> names = {"a", "b", "c", "d"}, cells = {"0", "1.5", "", "7"};
  for (std::size_t round = 0; round < 256; ++round) {
    std::string sorted, reversed;
    for (const std::string& name : names) sorted += "," + name, reversed = "," + name + reversed;
    for (std::size_t row = 0; row < 4; ++row) {
      std::string there, back;
      for (std::size_t column = 0; column < 4; ++column) {
        const std::string& cell = cells[(round >> (2 * ((row + column) % 4))) % 4];
        there += "," + cell;
        back = "," + cell + back;
      }
      sorted += "\n" + names[row] + there;
      reversed.insert(8, "\n" + names[row] + back);
    }
    for (int choice = 0; choice < 4; ++choice) {
      CAPTURE(sorted);
      RttOptions options;
      options.zero_is_value = choice % 2 == 1;
      if (choice > 1) options.rtt_by = "zone";
      const RttReading first = read(sorted, options), second = read(reversed, options);
      REQUIRE(first.errors.empty());
      REQUIRE(second.matrix.names() == first.matrix.names());
      CHECK(second.warnings.size() == first.warnings.size());
      CHECK(second.matrix.symmetric() == first.matrix.symmetric());
      for (const std::string& from : names)
        for (const std::string& to : names) CHECK(us(first, from, to) == us(second, from, to));
    }
  }
}

TEST_CASE("rtt: units apply where the text does not name its own") {
  RttOptions options;
  options.unit = TimeUnit::kSecond;
  CHECK(us(read(",a,b\na,0,0.5\nb,0.25,0\n", options), "a", "b") == 500000);
  CHECK(us(read("from,to,rtt_ms\na,b,5\n", options), "a", "b") == 5000);
  CHECK(us(read("from,to,rtt\na,b,5\n", options), "a", "b") == 5000000);
  options.unit = TimeUnit::kMicro;
  CHECK(us(read("src,dst,latency (ms)\na,b,5\n", options), "a", "b") == 5000);
  CHECK(us(read("source,destination,rttUs\na,b,5\n"), "a", "b") == 5);
  CHECK(us(read("0 1.5\n2 0\n",
                [] {
                  RttOptions o;
                  o.unit = TimeUnit::kMicro;
                  o.names = {"a", "b"};
                  return o;
                }()),
           "a", "b") == 2);
}

TEST_CASE("rtt: the corner of a square CSV names the unit") {
  for (const auto& [corner, expected] : {std::pair{"rtt_us", 1500},
                                         {"RTT (us)", 1500},
                                         {"rttMs", 1'500'000},
                                         {"node", 1'500'000},
                                         {"latency_s", 1'500'000'000}}) {
    const std::string unit = corner;
    CAPTURE(unit);
    const std::string text = unit + ",edge-1,edge-2\nedge-1,0,1500\nedge-2,7,0\n";
    CHECK(us(read(text), "edge-1", "edge-2") == expected);
  }
  // Without names at the rows, the first cell is a name too.
  CHECK(us(read("rtt_us,b\n0,1\n2,0\n"), "rtt_us", "b") == 1000);
}

TEST_CASE("rtt: a unit that was asked for may not contradict a header") {
  RttOptions options;
  options.unit = TimeUnit::kMicro;
  options.unit_is_asked = true;
  const auto edges = read("from,to,rtt_ms\na,b,5\n", options);
  CHECK(error(edges) == "1:9 the header says ms, but `--rtt-unit` says us");
  CHECK(edges.errors[0].hint == "leave out `--rtt-unit`, or the unit in the header");
  CHECK(error(read("rtt_s,a,b\na,0,1\nb,1,0\n", options)) ==
        "1:1 the header says s, but `--rtt-unit` says us");
  CHECK(us(read("from,to,rtt_us\na,b,5\n", options), "a", "b") == 5);
  CHECK(us(read("from,to,rtt\na,b,5\n", options), "a", "b") == 5);
  CHECK(us(read("rtt_us,a,b\na,0,1\nb,1,0\n", options), "a", "b") == 1);
}

TEST_CASE("rtt: a file without any round-trip time is said to have none") {
  for (const char* empty : {"from,to,rtt_ms\n", "from,to,rtt_ms\na,b,-\n", ",a,b\na,0,\nb,,0\n",
                            R"({"apiVersion": "gedge.io/v1alpha1", "kind": "LatencyMatrix"})",
                            R"({"kind": "LatencyMatrix", "nodes": ["a", "b"], "pairs": []})"}) {
    CAPTURE(empty);
    const auto r = read(empty);
    CHECK(r.errors.empty());
    CHECK(warned(r, "NoRtt", "no round-trip time in it"));
  }
  for (const char* filled : {"from,to,rtt_ms\na,b,0\n", ",a\na,0\n", ",a,b\na,,1\nb,,\n"}) {
    CAPTURE(filled);
    CHECK_FALSE(warned(read(filled), "NoRtt"));
  }
  RttOptions by_zone;
  by_zone.rtt_by = "zone";
  CHECK_FALSE(warned(read("from,to,rtt_ms\na,a,1\n", by_zone), "NoRtt"));
}

TEST_CASE("rtt: a list of places is refused alone and skipped beside files with times") {
  const InputFile places{"cities.csv", "city,Lat,Long,Population\nBerlin,52.5,13.4,3645000\n"};
  CHECK(error(read_rtt({{places}}, {})) == "0:0 a list of places, without round-trip times");
  const auto beside = read_rtt({{places, {"e.csv", "from,to,rtt_ms\na,b,1\n"}}}, {});
  CHECK(us(beside, "a", "b") == 1000);
  CHECK(beside.warnings.empty());
}

TEST_CASE("rtt: square CSV keeps both directions, in any order of rows and with any corner") {
  for (const char* text :
       {"node,b,a\na,2.5,0\nb,0,1\n", ",b,a\r\nb,0,1\r\na,2.5,0\r\n", "b,a\n0,1\n2.5,0\n",
        "b;a\nb;0;1\na;2.5;0\n", "\"x\"\t\"b\"\t\"a\"\n\"b\"\t0\t1\n\"a\"\t 2.5 \t0\n",
        "\xEF\xBB\xBF# made by hand\n\nnode, b, a\nb, 0, 1\na, 2.5, 0"}) {
    CAPTURE(text);
    const auto r = read(text);
    CHECK(us(r, "a", "b") == 2500);
    CHECK(us(r, "b", "a") == 1000);
    CHECK(r.formats == std::vector{RttFormat::kSquareCsv});
    CHECK(r.matrix.between(NameIndex{0}, NameIndex{1}) == Rtt{2500});
  }
}

TEST_CASE("rtt: empty cells, dashes and zeros off the diagonal are unmeasured") {
  const std::string text = ",a,b,c\na,0,,0\nb,-,0,3\nc,0.0,4,0\n";
  auto r = read(text);
  CHECK(us(r, "a", "b") == -1);
  CHECK(us(r, "b", "a") == -1);
  CHECK(us(r, "a", "c") == -1);
  CHECK(us(r, "b", "c") == 3000);
  CHECK(us(r, "a", "a") == 0);
  CHECK(warned(r, "ZeroRtt", "2 pairs"));
  RttOptions options;
  options.zero_is_value = true;
  r = read(text, options);
  CHECK(us(r, "a", "c") == 0);
  CHECK(us(r, "a", "b") == -1);
  CHECK(r.warnings.empty());
}

TEST_CASE("rtt: the diagonal counts only for labels, and is unmeasured there where nobody says") {
  const std::string text = ",x,y\nx,0.3,5\ny,6,\n";
  CHECK(us(read(text), "x", "x") == 0);
  RttOptions options;
  options.rtt_by = "zone";
  CHECK(us(read(text, options), "x", "x") == 300);
  CHECK(us(read(text, options), "y", "y") == -1);
}

TEST_CASE("rtt: a later file wins, pair by pair, and an unmeasured pair takes nothing away") {
  const auto r = read_rtt({{{"1.csv", "from,to,rtt_ms\na,b,1\nb,a,2\n"}},
                           {{"2.csv", "from,to,rtt_ms\na,b,3\nb,a,-\na,c,9\n"}}},
                          {});
  CHECK(us(r, "a", "b") == 3000);
  CHECK(us(r, "b", "a") == 2000);
  CHECK(us(r, "a", "c") == 9000);
}

TEST_CASE("rtt: which value of a pair counts") {
  const std::string text =
      "from,to,min_ms,avg_ms,p50_ms,p95_ms,p99_ms,max_ms\na,b,1,2,3,4,5,6\nb,a,1,2,,,,6\nc,a,,,3,,"
      "5,\n";
  RttOptions options;
  CHECK(us(read(text), "a", "b") == 4000);
  CHECK(us(read(text), "b", "a") == 2000);  // the mean is the only value between extremes
  CHECK(us(read(text), "c", "a") == 5000);  // the next higher one
  options.stat = RttStat::kP50;
  CHECK(us(read(text, options), "a", "b") == 3000);
  options.stat = RttStat::kP99;
  CHECK(us(read(text, options), "a", "b") == 5000);
  options.stat = RttStat::kMax;
  CHECK(us(read(text, options), "b", "a") == 6000);
  CHECK(us(read(text, options), "c", "a") == 5000);  // the highest there is
}

TEST_CASE("rtt: plain matrices take names from the index or from the nodes") {
  const std::string text = "0 1 2\n1\t0   3\n2 3 0\n";
  RttOptions options;
  options.names = {"w", "v", "u"};
  CHECK(us(read(text, options), "w", "v") == 1000);
  CHECK(us(read(text, options), "v", "u") == 3000);
  CHECK(read(text, options).formats == std::vector{RttFormat::kPlain});
  const std::vector<Node> nodes{node("n3"), node("n1"), node("n2")};
  RttOptions by_nodes;
  by_nodes.nodes = nodes;
  CHECK(us(read(text, by_nodes), "n1", "n3") == 2000);
  options.names = {"u"};
  CHECK(error(read(text, options)) == "0:0 a matrix of 3 rows, but --rtt-names names 1");
  const auto nobody = read(text);
  CHECK(error(nobody) == "0:0 a matrix of 3 rows without names, and 0 nodes");
  CHECK(nobody.errors[0].hint.find("--rtt-names") != std::string::npos);
}

TEST_CASE("rtt: a comma matrix whose header is numbers is told from one without a header") {
  RttOptions options;
  options.names = {"a", "b"};
  CHECK(us(read("0,1\n2,0\n", options), "b", "a") == 2000);
  CHECK(us(read("0\t\n2\t0\n", options), "a", "b") == -1);
  CHECK(us(read(",7,8\n7,0,1\n8,2,0\n"), "8", "7") == 2000);
}

TEST_CASE("rtt: names of rows come from a JSON index") {
  const auto names = read_rtt_names({"names.json", R"({"b": 1, "a": 0, "c": 2})"});
  CHECK(names.errors.empty());
  CHECK(names.names == std::vector<std::string>{"a", "b", "c"});
  CHECK_FALSE(read_rtt_names({"n", R"({"b": 1, "a": 1})"}).errors.empty());
  CHECK_FALSE(read_rtt_names({"n", R"({"b": 2, "a": 0})"}).errors.empty());
  CHECK_FALSE(read_rtt_names({"n", R"({"b": -1})"}).errors.empty());
  CHECK_FALSE(read_rtt_names({"n", R"({"b": null})"}).errors.empty());
  CHECK_FALSE(read_rtt_names({"n", R"({"b": "0"})"}).errors.empty());
  CHECK_FALSE(read_rtt_names({"n", "[]"}).errors.empty());
  CHECK_FALSE(read_rtt_names({"n", "{}"}).errors.empty());
  CHECK_FALSE(read_rtt_names({"n", ""}).errors.empty());
}

TEST_CASE("rtt: hostile square matrices are refused with row and column") {
  CHECK(error(read(",a,b\na,0,-1\nb,2,0\n")) == "2:5 RTT from 'a' to 'b' is negative: '-1'");
  CHECK(error(read(",a,b\na,0,1\nb,nan,0\n")) == "3:3 RTT from 'b' to 'a' is not a number: 'nan'");
  CHECK(error(read(",a,b\na,0,inf\nb,2,0\n")) == "2:5 RTT from 'a' to 'b' is not a number: 'inf'");
  CHECK(error(read(",a,b\na,0,1e308\nb,2,0\n")) ==
        "2:5 RTT from 'a' to 'b' is over 71 minutes: '1e308'");
  CHECK(error(read(",a,b\na,0,4294967.295\nb,2,0\n")) ==
        "2:5 RTT from 'a' to 'b' is over 71 minutes: '4294967.295'");
  CHECK(error(read(",a,b\na,0,10ms\nb,2,0\n")) ==
        "2:5 RTT from 'a' to 'b' is not a number: '10ms'");
  CHECK(error(read(",a,b\na,0\nb,2,0\n")) == "2:4 row 'a' has 1 cell, the header names 2 columns");
  CHECK(error(read(",a,b\na,0,1,2\nb,2,0\n")) ==
        "2:8 row 'a' has 3 cells, the header names 2 columns");
  CHECK(error(read(",a,b\na,0,1\n")) ==
        "1:1 the matrix is not square: 2 columns, 1 row; no row for 'b'");
  CHECK(error(read(",a,b\na,0,1\na,0,1\n")) == "3:1 row 'a' appears twice");
  CHECK(error(read(",a,b\na,0,1\nc,0,1\n")) == "3:1 row 'c' has no column");
  CHECK(error(read(",a,b,a\na,0,1,2\nb,0,1,2\n")) == "1:6 columns 1 and 3 are both named 'a'");
  CHECK(error(read(",a,\na,0,1\n")) == "1:4 a name is empty");
}

TEST_CASE("rtt: hostile plain matrices are refused with row and column") {
  RttOptions options;
  options.names = {"a", "b"};
  CHECK(error(read("0 1\n2\n", options)) == "2:2 row 2 has 1 number, row 1 has 2");
  CHECK(error(read("0 1\n2 0\n3 3\n", options)) ==
        "1:1 the matrix is not square: 2 columns, 3 rows");
  CHECK(error(read("0 1\n-2 0\n", options)) == "2:1 RTT in row 2, column 1 is negative: '-2'");
  CHECK(error(read("0 1\nNaN 0\n", options)) ==
        "2:1 RTT in row 2, column 1 is not a number: 'NaN'");
  CHECK(error(read("0 -inf\n1 0\n", options)) ==
        "1:3 RTT in row 1, column 2 is not a number: '-inf'");
  CHECK(error(read("0 1x 2\n1 0 2\n1 1 0", options)) ==
        "1:3 RTT in row 1, column 2 is not a number: '1x'");
}

TEST_CASE("rtt: hostile edge lists") {
  CHECK(error(read("from,to,rtt_ms\na,b,-3\n")) == "2:5 RTT from 'a' to 'b' is negative: '-3'");
  CHECK(error(read("from,to,rtt_ms\na,b\n")) == "2:4 the line has 2 cells, the header has 3");
  CHECK(error(read("from,to,rtt_ms\n,b,1\n")) == "2:1 a name is empty");
  CHECK(error(read("from,to,site\na,b,1\n")) == "1:1 no column holds an RTT");
  CHECK(error(read("from,to,rtt_ms\na,b,1\nb,a,1\na,b,2\n")) ==
        "4:1 RTT from 'a' to 'b' stands on lines 2 and 4 with different values");
  CHECK(us(read("from,to,rtt_ms\na,b,1\na,b,1\n"), "a", "b") == 1000);
  CHECK(us(read("edge-1,near-1,3.2\nedge-1,near-2,4\n"), "edge-1", "near-2") == 4000);
}

TEST_CASE("rtt: a hundred thousand sites are refused, and a million bad cells are not all listed") {
  std::string header, row = "n0";
  for (int i = 0; i < 100000; ++i) header += ",n" + std::to_string(i);
  CHECK(error(read(header + "\n")).find("more than 16384 names") != std::string::npos);
  std::string bad = ",a,b\n";
  for (int i = 0; i < 200000; ++i) bad += "a,x,y\n";
  CHECK(read(bad).errors.size() < 100);
  const std::string digits(1000000, '9');
  CHECK(error(read("from,to,rtt_ms\na,b," + digits + "\n")).find("is over 71 minutes") !=
        std::string::npos);
  CHECK(us(read("from,to,rtt_ms\na,b,0." + digits + "\n"), "a", "b") == 1000);
}

TEST_CASE("rtt: what is no latency at all") {
  CHECK(error(read("")) == "0:0 the file is empty");
  CHECK(error(read("\r\r\n")) == "0:0 no format of RTTs that gedge knows");
  CHECK(error(read("hello world\n")) == "0:0 no format of RTTs that gedge knows");
  CHECK(error(read(std::string("\0\1\2", 3))).find("NUL") != std::string::npos);
  CHECK(error(read("\xff\xfe\x41", {}, "x.csv")).find("UTF-16") != std::string::npos);
  CHECK(error(read(R"({"a": 0, "b": 1})")) == "0:0 a map of names to rows, not a matrix");
  CHECK(error(read(R"({"kind": "Pod"})")) == "0:0 no format of RTTs that gedge knows");
  CHECK_FALSE(read("{\"a\": ").errors.empty());
}

TEST_CASE("rtt: in a folder, files without latency are skipped with a warning") {
  const RttSource folder{{"d/b.dat", "1/2.0005/3/0:a\n"},
                         {"d/notes", "these are RTTs\n"},
                         {"d/README.txt", "from,to,about\nthis is prose, not a table\n"},
                         {"d/LICENSE", "one,two\n"},
                         {"d/more.md", "a,b\nc\n"},
                         {"d/a.dat", "0.1/0.2/0.3/0:a\n5/6/7/1:b\n"}};
  const auto r = read_rtt({folder}, {});
  CHECK(us(r, "b", "a") == 2001);
  CHECK(us(r, "a", "b") == 6000);
  CHECK(r.warnings.size() == 1);
  CHECK(warned(r, "UnreadFile"));
  CHECK(r.formats == std::vector{RttFormat::kDat, RttFormat::kUnknown, RttFormat::kUnknown,
                                 RttFormat::kUnknown, RttFormat::kUnknown, RttFormat::kDat});
  CHECK(us(read("from,to,rtt_ms\na,b,1\n", {}, "README.md"), "a", "b") == 1000);
  RttOptions options;
  options.stat = RttStat::kMax;
  CHECK(us(read_rtt({folder}, options), "a", "b") == 7000);
  CHECK(error(read("1/2/3/4:a\n1/2/3:b\n", {}, "x.dat")) == "2:1 expected min/avg/max/mdev:NAME");
  CHECK(error(read("1/2/3/4:a\n1/-2/3/4:b\n", {}, "x.dat")) ==
        "2:3 RTT from 'x' to 'b' is negative: '-2'");
}

TEST_CASE("rtt: names that are no node are warned about once each, and addresses become nodes") {
  std::vector<Node> nodes{node("a"), node("b")};
  nodes[0].addresses = {"10.0.0.1", "a"};
  nodes[1].addresses = {"10.0.0.2"};
  RttOptions options;
  options.nodes = nodes;
  const auto r = read_rtt(
      {{{"1", "from,to,rtt_ms\n10.0.0.1,b,1\nx,a,2\n"}}, {{"2", "from,to,rtt_ms\nx,10.0.0.2,4\n"}}},
      options);
  CHECK(us(r, "a", "b") == 1000);
  CHECK(us(r, "x", "b") == 4000);
  CHECK(r.matrix.size() == 3);
  CHECK(r.warnings.size() == 1);
  CHECK(warned(r, "UnknownLatencyName", "'x'"));

  nodes[0].labels.set("zone", "east");
  options.rtt_by = "zone";
  const auto by = read("from,to,rtt_ms\neast,west,1\n", options);
  CHECK(by.warnings.size() == 1);
  CHECK(warned(by, "UnknownLatencyName", "'west'"));
}

TEST_CASE("rtt: a wrong unit is suspected") {
  CHECK(warned(read("from,to,rtt_ms\na,b,20000\n"), "UnlikelyUnit"));
  CHECK_FALSE(warned(read("from,to,rtt_ms\na,b,2000\n"), "UnlikelyUnit"));
}

}  // namespace
}  // namespace gedge
