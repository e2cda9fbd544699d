// Matrices written in every format, and read back.
#include "gedge/codec/write_latency.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "gedge/codec/latency.hpp"

namespace gedge {
namespace {

constexpr const char* kEverything = R"({"apiVersion": "gedge.io/v1alpha1", "kind": "LatencyMatrix",
 "nodes": ["a", "b", "c", "lonely"],
 "pairs": [
  {"from": "a", "to": "b", "minUs": 1, "p50Us": 2000, "p95Us": 3500, "p99Us": 4001, "maxUs": 5000,
   "meanUs": 2100, "mdevUs": 70, "jitterUs": 30, "lossPpm": 1000, "samples": 9, "method": "icmp",
   "measuredAt": "2026-01-02T03:04:05Z"},
  {"from": "b", "to": "a", "p95Us": null, "p50Us": null, "lossPpm": 1000000, "method": "icmp"},
  {"from": "a", "to": "c", "p50Us": 70, "p95Us": 80, "estimated": true, "upperUs": 99},
  {"from": "c", "to": "a", "p95Us": 7, "suspicious": true}]})";

RttReading read(const std::string& text, RttOptions options = {}) {
  options.keep_details = true;
  RttReading reading = read_rtt({{{"file", text}}}, options);
  REQUIRE_MESSAGE(reading.errors.empty(), reading.errors.front().what);
  return reading;
}

std::string written(const std::string& text, RttOutput output) {
  const RttReading reading = read(text);
  const WrittenRtt file = write_rtt(reading.matrix, reading.details, output);
  REQUIRE(file.errors.empty());
  return file.text;
}

bool has(const std::vector<Warning>& losses, std::string_view code, std::string_view part) {
  return std::any_of(losses.begin(), losses.end(), [&](const Warning& loss) {
    return loss.code == code && loss.message.find(part) != std::string::npos;
  });
}

void check_same(const RttReading& a, const RttReading& b) {
  REQUIRE(a.matrix.names() == b.matrix.names());
  const auto n = static_cast<std::uint32_t>(a.matrix.size());
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j)
      CHECK(a.matrix.at(NameIndex{i}, NameIndex{j}) == b.matrix.at(NameIndex{i}, NameIndex{j}));
}

TEST_CASE("write latency: JSON, YAML and an edge list keep everything") {
  const RttReading before = read(kEverything);
  for (const RttOutput output : {RttOutput::kJson, RttOutput::kYaml, RttOutput::kEdgeList}) {
    const RttReading after = read(written(kEverything, output));
    check_same(before, after);
    REQUIRE(after.details.pairs.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      PairStats mine = before.details.pairs[i], theirs = after.details.pairs[i];
      const std::string& method = before.details.methods[mine.method];
      const std::string& same = after.details.methods[theirs.method];
      CHECK((same == method || (method.empty() && same == "import")));
      mine.method = theirs.method = 0;
      CHECK(mine == theirs);
    }
  }
}

TEST_CASE("write latency: an edge list has the columns that somebody fills, and lonely names") {
  CHECK(written(kEverything, RttOutput::kEdgeList) ==
        "from,to,rtt_ms,min_ms,p50_ms,p95_ms,p99_ms,max_ms,mean_ms,mdev_ms,jitter_ms,loss_ppm,"
        "samples,method,measured_at,estimated,upper_ms,suspicious\n"
        "a,b,,0.001,2,3.5,4.001,5,2.1,0.07,0.03,1000,9,icmp,2026-01-02T03:04:05Z,,,\n"
        "a,c,,,0.07,0.08,,,,,,,,,,true,0.099,\n"
        "b,a,,,,,,,,,,1000000,,icmp,,,,\n"
        "c,a,,,,0.007,,,,,,,,,,,,true\n"
        "lonely,lonely,-,,,,,,,,,,,,,,,\n");
  CHECK(written("from,to,rtt_ms\na,b,1.5\n", RttOutput::kEdgeList) == "from,to,rtt_ms\na,b,1.5\n");
}

TEST_CASE(
    "write latency: a square table has empty cells where nobody measured, and says what it "
    "leaves out") {
  const RttReading reading = read(kEverything);
  const WrittenRtt csv = write_rtt(reading.matrix, reading.details, RttOutput::kSquareCsv);
  CHECK(csv.text == ",a,b,c,lonely\na,0,3.5,0.099,\nb,,0,,\nc,0.007,,0,\nlonely,,,,0\n");
  CHECK(has(csv.losses, "LostDetails", "4 pairs"));
  CHECK(has(csv.losses, "LostMarks", "1 estimate cannot"));
  CHECK(has(csv.losses, "LostMarks", "1 suspicious pair cannot"));
  check_same(read(csv.text), reading);
  const WrittenRtt bare = write_rtt(reading.matrix, {}, RttOutput::kSquareCsv);
  CHECK(bare.losses.empty());
}

TEST_CASE("write latency: a plain matrix has its names beside it and a dash for a gap") {
  const RttReading reading = read(",b,a\nb,0,1\na,2,0\n");
  const WrittenRtt plain = write_rtt(reading.matrix, reading.details, RttOutput::kPlain);
  CHECK(plain.text == "0 2\n1 0\n");
  CHECK(plain.names == "{\n  \"a\": 0,\n  \"b\": 1\n}\n");
  CHECK(plain.losses.empty());
  const RttReading gap = read(kEverything);
  const WrittenRtt dashes = write_rtt(gap.matrix, gap.details, RttOutput::kPlain);
  CHECK(dashes.text == "0 3.5 0.099 -\n- 0 - -\n0.007 - 0 -\n- - - 0\n");
  CHECK(has(dashes.losses, "MarkedPairs", "9 unmeasured pairs"));
  RttOptions options;
  options.names = read_rtt_names({"names.json", dashes.names}).names;
  check_same(read(dashes.text, options), gap);
}

TEST_CASE("write latency: names that a table cannot hold are refused, not bent") {
  RttMatrix matrix({"a,b", "c"});
  for (const RttOutput output : {RttOutput::kSquareCsv, RttOutput::kEdgeList}) {
    const WrittenRtt file = write_rtt(matrix, {}, output);
    REQUIRE(file.errors.size() == 1);
    CHECK(file.errors[0].what.find("cannot hold the name 'a,b'") != std::string::npos);
    CHECK(file.text.empty());
  }
  CHECK(write_rtt(matrix, {}, RttOutput::kJson).errors.empty());
  matrix = RttMatrix({"dst", "src"});
  const WrittenRtt taken = write_rtt(matrix, {}, RttOutput::kSquareCsv);
  REQUIRE(taken.errors.size() == 1);
  CHECK(taken.errors[0].what == "with these names, square CSV would be read as edge list");
  RttMatrix marked({"#a", "b"});
  marked.set(NameIndex{0}, NameIndex{1}, Rtt{1500});
  for (const RttOutput output : {RttOutput::kSquareCsv, RttOutput::kEdgeList}) {
    const RttReading back = read(write_rtt(marked, {}, output).text);
    CHECK(back.matrix.names() == marked.names());
    CHECK(back.matrix.at(NameIndex{0}, NameIndex{1}) == Rtt{1500});
  }
}

TEST_CASE("write latency: what is too old is written without times") {
  RttOptions options;
  options.max_age = Micros{60'000'000};
  options.now = 1'800'000'000;
  const RttReading reading = read(kEverything, options);
  const WrittenRtt edges = write_rtt(reading.matrix, reading.details, RttOutput::kEdgeList);
  CHECK(edges.text.find("\na,b,,,,0.07,0.03,1000,9,icmp,2026-01-02T03:04:05Z,") !=
        std::string::npos);
}

TEST_CASE("write latency: of two files, the one that measured a pair says what is known of it") {
  const std::string detailed = "from,to,p50_ms,samples\na,b,1,10\nb,a,2,10\nb,c,3,10\n";
  const std::string later = ",a,b\na,0,7\nb,,0\n";
  RttOptions options;
  options.keep_details = true;
  const RttReading reading = read_rtt({{{"1", detailed}}, {{"2", later}}}, options);
  REQUIRE(reading.errors.empty());
  REQUIRE(reading.details.pairs.size() == 2);
  CHECK(reading.details.pairs[0].p50 == Rtt{2000});
  CHECK(reading.details.pairs[1].p50 == Rtt{3000});
  CHECK(reading.matrix.at(NameIndex{0}, NameIndex{1}) == Rtt{7000});
}

// Two zones of two nodes each; one zone without a region.
std::vector<Node> nodes() {
  std::vector<Node> all;
  for (const auto& [name, zone, region] :
       {std::tuple{"a1", "za", "r1"}, {"a2", "za", "r1"}, {"b1", "zb", "r2"}, {"b2", "zb", ""}}) {
    Node node;
    node.name = name;
    node.labels.set("topology.kubernetes.io/zone", zone);
    if (*region != '\0') node.labels.set("topology.kubernetes.io/region", region);
    all.push_back(std::move(node));
  }
  return all;
}

TEST_CASE("write latency: a NetworkTopology has the largest pair, in whole milliseconds upwards") {
  const RttReading reading =
      read("from,to,rtt_us\na1,b1,1000\na1,b2,5001\nb1,a1,900\na1,a2,50\nb2,x,7\n");
  const std::vector<Node> all = nodes();
  const WrittenRtt topology =
      write_rtt(reading.matrix, reading.details, RttOutput::kNetworkTopology, {all, {}});
  REQUIRE(topology.errors.empty());
  CHECK(topology.text == R"(apiVersion: networktopology.diktyo.x-k8s.io/v1alpha1
kind: NetworkTopology
metadata:
  name: gedge-latency
  namespace: default
spec:
  weights:
    - name: UserDefined
      topologyList:
        - topologyKey: topology.kubernetes.io/region
          originList:
            - origin: r1
              costList:
                - destination: r2
                  networkCost: 1
            - origin: r2
              costList:
                - destination: r1
                  networkCost: 1
        - topologyKey: topology.kubernetes.io/zone
          originList:
            - origin: za
              costList:
                - destination: zb
                  networkCost: 6
            - origin: zb
              costList:
                - destination: za
                  networkCost: 6
  configmapName: ""
)");
  CHECK(has(topology.losses, "LostNodes", "region: 2 names of the matrix without this label"));
  CHECK(has(topology.losses, "LostNodes", "zone: 1 name of the matrix without this label"));
  CHECK(has(topology.losses, "LostPairs", "of 2 ordered pairs of places some nodes"));
  CHECK(has(topology.losses, "LostPairs", "2 RTTs inside one place"));
  CHECK(has(topology.losses, "RoundedCosts", "rounded up"));
  RttOptions options;
  options.cost_unit = TimeUnit::kMilli;
  const RttReading back = read(topology.text, options);
  CHECK(back.formats == std::vector{RttFormat::kNetworkTopology});
  CHECK(back.matrix.names() == std::vector<std::string>{"za", "zb"});
  CHECK(back.matrix.at(NameIndex{0}, NameIndex{1}) == Rtt{6000});
  REQUIRE(back.warnings.size() == 1);
  CHECK(back.warnings[0].code == "UnusedCosts");
  options.rtt_by = "topology.kubernetes.io/region";
  CHECK(read(topology.text, options).matrix.names() == std::vector<std::string>{"r1", "r2"});
  options.rtt_by = "rack";
  CHECK(read_rtt({{{"f", topology.text}}}, options).errors.size() == 1);
}

TEST_CASE("write latency: a NetworkTopology without places or without a unit is refused") {
  const RttReading reading = read("from,to,rtt_us\na,b,1000\n");
  const WrittenRtt topology = write_rtt(reading.matrix, {}, RttOutput::kNetworkTopology);
  REQUIRE(topology.errors.size() == 1);
  CHECK(topology.errors[0].hint.find("--cluster") != std::string::npos);
  const WrittenRtt zones = write_rtt(reading.matrix, {}, RttOutput::kNetworkTopology,
                                     {{}, "topology.kubernetes.io/zone"});
  REQUIRE(zones.errors.empty());
  const RttReading unitless = read_rtt({{{"f", zones.text}}}, {});
  REQUIRE(unitless.errors.size() == 1);
  CHECK(unitless.errors[0].hint == "give the unit of a cost: `--cost-unit ms`");
}

// Names on a line, some pairs measured; of the rest there are estimates.
CompletedMatrix completed_line(std::uint32_t n) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < n; ++i) names.push_back("n" + std::to_string(1'000 + i));
  RttMatrix matrix(names);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j)
      if (i != j && (i * i + 31 * j) % 8 == 0)
        matrix.set(NameIndex{i}, NameIndex{j}, Rtt{1'000 + 100 * (i < j ? j - i : i - j)});
  auto completed = complete(matrix, {}, {});
  REQUIRE(completed);
  return *std::move(completed);
}

TEST_CASE("write latency: a completed matrix is handed on in pieces that keep all marks") {
  const CompletedMatrix completed = completed_line(200);
  REQUIRE(completed.estimated > 3'000);
  const RttMatrix bounds = completed.estimates.for_budgets(completed.matrix);
  for (const RttOutput output : {RttOutput::kJson, RttOutput::kYaml, RttOutput::kEdgeList}) {
    std::string text;
    std::size_t pieces = 0, largest = 0;
    const WrittenRtt written = write_rtt(completed, output, [&](std::string_view piece) {
      text += piece;
      ++pieces;
      largest = std::max(largest, piece.size());
    });
    CHECK(written.errors.empty());
    CHECK(written.text.empty());
    if (output == RttOutput::kJson) {
      CHECK(pieces > 1);
      CHECK(largest < text.size() / 2 + (1 << 20) / 2);
    }
    const RttReading after = read(text);
    std::size_t marked = 0;
    for (const PairStats& pair : after.details.pairs) {
      const auto estimate = completed.estimate(pair.from, pair.to);
      CHECK(pair.estimated == estimate.has_value());
      if (!estimate) continue;
      ++marked;
      CHECK(pair.p50 == estimate->p50);
      CHECK(pair.upper == estimate->upper);
      CHECK(after.matrix.at(pair.from, pair.to) == bounds.at(pair.from, pair.to));
    }
    CHECK(marked == 2 * completed.estimated);
    // What is read is written in one piece as it was in many.
    CHECK((output == RttOutput::kYaml ||
           write_rtt(after.matrix, after.details, output).text == text));
  }
}

TEST_CASE("write latency: nothing is handed on of a completed matrix that no reader would take") {
  std::vector<std::string> names{"a,b"};
  for (std::uint32_t i = 1; i < 40; ++i) names.push_back("n" + std::to_string(100 + i));
  RttMatrix matrix(names);
  for (std::uint32_t i = 0; i < 40; ++i)
    for (std::uint32_t j = 0; j < i; j += 2) matrix.set(NameIndex{i}, NameIndex{j}, Rtt{900 + i});
  const auto completed = complete(matrix, {}, {});
  REQUIRE(completed);
  std::size_t pieces = 0;
  const auto count = [&](std::string_view) { ++pieces; };
  CHECK(write_rtt(*completed, RttOutput::kEdgeList, count).errors.size() == 1);
  CHECK(write_rtt(*completed, RttOutput::kSquareCsv, count).errors.size() == 1);
  CHECK(pieces == 0);
}

}  // namespace
}  // namespace gedge
