// The reference against what Kubernetes 1.20.2 answered.
#include "integration/equivalence/vectors.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "support/conformance.hpp"
#include "support/reference/planner.hpp"
#include "support/reference/scores.hpp"

namespace {

using namespace gedge;
using nlohmann::json;

Profile kube_1_20() {
  Profile profile;
  profile.compat = Compat::k1_20;
  for (const char* name :
       {"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts",
        "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity"})
    profile.filters.push_back({name, 1, {}});
  const std::map<std::string, std::int64_t> weights{{"NodeResourcesBalancedAllocation", 1},
                                                    {"ImageLocality", 1},
                                                    {"InterPodAffinity", 1},
                                                    {"NodeResourcesLeastAllocated", 1},
                                                    {"NodeAffinity", 1},
                                                    {"NodePreferAvoidPods", 10000},
                                                    {"PodTopologySpread", 2},
                                                    {"TaintToleration", 1}};
  for (const auto& [name, weight] : weights) profile.scores.push_back({name, weight, {}});
  return profile;
}

json filters_of(const reference::Answer& answer) {
  json out = json::object();
  for (const reference::NodeAnswer& node : answer.nodes) {
    json& plugins = out[node.node] = json::object();
    for (const auto& [policy, objections] : node.rejections) {
      json& plugin = plugins[policy] = {{"code", "Unschedulable"}, {"reasons", json::array()}};
      for (const Evidence& evidence : objections) {
        if (evidence.verdict == Verdict::kUnresolvable)
          plugin["code"] = "UnschedulableAndUnresolvable";
        for (const std::string& text : reference::words(evidence, Compat::k1_20))
          plugin["reasons"].push_back(text);
      }
    }
  }
  return out;
}

json scores_of(const reference::Answer& answer) {
  json out = json::object();
  for (const reference::NodeAnswer& node : answer.nodes) {
    for (const PolicyScore& s : node.scores) {
      out[s.policy]["weight"] = s.weight;
      out[s.policy]["raw"][node.node] = s.raw;
      out[s.policy]["normalized"][node.node] = s.normalized;
    }
  }
  return out;
}

json totals_of(const reference::Answer& answer) {
  json out = json::object();
  for (const reference::NodeAnswer& node : answer.nodes)
    if (node.feasible) out[node.node] = node.total;
  return out;
}

void check_extra(const json& extra, const reference::World& world, const reference::Seat& pod,
                 const reference::Answer& answer) {
  reference::Nodes feasible;
  for (const auto& node : answer.nodes)
    if (node.feasible) feasible.push_back(world.find_node(node.node));
  const ProfileEntry entry{extra.at("plugin").get<std::string>(), 1,
                           reference::read_args(extra.at("args"))};
  bool known = true;
  const reference::Scores scores = reference::score(entry, world, pod, feasible, known);
  REQUIRE(known);
  json raw, normalized;
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    raw[feasible[i]->name] = scores[i].raw;
    normalized[feasible[i]->name] = scores[i].normalized;
  }
  INFO("extra score: " << extra.at("plugin") << " " << extra.at("args").dump());
  test::expect_equal("raw", extra.at("raw"), raw);
  test::expect_equal("normalized", extra.at("normalized"), normalized);
}

void check_vector(const json& vector) {
  const Facts facts = reference::read_vector(vector);
  const RttMatrix no_rtt;
  const reference::World world = reference::make_world(facts, no_rtt, "", Compat::k1_20);
  const reference::Seat& pod = world.seats.back();
  std::vector<std::string> unknown;
  const reference::Answer answer = reference::decide(world, kube_1_20(), pod, unknown);
  CHECK(unknown.empty());
  const json& expected = vector.at("expected");
  test::expect_equal("filters", expected.at("filters"), filters_of(answer));
  test::expect_equal("fitError", expected.value("fitError", ""), answer.decision.message.str());
  test::expect_equal("scores", expected.value("scores", json::object()), scores_of(answer));
  test::expect_equal("totals", expected.value("totals", json::object()), totals_of(answer));
  for (const json& extra : expected.value("extraScores", json::array()))
    check_extra(extra, world, pod, answer);
}

}  // namespace

TEST_CASE("the reference answers every scheduler vector as Kubernetes 1.20 did") {
  test::for_each_vector("scheduler.jsonl", check_vector);
}
