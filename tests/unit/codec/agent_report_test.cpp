#include "gedge/codec/agent_report.hpp"

#include <doctest/doctest.h>

#include <string>

#include "gedge/codec/agent_replies.hpp"

namespace gedge {
namespace {

std::string matrix(const std::string& nodes, const std::string& pairs) {
  return R"({"apiVersion":"gedge.io/v1alpha1","kind":"LatencyMatrix","nodes":[)" + nodes +
         R"(],"pairs":[)" + pairs + "]}";
}

Result<AgentSaid> read(const std::string& bytes, const std::string& expected = {}) {
  return read_agent_report({"http://10.0.0.1/matrix.json", bytes}, expected);
}

TEST_CASE("agent report: what an agent replies is read back, answers and losses") {
  AgentFacts facts;
  facts.node = "a";
  facts.method = "icmp";
  for (const char* name : {"b", "silent"}) {
    TargetReport report;
    report.target = {AgentTargetKind::kNode, name, {}};
    report.asked = true;
    RttSamples samples;
    if (report.target.name == "b")
      samples.add(Micros{1'500});
    else
      samples.add_lost();
    report.rtt = samples.summary();
    facts.targets.push_back(report);
  }
  const HttpReply reply = agent_reply({"GET", "/matrix.json", "localhost", "", ""}, facts);
  const auto said = read(reply.body);
  REQUIRE(said);
  CHECK(said->node == "a");
  REQUIRE(said->peers.size() == 2);
  CHECK(said->peers[0].peer == "b");
  CHECK(said->peers[0].rtt == Rtt{1'500});
  CHECK(said->peers[0].stats.samples == 1);
  CHECK(said->peers[0].method == "icmp");
  CHECK(said->peers[1].peer == "silent");
  CHECK(said->peers[1].rtt == kUnmeasured);
  CHECK(said->peers[1].stats.loss_ppm == 1'000'000);
}

TEST_CASE("agent report: the 95th percentile counts, and a time of 0 is none") {
  const auto said =
      read(matrix(R"("a","b","c")", R"({"from":"a","to":"b","p50Us":10,"p95Us":90,"maxUs":100},)"
                                    R"({"from":"a","to":"c","p95Us":0})"));
  REQUIRE(said);
  CHECK(said->peers[0].rtt == Rtt{90});
  CHECK(said->peers[1].rtt == kUnmeasured);
}

TEST_CASE("agent report: only what it says about itself counts") {
  const std::string both = matrix(R"("a","b","c")", R"({"from":"a","to":"b","p95Us":90},)"
                                                    R"({"from":"c","to":"b","p95Us":1},)"
                                                    R"({"from":"a","to":"a","p95Us":5})");
  const auto said = read(both, "a");
  REQUIRE(said);
  REQUIRE(said->peers.size() == 1);
  CHECK(said->peers[0].peer == "b");
  const auto unnamed = read(both);
  REQUIRE_FALSE(unnamed);
  CHECK(unnamed.error().what ==
        "it speaks for 2 nodes, and an agent is believed about itself only");
  CHECK_FALSE(read(both, "b"));
}

TEST_CASE("agent report: without pairs nobody says who it is") {
  const auto said = read(matrix(R"("a","b")", ""));
  REQUIRE(said);
  CHECK(said->node.empty());
  CHECK(said->peers.empty());
}

TEST_CASE("agent report: whatever else comes is named, escaped and refused") {
  struct Case {
    std::string bytes, said;
  };
  const Case cases[] = {
      {"", "no JSON, it begins with ''"},
      {"<html>\x1b[31m not found", "no JSON, it begins with '<html>\\x1b[31m not found'"},
      {"PING b: 56 data bytes\n64 bytes from b: time=1 ms\n", "no JSON"},
      {"{", "malformed"},
      {R"({"kind":"LatencyMatrix","nodes":["a"],"pairs":[{"from":"a","to":"z","p95Us":1}]})",
       "malformed"},
      {matrix(R"("a","b")", R"({"from":"a","to":"b","p95Us":-1})"), "malformed"},
      {matrix(R"("a","b")", R"({"from":"a","to":"b","p95Us":4294967295})"), "malformed"},
      {R"({"responses":{}})", "no LatencyMatrix"},
      {R"({"kind":"Plan"})", "no LatencyMatrix"},
      {"[]", "no LatencyMatrix"},
      {std::string("{\"kind\":\"LatencyMatrix\",\"x\":\"\xff\"}"), "malformed"},
  };
  for (const Case& wrong : cases) {
    const auto said = read(wrong.bytes);
    CAPTURE(wrong.bytes);
    REQUIRE_FALSE(said);
    CHECK(said.error().code == Errc::kInvalidInput);
    CAPTURE(said.error().what);
    CHECK(said.error().what.find(wrong.said) != std::string::npos);
  }
}

}  // namespace
}  // namespace gedge
