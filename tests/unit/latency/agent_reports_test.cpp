#include "gedge/latency/agent_reports.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace gedge {
namespace {

using Peers = std::vector<std::pair<std::string, std::uint32_t>>;

PeerReport report(const std::string& peer, std::uint32_t us) {
  PeerReport report{peer, Rtt{us}, {}, "icmp"};
  report.stats.p95 = Rtt{us};
  report.stats.samples = 3;
  return report;
}

AskedAgent answers(const std::string& expected, const std::string& address, const std::string& node,
                   const Peers& peers) {
  AskedAgent agent{"http://" + address, expected, address, AgentSaid{node, {}}, {}};
  for (const auto& [peer, us] : peers) agent.said->peers.push_back(report(peer, us));
  return agent;
}

AskedAgent silent(const std::string& expected, const std::string& address) {
  return {"http://" + address, expected, address, {}, {Errc::kTimeout, "no answer", {}, "wait"}};
}

AgentMatrix merge(const std::vector<AskedAgent>& asked, const OtherNames& others = {}) {
  return merge_agents(asked, others, 0);
}

Rtt rtt(const AgentMatrix& merged, const std::string& from, const std::string& to) {
  return merged.matrix.at(*merged.matrix.find(from), *merged.matrix.find(to));
}

const AgentVerdict& verdict(const AgentMatrix& merged, const std::string& source) {
  for (const AgentVerdict& verdict : merged.agents)
    if (verdict.source == "http://" + source) return verdict;
  FAIL("no verdict about " << source);
  return merged.agents.front();
}

/// Ten agents on a line, 1 ms a step; `liar` says 0.1 ms of everybody.
std::vector<AskedAgent> line(int liar) {
  std::vector<AskedAgent> asked;
  for (int i = 0; i < 10; ++i) {
    Peers peers;
    for (int j = 0; j < 10; ++j)
      if (i != j)
        peers.emplace_back("n" + std::to_string(j),
                           i == liar ? 100U : static_cast<std::uint32_t>(1'000 * std::abs(i - j)));
    const std::string name = "n" + std::to_string(i);
    asked.push_back(answers("", "10.0.0." + std::to_string(i), name, peers));
  }
  return asked;
}

TEST_CASE("agents: both directions are kept as they were reported, with all that was said") {
  const AgentMatrix merged = merge({answers("a", "1", "a", {{"b", 2'000}}),
                                    answers("b", "2", "b", {{"a", 2'100}, {"c", 5'000}})});
  CHECK(merged.matrix.names() == std::vector<std::string>{"a", "b", "c"});
  CHECK(rtt(merged, "a", "b") == Rtt{2'000});
  CHECK(rtt(merged, "b", "a") == Rtt{2'100});
  CHECK(rtt(merged, "b", "c") == Rtt{5'000});
  CHECK(rtt(merged, "c", "b") == kUnmeasured);
  REQUIRE(merged.details.pairs.size() == 3);
  CHECK(merged.details.find(NameIndex{1}, NameIndex{2})->samples == 3);
  CHECK(merged.details.methods[merged.details.pairs[0].method] == "icmp");
  CHECK(merged.pairs.known == 2);  // c is no agent: nobody asks it for its own direction
  CHECK(merged.pairs.one_way == 0);
  CHECK(merged.pairs.unknown == 1);
  for (const AgentVerdict& agent : merged.agents) CHECK(agent.state == AgentState::kBelieved);
}

TEST_CASE("agents: one that says nothing is a row of unmeasured pairs, and why is kept") {
  const AgentMatrix merged =
      merge({answers("a", "1", "a", {{"b", 2'000}}), silent("b", "2"), silent("", "10.0.0.3")});
  CHECK(merged.matrix.names() == std::vector<std::string>{"10.0.0.3", "a", "b"});
  CHECK(rtt(merged, "b", "a") == kUnmeasured);
  CHECK(rtt(merged, "a", "b") == Rtt{2'000});
  CHECK(verdict(merged, "2").state == AgentState::kSilent);
  CHECK(verdict(merged, "2").why == "no answer");
  CHECK(verdict(merged, "2").hint == "wait");
  CHECK(merged.pairs.one_way == 1);
  CHECK(merged.pairs.unknown == 2);
}

TEST_CASE("agents: addresses become names, of agents first and then of nodes") {
  const AgentMatrix merged =
      merge({answers("", "10.0.0.1", "a", {{"10.0.0.2", 2'000}, {"10.0.0.9", 9'000}}),
             answers("", "10.0.0.2", "b", {{"10.0.0.1", 2'000}})},
            {{"10.0.0.9", "far"}, {"10.0.0.2", "other"}});
  CHECK(merged.matrix.names() == std::vector<std::string>{"a", "b", "far"});
  CHECK(rtt(merged, "a", "b") == Rtt{2'000});
  CHECK(rtt(merged, "b", "a") == Rtt{2'000});
  CHECK(rtt(merged, "a", "far") == Rtt{9'000});
}

TEST_CASE("agents: an address that two of them share is nobody's") {
  const AgentMatrix merged = merge({answers("", "127.0.0.1", "a", {{"127.0.0.1", 50}, {"b", 60}}),
                                    answers("", "127.0.0.1", "b", {{"a", 60}})});
  CHECK(merged.matrix.names() == std::vector<std::string>{"127.0.0.1", "a", "b"});
  CHECK(rtt(merged, "a", "127.0.0.1") == Rtt{50});
  CHECK(rtt(merged, "a", "b") == Rtt{60});
}

TEST_CASE("agents: the list says what an agent is called, whatever it calls itself") {
  const AgentMatrix merged = merge({answers("edge-1", "1", "pod-x", {{"edge-2", 700}}),
                                    answers("edge-2", "2", "edge-2", {{"pod-x", 800}})});
  CHECK(merged.matrix.names() == std::vector<std::string>{"edge-1", "edge-2"});
  CHECK(rtt(merged, "edge-1", "edge-2") == Rtt{700});
  CHECK(rtt(merged, "edge-2", "edge-1") == Rtt{800});
}

TEST_CASE("agents: the name of a silent one is not for others to take") {
  const Peers peers{{"x", 2'000}};
  const std::vector<AskedAgent> asked{silent("a", "10.0.0.1"), silent("", "10.0.0.2"),
                                      answers("", "10.0.0.8", "a", peers),
                                      answers("", "10.0.0.9", "b", peers)};
  const AgentMatrix listed = merge(asked);
  CHECK(verdict(listed, "10.0.0.8").state == AgentState::kRefused);
  CHECK(verdict(listed, "10.0.0.8").why == "it calls itself 'a', which is another agent's name");
  CHECK(verdict(listed, "10.0.0.8").name == "10.0.0.8");
  CHECK(verdict(listed, "10.0.0.1").name == "a");
  CHECK(rtt(listed, "b", "x") == Rtt{2'000});  // nobody knows better
  CHECK(rtt(listed, "a", "x") == kUnmeasured);

  // As soon as somebody knows which node has which address.
  const OtherNames nodes{std::pair<const std::string, std::string>("10.0.0.2", "b")};
  const AgentMatrix known = merge(asked, nodes);
  CHECK(verdict(known, "10.0.0.9").state == AgentState::kRefused);
  CHECK(verdict(known, "10.0.0.9").why == "it calls itself 'b', which is another agent's name");
  CHECK(verdict(known, "10.0.0.2").name == "b");
  CHECK(known.matrix.names() == std::vector<std::string>{"10.0.0.8", "10.0.0.9", "a", "b"});
}

TEST_CASE("agents: at the address of one node, nobody is another node") {
  const Peers peers{{"x", 2'000}};
  const OtherNames nodes{{"10.0.0.1", "a"}, {"10.0.0.2", "b"}, {"fd00::2", "b"}};
  // A pod that is gone from DNS is not even silent.
  const AgentMatrix merged =
      merge({answers("", "10.0.0.1", "b", peers), answers("", "10.0.0.7", "pod", peers)}, nodes);
  CHECK(verdict(merged, "10.0.0.1").state == AgentState::kRefused);
  CHECK(verdict(merged, "10.0.0.1").why == "it calls itself 'b', and its address is that of 'a'");
  CHECK(verdict(merged, "10.0.0.1").name == "a");
  CHECK(verdict(merged, "10.0.0.7").state == AgentState::kBelieved);

  // Its host name is no other node's name; and both addresses of a node are its own.
  const AgentMatrix honest =
      merge({answers("", "10.0.0.1", "a.example", peers), answers("", "10.0.0.2", "b", peers),
             answers("", "fd00::2", "b", peers)},
            nodes);
  for (const AgentVerdict& verdict : honest.agents) CHECK(verdict.state == AgentState::kBelieved);
}

TEST_CASE("agents: one that gives itself out for another is refused") {
  const AgentMatrix merged =
      merge({answers("a", "1", "b", {{"c", 1}}), answers("b", "2", "b", {{"c", 900}}),
             answers("", "3", "b", {{"c", 2}})});
  CHECK(verdict(merged, "1").state == AgentState::kRefused);
  CHECK(verdict(merged, "1").why == "it calls itself 'b', which is another agent's name");
  CHECK(verdict(merged, "2").state == AgentState::kBelieved);
  CHECK(verdict(merged, "3").state == AgentState::kRefused);
  CHECK(rtt(merged, "b", "c") == Rtt{900});
  CHECK(rtt(merged, "a", "c") == kUnmeasured);
}

TEST_CASE("agents: of two with one name neither is believed, but for two families of one") {
  const AgentMatrix two = merge(
      {answers("", "10.0.0.1", "a", {{"b", 1'000}}), answers("", "10.0.0.2", "a", {{"b", 10}})});
  CHECK(verdict(two, "10.0.0.1").state == AgentState::kRefused);
  CHECK(verdict(two, "10.0.0.2").state == AgentState::kRefused);
  CHECK(two.matrix.names() == std::vector<std::string>{"a"});

  const AgentMatrix one = merge({answers("", "10.0.0.1", "a", {{"fd00::2", 1'000}}),
                                 answers("", "fd00::1", "a", {{"fd00::2", 1'000}}),
                                 answers("", "fd00::2", "b", {{"10.0.0.1", 1'100}})});
  CHECK(one.matrix.names() == std::vector<std::string>{"a", "b"});
  CHECK(rtt(one, "a", "b") == Rtt{1'000});
  CHECK(rtt(one, "b", "a") == Rtt{1'100});
  CHECK(verdict(one, "fd00::1").state == AgentState::kBelieved);
}

TEST_CASE("agents: who has measured nothing yet is said to") {
  const AgentMatrix merged =
      merge({answers("a", "1", "", {}), answers("b", "2", "b", {{"a", 1'000}})});
  CHECK(verdict(merged, "1").state == AgentState::kEmpty);
  CHECK(rtt(merged, "b", "a") == Rtt{1'000});
}

TEST_CASE(
    "agents: a probed pair without any answer is unmeasured, and that it was probed is kept") {
  AskedAgent agent = answers("a", "1", "a", {{"b", 0}});
  agent.said->peers[0].rtt = kUnmeasured;
  agent.said->peers[0].stats.p95 = kUnmeasured;
  agent.said->peers[0].stats.loss_ppm = 1'000'000;
  const AgentMatrix merged = merge({agent});
  CHECK(rtt(merged, "a", "b") == kUnmeasured);
  CHECK(merged.details.find(NameIndex{0}, NameIndex{1})->loss_ppm == 1'000'000);
}

TEST_CASE("agents: a liar is not believed, its cells are marked, those of its peers are kept") {
  const AgentMatrix merged = merge(line(4));
  CHECK(verdict(merged, "10.0.0.4").state == AgentState::kDistrusted);
  for (std::uint32_t i = 0; i < 10; ++i) {
    if (i == 4) continue;
    const NameIndex liar{4}, peer{i};
    CHECK(merged.matrix.at(liar, peer) == kUnmeasured);
    CHECK(merged.details.find(liar, peer)->suspicious);
    CHECK(merged.matrix.at(peer, liar).us >= 1'000);
    CHECK_FALSE(merged.details.find(peer, liar)->suspicious);
  }
  CHECK(merged.suspicious.size() == 9);
  CHECK(merged.pairs.one_way == 9);
  CHECK(merged.pairs.unknown == 0);
}

TEST_CASE("agents: made-up places are kept up to a bound, those that many name first") {
  Peers made_up{{"real", 1'000}};
  for (std::size_t i = 0; i < 3 * kMostStrangers; ++i)
    made_up.emplace_back("a" + std::to_string(i), 1);
  const AgentMatrix merged =
      merge({answers("x", "1", "x", made_up), answers("y", "2", "y", {{"real", 1'000}})});
  CHECK(merged.matrix.size() == kMostStrangers + 2);
  CHECK(merged.matrix.find("real"));
  CHECK(merged.left_out == 2 * kMostStrangers + 1);
}

TEST_CASE("agents: the order in which they answer changes nothing") {
  std::vector<AskedAgent> asked = line(4);
  const AgentMatrix first = merge(asked);
  std::reverse(asked.begin(), asked.end());
  const AgentMatrix second = merge(asked);
  CHECK(first.details.pairs == second.details.pairs);
  for (std::uint32_t a = 0; a < 10; ++a)
    for (std::uint32_t b = 0; b < 10; ++b)
      CHECK(first.matrix.at(NameIndex{a}, NameIndex{b}) ==
            second.matrix.at(NameIndex{a}, NameIndex{b}));
}

}  // namespace
}  // namespace gedge
