// The engine against kube-scheduler 1.20.2: every filter on every node, every score, the message.
// Objects and plugin arguments of a vector go through the same readers as a user's files.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/cluster.hpp"
#include "gedge/codec/profile.hpp"
#include "gedge/plan/engine.hpp"
#include "support/conformance.hpp"

namespace {

using namespace gedge;
using gedge::test::expect_equal;
using nlohmann::json;

constexpr Compat kCompat = Compat::k1_20;

// Every object as `kubectl get -o json` would print it. The incoming pod is one of them: admission
// has been through it, so none of our defaults may be added. In a dump its nodeName would mean that
// it runs there; here it is a wish, set afterwards.
Facts facts_of(const json& vector) {
  json list{{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
  for (const char* key :
       {"nodes", "pods", "services", "replicationControllers", "replicaSets", "statefulSets"})
    for (const json& object : vector.value(key, json::array())) list["items"].push_back(object);
  json incoming = vector.at("pod");
  incoming["spec"].erase("nodeName");
  list["items"].push_back(incoming);
  return gedge::test::read_cluster(list);
}

void set_wished_node(const json& incoming, Facts& facts) {
  const std::string node = incoming.at("spec").value("nodeName", "");
  if (node.empty()) return;
  const json& metadata = incoming.at("metadata");
  for (Pod& pod : facts.pods) {
    if (pod.name != metadata.at("name") || pod.namespace_name != metadata.at("namespace")) continue;
    facts.specs.push_back(facts.spec_of(pod));  // others may share the old one
    facts.specs.back().node_name = node;
    pod.spec = SpecIndex{static_cast<std::uint32_t>(facts.specs.size() - 1)};
  }
}

Engine engine_for(const ClusterState& state, const Profile& profile) {
  auto engine = Engine::make(state, profile, nullptr, 0);
  REQUIRE_MESSAGE(engine, engine.error().what);
  return *std::move(engine);
}

// "PLUGIN Code: reason, reason" for each plugin that rejects, sorted.
std::set<std::string> lines_of(const json& rejections) {
  std::set<std::string> lines;
  for (const auto& [plugin, verdict] : rejections.items()) {
    std::string line = plugin + " " + verdict.at("code").get<std::string>() + ":";
    for (const json& reason : verdict.at("reasons")) line += " " + reason.get<std::string>() + ";";
    lines.insert(line);
  }
  return lines;
}

json rejections_of(const NodeExplanation& node) {
  json out = json::object();
  for (const Rejection& rejection : node.rejections) {
    json& plugin = out[rejection.policy];
    const bool final = rejection.evidence.verdict == Verdict::kUnresolvable;
    plugin["code"] = final ? "UnschedulableAndUnresolvable" : "Unschedulable";
    for (const std::string& text : reason_texts(rejection.evidence, kCompat))
      plugin["reasons"].push_back(text);
  }
  return out;
}

std::string joined(const std::set<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n    " + line;
  return text.empty() ? "nothing" : text;
}

void check_filters(const json& expected, const std::vector<NodeExplanation>& nodes) {
  REQUIRE(nodes.size() == expected.at("filters").size());
  for (const NodeExplanation& node : nodes) {
    const auto want = lines_of(expected.at("filters").at(node.node));
    const auto got = lines_of(rejections_of(node));
    CHECK_MESSAGE(want == got, "filters of " << node.node << ": expected " << joined(want)
                                             << ", got " << joined(got));
    CHECK(node.feasible == want.empty());
  }
}

// Compares one score plugin over the feasible nodes.
void check_score(const json& expected, std::size_t index,
                 const std::vector<NodeExplanation>& nodes) {
  std::size_t feasible = 0;
  for (const NodeExplanation& node : nodes) {
    if (!node.feasible) continue;
    ++feasible;
    INFO("node: " << node.node << ", score: " << node.scores.at(index).policy);
    const PolicyScore& score = node.scores.at(index);
    expect_equal("raw", expected.at("raw").at(node.node).get<std::int64_t>(), score.raw);
    expect_equal("normalized", expected.at("normalized").at(node.node).get<std::int64_t>(),
                 score.normalized);
    if (expected.contains("weight"))
      expect_equal("weight", expected.at("weight").get<std::int64_t>(), score.weight);
  }
  expect_equal("feasible nodes", expected.at("raw").size(), feasible);
}

void check_default_scores(const json& expected, const Profile& profile,
                          const std::vector<NodeExplanation>& nodes) {
  expect_equal("score plugins", expected.at("scores").size(), profile.scores.size());
  for (std::size_t i = 0; i < profile.scores.size(); ++i)
    check_score(expected.at("scores").at(profile.scores[i].policy), i, nodes);
  std::int64_t highest = 0;
  std::set<std::string> want(expected.at("best").begin(), expected.at("best").end()), best;
  for (const NodeExplanation& node : nodes) {
    if (!node.feasible) continue;
    expect_equal("total", expected.at("totals").at(node.node).get<std::int64_t>(), *node.total);
    if (best.empty() || *node.total > highest) best.clear();
    if (best.empty() || *node.total == highest) best.insert(node.node);
    highest = std::max(highest, *node.total);
  }
  CHECK_MESSAGE(want == best, "best: expected " << joined(want) << ", got " << joined(best));
}

// kube-scheduler's default profile with `plugin` as its only score.
Profile profile_with(const json& plugin, const json& args) {
  const json score{{"disabled", {{{"name", "*"}}}},
                   {"enabled", {{{"name", plugin}, {"weight", 1}}}}};
  const json profile{{"plugins", {{"score", score}}},
                     {"pluginConfig", {{{"name", plugin}, {"args", args}}}}};
  const json configuration{{"apiVersion", "kubescheduler.config.k8s.io/v1beta1"},
                           {"kind", "KubeSchedulerConfiguration"},
                           {"profiles", {profile}}};
  const std::string text = configuration.dump();
  ProfileOptions options;
  options.compat = kCompat;
  const ProfileReading reading = read_profiles({"profile.json", text}, options);
  for (const Error& error : reading.errors) MESSAGE(error.what);
  REQUIRE(reading.profiles.size() == 1);
  return reading.profiles[0];
}

void check_extra_scores(const json& expected, const ClusterState& state, PodIndex pod) {
  for (const json& extra : expected.value("extraScores", json::array())) {
    INFO("args: " << extra.at("args").dump());
    const Profile profile = profile_with(extra.at("plugin"), extra.at("args"));
    REQUIRE(profile.scores.size() == 1);
    check_score(extra, 0, engine_for(state, profile).explain(pod));
  }
}

void check_vector(const json& vector) {
  Facts facts = facts_of(vector);
  set_wished_node(vector.at("pod"), facts);
  const RttMatrix no_rtt;
  const ClusterState state(facts, no_rtt, {kCompat, ""});
  const json& metadata = vector.at("pod").at("metadata");
  const auto pod = state.find_pod(metadata.at("namespace").get<std::string>(),
                                  metadata.at("name").get<std::string>());
  REQUIRE(pod);
  const auto profile = builtin_profile("kube", kCompat);
  REQUIRE(profile);
  Engine engine = engine_for(state, *profile);
  const json& expected = vector.at("expected");
  const std::vector<NodeExplanation> nodes = engine.explain(*pod);
  check_filters(expected, nodes);
  const Evaluation evaluation = engine.evaluate(*pod);
  expect_equal("feasible nodes", expected.at("feasible").size(), evaluation.feasible.count());
  if (expected.contains("fitError")) {
    expect_equal("fitError", expected.at("fitError").get<std::string>(), engine.fit_error(*pod));
    return;
  }
  check_default_scores(expected, *profile, nodes);
  CHECK(expected.at("totals").at(state.node(evaluation.winner).name) ==
        evaluation.totals[raw(evaluation.winner)]);
  check_extra_scores(expected, state, *pod);
}

}  // namespace

TEST_CASE("filters, scores and messages equal those of kube-scheduler 1.20.2") {
  gedge::test::for_each_vector("scheduler.jsonl", check_vector);
}
