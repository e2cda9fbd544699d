// Preemption against kube-scheduler 1.20.2: why each node rejects, who may preempt, which pods
// would have to go from each candidate, and which node is chosen.
#include <algorithm>
#include <string>
#include <vector>

#include "conformance/cluster.hpp"
#include "gedge/plan/preemption.hpp"
#include "support/conformance.hpp"

namespace {

using namespace gedge;
using gedge::test::expect_equal;
using nlohmann::json;

constexpr Compat kCompat = Compat::k1_20;

Facts facts_of(const json& vector) {
  json list{{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
  for (const char* key : {"nodes", "pods", "podDisruptionBudgets", "nominatedPods"})
    for (const json& object : vector.value(key, json::array())) list["items"].push_back(object);
  list["items"].push_back(vector.at("pod"));
  return gedge::test::read_cluster(list);
}

bool promises(const json& vector, const std::string& node) {
  const json pods = vector.value("nominatedPods", json::array());
  return std::any_of(pods.begin(), pods.end(), [&](const json& pod) {
    return pod.at("status").at("nominatedNodeName") == node;
  });
}

std::string joined(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  std::string all;
  for (const std::string& text : texts) all += text + "; ";
  return all;
}

void check_status(const json& vector, const ClusterState& cluster, Preemptor& preemptor,
                  PodIndex pod) {
  for (const auto& entry : vector.at("expected").at("nodeStatus").items()) {
    const std::string& name = entry.key();
    const json& status = entry.value();
    INFO("node: " << name);
    const auto node = cluster.find_node(name);
    REQUIRE(node);
    const std::vector<Rejection> rejected = preemptor.first_rejection(pod, *node);
    REQUIRE_FALSE(rejected.empty());
    CHECK_FALSE(preemptor.fits(pod, *node));
    const bool is_final = rejected.front().evidence.verdict == Verdict::kUnresolvable;
    expect_equal("code", status.at("code").get<std::string>(),
                 std::string(is_final ? "UnschedulableAndUnresolvable" : "Unschedulable"));
    if (!promises(vector, name))
      expect_equal("plugin", status.at("plugin").get<std::string>(),
                   std::string(rejected.front().policy));
    std::vector<std::string> texts;
    for (const Rejection& rejection : rejected)
      for (const std::string& text : reason_texts(rejection.evidence, kCompat))
        texts.push_back(text);
    expect_equal("reasons", joined(status.at("reasons").get<std::vector<std::string>>()),
                 joined(texts));
  }
}

void check_candidate(const json& expected, const ClusterState& cluster, const Victims& found) {
  std::vector<std::string> victims;
  for (const PodIndex pod : found.pods)
    victims.push_back(cluster.pod(pod).namespace_name + "/" + cluster.pod(pod).name);
  CHECK(expected.at("victims").get<std::vector<std::string>>() == victims);
  expect_equal("violations", expected.at("numPDBViolations").get<std::int64_t>(), found.violations);
}

void check_vector(const json& vector) {
  const Facts facts = facts_of(vector);
  const RttMatrix no_rtt;
  ClusterState cluster(facts, no_rtt, {kCompat, ""});
  const json& metadata = vector.at("pod").at("metadata");
  const auto pod = cluster.find_pod(metadata.at("namespace").get<std::string>(),
                                    metadata.at("name").get<std::string>());
  REQUIRE(pod);
  auto engine = Engine::make(cluster, *builtin_profile("kube", kCompat), nullptr, 0);
  REQUIRE(engine);
  Preemptor preemptor(cluster, *engine);
  check_status(vector, cluster, preemptor, *pod);
  const ClusterState::Mark before = cluster.mark();
  const Preemption found = preemptor.find(*pod);
  CHECK(cluster.mark() == before);
  const json& expected = vector.at("expected");
  expect_equal("eligible", expected.at("eligible").get<bool>(), found.is_eligible);
  const json candidates = expected.value("candidates", json::object());
  expect_equal("candidates", candidates.size(), found.candidates.size());
  for (const Victims& victims : found.candidates) {
    const std::string& node = cluster.node_name(victims.node);
    INFO("candidate: " << node);
    REQUIRE(candidates.contains(node));
    check_candidate(candidates.at(node), cluster, victims);
  }
  const auto chosen = expected.value("chosen", std::vector<std::string>());
  REQUIRE(chosen.empty() == !found.chosen);
  if (!found.chosen) return;
  const std::string& node = cluster.node_name(found.candidates[*found.chosen].node);
  CHECK_MESSAGE(std::find(chosen.begin(), chosen.end(), node) != chosen.end(),
                "chosen " << node << " is none of " << joined(chosen));
}

}  // namespace

TEST_CASE("preemption equals that of kube-scheduler 1.20.2") {
  gedge::test::for_each_vector("preemption.jsonl", check_vector);
}
