// Latency that comes as JSON or YAML objects, and logs of ping.
#include <doctest/doctest.h>

#include <string>

#include "gedge/codec/latency.hpp"

namespace gedge {
namespace {

RttReading read(const std::string& text, const RttOptions& options = {},
                const std::string& name = "m.json") {
  return read_rtt({{{name, text}}}, options);
}

std::int64_t us(const RttReading& reading, std::string_view from, std::string_view to) {
  REQUIRE_MESSAGE(reading.errors.empty(), reading.errors.front().what);
  const auto a = reading.matrix.find(from), b = reading.matrix.find(to);
  REQUIRE(a);
  REQUIRE(b);
  const Rtt rtt = reading.matrix.at(*a, *b);
  return rtt == kUnmeasured ? -1 : std::int64_t{rtt.us};
}

std::string error(const RttReading& reading) {
  REQUIRE(reading.errors.size() == 1);
  const Error& e = reading.errors[0];
  return std::to_string(e.where.line) + ":" + std::to_string(e.where.column) + " " + e.what;
}

constexpr const char* kMatrix = R"({"apiVersion": "gedge.io/v1alpha1", "kind": "LatencyMatrix",
 "nodes": ["a", "b", "c"],
 "pairs": [
  {"from": "a", "to": "b", "minUs": 1, "p50Us": 2, "p95Us": 3, "p99Us": 4, "maxUs": 5, "meanUs": 2,
   "lossPpm": 0, "samples": 9},
  {"from": "b", "to": "a", "p95Us": null, "p50Us": null, "lossPpm": 1000000},
  {"from": "a", "to": "c", "p50Us": 70, "p95Us": 80, "estimated": true, "upperUs": 99},
  {"from": "c", "to": "a", "p95Us": 7, "estimated": false, "upperUs": 99,
   "measuredAt": "2026-01-02T03:04:05Z"}]})";

TEST_CASE("rtt object: a LatencyMatrix gives p95, and for estimates the upper bound") {
  const auto r = read(kMatrix);
  CHECK(r.formats == std::vector{RttFormat::kLatencyMatrix});
  CHECK(us(r, "a", "b") == 3);
  CHECK(us(r, "b", "a") == -1);
  CHECK(us(r, "a", "c") == 99);
  CHECK(us(r, "c", "a") == 7);
  RttOptions options;
  options.stat = RttStat::kMax;
  CHECK(us(read(kMatrix, options), "a", "b") == 5);
  CHECK(us(read(kMatrix, options), "a", "c") == 99);
}

TEST_CASE("rtt object: samples age only where both an age and a time are given") {
  RttOptions options;
  options.max_age = Micros{std::chrono::hours{1}};
  CHECK(us(read(kMatrix, options), "c", "a") == 7);
  options.now = 1767323045 + 3600;  // 2026-01-02T04:04:05Z
  CHECK(us(read(kMatrix, options), "c", "a") == 7);
  options.now = *options.now + 1;
  CHECK(us(read(kMatrix, options), "c", "a") == -1);
  CHECK(us(read(kMatrix, options), "a", "b") == 3);  // carries no time
}

TEST_CASE("rtt object: a time that is more than a minute ahead says nothing of the age") {
  RttOptions options;
  options.max_age = Micros{std::chrono::hours{1}};
  options.now = 1767323045 - 60;
  CHECK(us(read(kMatrix, options), "c", "a") == 7);
  options.now = *options.now - 1;
  CHECK(us(read(kMatrix, options), "c", "a") == -1);
}

TEST_CASE("rtt object: samples without a time count, which is said where ages were asked for") {
  const auto said = [](const std::string& bytes, bool asked = true) {
    RttOptions options;
    if (asked) options.max_age = Micros{1};
    options.now = 1767323045;
    std::string text;
    for (const Warning& warning : read(bytes, options).warnings)
      if (warning.code == "UndatedRtt") text += warning.message + ';';
    return text;
  };
  const std::string both = "2 pairs do not say when they were measured, and count;";
  const std::string one = "1 pair does not say when it was measured, and counts;";
  CHECK(said(kMatrix) == both);
  CHECK(said(kMatrix, false).empty());
  CHECK(said(",a,b,c\na,0,1,\nb,2,0,0\nc,,,0\n") == both);  // a table has no times; 0 is none
  CHECK(said("from,to,rtt_ms\na,b,1\nb,a,2\na,a,1\nb,c,\nc,b,0\n") == both);
  CHECK(said("from,to,rtt_ms,measured_at\na,b,1,\nb,a,2,2026-01-02T03:04:05Z\n") == one);
  CHECK(said("from,to,rtt_ms,measured_at\na,b,1,2020-01-02T03:04:05Z\n").empty());  // too old
  CHECK(said("64 bytes from b (10.0.0.2): icmp_seq=1 ttl=64 time=1.5 ms\n") == one);
  CHECK(said("kind: ConfigMap\ndata:\n  matrix.json: '" +
             std::string(R"({"kind": "LatencyMatrix", "nodes": ["a", "b"],)") +
             R"("pairs": [{"from": "a", "to": "b", "p95Us": 1}]}')") == one);
}

TEST_CASE("rtt object: a time that is none is an error, in a CSV it is older than any age") {
  CHECK(error(read(R"({"kind": "LatencyMatrix", "nodes": ["a", "b"], "pairs":
[{"from": "a", "to": "b", "p95Us": 1, "measuredAt": "noon"}]})")) == "2:53 'noon' is no time");
  const std::string csv = "from,to,rtt_ms,measured_at\na,b,1,noon\nb,a,2,\n";
  RttOptions options;
  CHECK(us(read(csv, options), "a", "b") == 1000);
  options.max_age = Micros{1};
  options.now = 0;
  CHECK(us(read(csv, options), "a", "b") == -1);
  CHECK(us(read(csv, options), "b", "a") == 2000);
}

TEST_CASE("rtt object: a LatencyMatrix in YAML reads the same") {
  const auto r = read(
      "apiVersion: gedge.io/v1alpha1\nkind: LatencyMatrix\nnodes: [a, b]\npairs:\n- from: a\n  to: "
      "b\n  p95Us: 12\n",
      {}, "m.yaml");
  CHECK(us(r, "a", "b") == 12);
}

TEST_CASE("rtt object: broken matrices are refused with the place") {
  const std::string head = "{\"kind\": \"LatencyMatrix\", \"nodes\": [\"a\", \"b\"],\n\"pairs\": [";
  CHECK(error(read(head + R"({"from": "a", "to": "b", "p95Us": -1}]})")).substr(0, 2) == "2:");
  CHECK(error(read(head + R"({"from": "a", "to": "b", "p95Us": 1.5}]})")).find("p95Us") !=
        std::string::npos);
  CHECK(error(read(head + R"({"from": "a", "to": "b", "p95Us": 4294967295}]})")).find("p95Us") !=
        std::string::npos);
  CHECK(error(read(head + R"({"from": "a", "p95Us": 1}]})")).find("needs from and to") !=
        std::string::npos);
  CHECK(error(read(head + R"({"from": "a", "to": "", "p95Us": 1}]})")).find("empty") !=
        std::string::npos);
  CHECK(error(read(head + R"({"from": "a", "to": "x", "p95Us": 1}]})"))
            .find("'x', which is not in nodes") != std::string::npos);
  CHECK(error(read(R"({"apiVersion": "gedge.io/v2", "kind": "LatencyMatrix", "nodes": []})")) ==
        "1:16 version 'gedge.io/v2' is not known");
  CHECK(error(read(R"({"kind": "LatencyMatrix", "nodes": ["a"], "pairs": {}})"))
            .find("'pairs' must be a list") != std::string::npos);
  CHECK_FALSE(read(head + R"({"from": "a", "to": "b", "p95Us": NaN}]})").errors.empty());
  CHECK_FALSE(read(head).errors.empty());
}

TEST_CASE("rtt object: NodeLatency objects and the ConfigMap are read as the cluster holds them") {
  const std::string one =
      R"({"apiVersion": "gedge.io/v1alpha1", "kind": "NodeLatency", "metadata": {"name": "a"},
    "spec": {"peers": [{"to": "b", "p95Us": 10}, {"to": "c", "p50Us": 20}]}})";
  const std::string two =
      "apiVersion: gedge.io/v1alpha1\nkind: NodeLatency\nmetadata:\n  name: b\nspec:\n  peers:\n  "
      "- {to: a, p95Us: 30}\n";
  auto r = read_node_latency({{"x", one}, {"y", two}}, {});
  CHECK(us(r, "a", "b") == 10);
  CHECK(us(r, "a", "c") == 20);
  CHECK(us(r, "b", "a") == 30);
  CHECK(r.formats == std::vector{RttFormat::kNodeLatency, RttFormat::kNodeLatency});
  r = read("{\"kind\": \"NodeLatencyList\", \"items\": [" + one + "]}");
  CHECK(us(r, "a", "c") == 20);
  r = read_node_latency(
      {{"cm",
        "kind: ConfigMap\nmetadata: {name: gedge-latency}\ndata:\n  matrix.json: |\n"
        "    {\"kind\": \"LatencyMatrix\", \"nodes\": [\"a\", \"b\"], \"pairs\": [{\"from\": "
        "\"a\", \"to\": \"b\", \"p95Us\": 5}]}\n"}},
      {});
  CHECK(us(r, "a", "b") == 5);
  CHECK_FALSE(read("kind: ConfigMap\ndata:\n  matrix.json: |\n    {\"a\": 1}\n").errors.empty());
  CHECK_FALSE(read("{\"kind\": \"NodeLatency\", \"spec\": {\"peers\": []}}").errors.empty());
}

constexpr const char* kGoldpinger = R"({"hosts": [{"hostIP": "10.0.0.1", "podName": "g-a"}],
 "responses": {
  "g-a": {"OK": true, "HostIP": "10.0.0.1", "response": {"podResults": {
    "g-a": {"OK": true, "HostIP": "10.0.0.1"},
    "g-b": {"OK": true, "HostIP": "10.0.0.2", "response-time-ms": 3,
            "PingTime": "2023-12-06T18:06:20.161Z"},
    "g-c": {"OK": true, "HostIP": "10.0.0.3"}}}},
  "g-b": {"OK": true, "HostIP": "10.0.0.2", "response": {"podResults": {
    "g-a": {"OK": true, "HostIP": "10.0.0.1", "response-time-ms": 7},
    "g-c": {"OK": false, "HostIP": "10.0.0.3", "error": "timeout"}}}},
  "g-c": {"OK": false, "error": "refused"}}})";

TEST_CASE("rtt object: Goldpinger keeps both directions, and what failed is unmeasured") {
  std::vector<Node> nodes(3);
  for (std::size_t i = 0; i < 3; ++i) {
    nodes[i].name = std::string(1, static_cast<char>('a' + i));
    nodes[i].addresses = {"10.0.0." + std::to_string(i + 1)};
  }
  RttOptions options;
  options.nodes = nodes;
  options.unit = TimeUnit::kSecond;  // Goldpinger says itself that it means milliseconds
  auto r = read(kGoldpinger, options);
  CHECK(r.formats == std::vector{RttFormat::kGoldpinger});
  CHECK(us(r, "a", "b") == 3000);
  CHECK(us(r, "b", "a") == 7000);
  CHECK(r.matrix.between(NameIndex{0}, NameIndex{1}) == Rtt{7000});
  CHECK(us(r, "b", "c") == -1);
  CHECK(us(r, "a", "c") == -1);
  REQUIRE(r.warnings.size() == 2);
  CHECK(r.warnings[0].code == "SilentPod");
  CHECK(r.warnings[0].message == "pod 'g-c' gave no results: 'refused'");
  CHECK(r.warnings[1].code == "ZeroRtt");
  CHECK(r.warnings[1].message.find("Goldpinger leaves out times below 1 ms: 1 pair") == 0);
  options.zero_is_value = true;
  r = read(kGoldpinger, options);
  CHECK(us(r, "a", "c") == 0);
  CHECK(us(r, "b", "c") == -1);
  options.max_age = Micros{1};
  options.now = 1800000000;
  CHECK(us(read(kGoldpinger, options), "a", "b") == -1);
  CHECK(us(read(kGoldpinger), "10.0.0.1", "10.0.0.2") == 3000);  // no nodes known
}

TEST_CASE("rtt object: hosts that Goldpinger knows and nobody reached are names without RTT") {
  const auto r = read(R"({"hosts": [{"hostIP": "10.0.0.1", "podName": "a"},
                                    {"hostIP": "10.0.0.9", "podName": "z"}],
    "responses": {"a": {"OK": true, "response": {"podResults": {}}}}})");
  CHECK(r.errors.empty());
  CHECK(r.matrix.names() == std::vector<std::string>{"10.0.0.1", "10.0.0.9"});
}

std::string one_result(const std::string& result) {
  return R"({"responses": {"a": {"OK": true, "response": {"podResults": {"b": )" + result + "}}}}}";
}

TEST_CASE("rtt object: Goldpinger texts with wrong types are refused") {
  CHECK_FALSE(read(R"({"responses": []})").errors.empty());
  CHECK_FALSE(read(one_result(R"({"OK": true, "response-time-ms": -3})")).errors.empty());
  CHECK_FALSE(read(one_result(R"({"OK": true, "response-time-ms": "3"})")).errors.empty());
}

TEST_CASE("rtt object: a host of Goldpinger without a name, or with a huge one, is refused") {
  for (const std::string& name : {std::string(), std::string(254, 'a')}) {
    const auto r = read(R"({"hosts": [{"podName": ")" + name + R"("}], "responses": {}})");
    REQUIRE(r.errors.size() == 1);
    CHECK(r.errors[0].what == "a name is empty or longer than 253 bytes");
    CHECK(r.errors[0].where.column == 12);
    CHECK_FALSE(read(R"({"responses": {")" + name +
                     R"(": {"OK": true, "response": {"podResults": {"b": {"OK": true}}}}}})")
                    .errors.empty());
  }
}

constexpr const char* kPing = R"(PING node-b (10.0.0.2) 56(84) bytes of data.
64 bytes from node-b (10.0.0.2): icmp_seq=1 ttl=64 time=1.25 ms
64 bytes from node-b (10.0.0.2): icmp_seq=2 ttl=64 time=9 ms
64 bytes from node-b (10.0.0.2): icmp_seq=2 ttl=64 time=900 ms (DUP!)
From 10.0.0.9 icmp_seq=3 Destination Host Unreachable
64 bytes from node-b (10.0.0.2): icmp_seq=4 ttl=64 time=2.0001 ms

--- node-b ping statistics ---
4 packets transmitted, 3 received, 25% packet loss, time 3004ms
rtt min/avg/max/mdev = 1.250/4.083/9.000/3.000 ms
)";

TEST_CASE("ping log: percentiles of the replies, duplicates left out") {
  const auto r = read(kPing, {}, "logs/node-a.log");
  CHECK(r.formats == std::vector{RttFormat::kPing});
  CHECK(us(r, "node-a", "node-b") == 9000);
  CHECK(us(r, "node-b", "node-a") == -1);
  CHECK(r.warnings.empty());
  RttOptions options;
  options.stat = RttStat::kP50;
  CHECK(us(read(kPing, options, "ping-node-a.txt"), "node-a", "node-b") == 2001);
  options.ping_source = "me";
  CHECK(us(read(kPing, options, "x.txt"), "me", "node-b") == 2001);
  std::vector<Node> nodes(2);
  nodes[0].name = "worker";
  nodes[0].addresses = {"10.0.0.2"};
  nodes[1].name = "node-a";
  RttOptions known;
  known.nodes = nodes;
  CHECK(us(read(kPing, known, "node-a.log"), "node-a", "worker") == 9000);
}

TEST_CASE("ping log: what is known of the pair, computed as of our own probes") {
  RttOptions options;
  options.keep_details = true;
  const auto r = read(kPing, options, "node-a.log");
  REQUIRE(r.details.pairs.size() == 1);
  const PairStats& pair = r.details.pairs[0];
  CHECK(pair.min == Rtt{1'250});
  CHECK(pair.p50 == Rtt{2'001});
  CHECK(pair.max == Rtt{9'000});
  CHECK(pair.mean == Rtt{4'083});
  CHECK(pair.mdev == Rtt{3'000});
  // srtt 1250, 2218.75; off it by 7750, 217.75; so rttvar 7750, 5866.9.
  CHECK(pair.jitter == Rtt{5'867});
  CHECK(pair.loss_ppm == 250'000);
  CHECK(pair.samples == 3);
  const auto lone = read(
      "PING b (1.1.1.1) 56(84) bytes of data.\n64 bytes from b: icmp_seq=1 ttl=64 time=1.5 ms\n\n"
      "--- b ping statistics ---\n3 packets transmitted, 1 received, 66% packet loss\n",
      options, "a");
  REQUIRE(lone.details.pairs.size() == 1);
  CHECK(lone.details.pairs[0].jitter == kUnmeasured);
  CHECK(lone.details.pairs[0].loss_ppm == 666'667);
}

TEST_CASE("ping log: other dialects, several targets, all lost, cut and quiet logs") {
  const auto busybox = read(
      "PING 10.0.0.7 (10.0.0.7): 56 data bytes\n64 bytes from 10.0.0.7: seq=0 ttl=64 time=0.095 "
      "ms\n\n"
      "--- 10.0.0.7 ping statistics ---\n1 packets transmitted, 1 packets received, 0% packet "
      "loss\n"
      "round-trip min/avg/max = 0.095/0.095/0.095 ms\n",
      {}, "a");
  CHECK(us(busybox, "a", "10.0.0.7") == 95);
  const auto six = read(
      "PING ::1(::1) 56 data bytes\n64 bytes from ::1: icmp_seq=1 ttl=64 time=0.1 ms\n", {}, "a");
  CHECK(us(six, "a", "::1") == 100);
  const auto two = read(
      "PING b (1.1.1.1) 56 data bytes\n64 bytes from b: seq=0 ttl=64 time=1 ms\n"
      "PING c (1.1.1.2) 56 data bytes\n64 bytes from c: seq=0 ttl=64 time=2 ms\n2 packets "
      "transmitted\n",
      {}, "a");
  CHECK(us(two, "a", "b") == 1000);
  CHECK(us(two, "a", "c") == 2000);
  const auto lost = read(
      "PING b (1.1.1.1) 56(84) bytes of data.\n\n--- b ping statistics ---\n5 packets transmitted, "
      "0 received, 100% packet loss\n",
      {}, "a");
  CHECK(us(lost, "a", "b") == -1);
  CHECK(lost.warnings.empty());
  const auto cut = read(
      "PING b (1.1.1.1) 56(84) bytes of data.\n64 bytes from b: icmp_seq=1 ttl=64 time=1.5 ms\n64 "
      "bytes from b: icmp_seq=2 ttl=64 time=2",
      {}, "a");
  CHECK(us(cut, "a", "b") == 1500);
  REQUIRE(cut.warnings.size() == 1);
  CHECK(cut.warnings[0].code == "CutPingLog");
  const auto quiet = read(
      "PING b (1.1.1.1) 56(84) bytes of data.\n\n--- b ping statistics ---\n5 packets transmitted, "
      "5 received, 0% packet loss\n"
      "rtt min/avg/max/mdev = 1.000/2.000/3.000/0.500 ms\n",
      {}, "a");
  CHECK(us(quiet, "a", "b") == 2000);
  CHECK(error(read("PING b (1.1.1.1) 56\n64 bytes from b: icmp_seq=1 ttl=64 time=-1 ms\n", {},
                   "a")) == "2:41 the time of a reply is negative: '-1'");
}

}  // namespace
}  // namespace gedge
