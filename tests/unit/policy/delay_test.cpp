#include "gedge/policy/delay.hpp"
#include "support/dice.hpp"
#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr const char* kZone = "topology.kubernetes.io/zone";

// a --10.000 ms-- b,  a --10.001 ms-- c,  b --1 ms-- c,  internet --4 ms-- a; d is unmeasured.
SiteBuilder four_nodes() {
  SiteBuilder b;
  b.node("a", {{kZone, "west"}});
  b.node("b", {{kZone, "west"}});
  b.node("c", {{kZone, "east"}});
  b.node("d", {{kZone, "north"}});
  b.rtt("a", "b", 10'000).rtt("a", "c", 10'001).rtt("b", "c", 1'000).rtt("internet", "a", 4'000);
  return b;
}

PodDraft& add_pod(SiteBuilder& b, const std::string& name, DelayBudget with) {
  PodDraft& draft = b.pod(name);
  draft.spec.budgets = {std::move(with)};
  return draft;
}

DelayBudget nearest(DelayBudget with) {
  with.nearest = true;
  with.from = "any:" + with.from;
  return with;
}

std::string allowed(const Site& site, std::string_view pod) {
  return passing(*filter_named("DelayBudget"), site, pod);
}

Evidence first_evidence(const Site& site, std::string_view pod, const std::string& node) {
  return rejections(*filter_named("DelayBudget"), site, pod).at(node).at(0);
}

}  // namespace

TEST_CASE("delay budget: the limit itself passes, one microsecond more does not") {
  SiteBuilder b = four_nodes();
  add_pod(b, "detect", budget("a", 10'000));
  const auto site = b.build();
  CHECK(allowed(*site, "detect") == "a b");
  const Evidence over = first_evidence(*site, "detect", "c");
  CHECK(over.reason == Reason::kOverBudget);
  CHECK(over.verdict == Verdict::kUnresolvable);
  CHECK(over.measured == 10'001);
  CHECK(over.limit == 10'000);
  CHECK(over.unit == Unit::kMicros);
  CHECK(over.subject == "a");
  const Evidence unmeasured = first_evidence(*site, "detect", "d");
  CHECK(unmeasured.reason == Reason::kUnmeasuredRtt);
  CHECK(unmeasured.measured == kNoNumber);
  CHECK(unmeasured.limit == 10'000);
}

TEST_CASE("delay budget: the larger direction counts") {
  SiteBuilder b = four_nodes();
  add_pod(b, "p", budget("a", 10'000));
  const auto site = b.build();
  const NameIndex from = site->matrix.find("a").value(), to = site->matrix.find("b").value();
  site->matrix.set(to, from, Rtt{10'001});
  CHECK(allowed(*site, "p") == "a");
  site->matrix.set(from, to, kUnmeasured);
  site->matrix.set(to, from, Rtt{10'000});
  CHECK(allowed(*site, "p") == "a b");  // one direction stands for both
}

TEST_CASE("delay budget: a name means the node, then the pod, then the workload, then the matrix") {
  SiteBuilder b = four_nodes();
  b.pod("b").on("c");             // hidden by node b
  b.pod("x").on("b");             // pod x, on b
  b.pods("x", 2).pod.name = "y";  // hidden by pod x
  b.pods("z", 1);
  add_pod(b, "to-node", budget("b", 1'000));
  add_pod(b, "to-pod", budget("x", 1'000));
  add_pod(b, "to-workload", budget("z", 1'000));
  add_pod(b, "to-name", budget("internet", 4'000));
  add_pod(b, "to-nobody", budget("nobody", 4'000));
  add_pod(b, "not-a-part", budget("inter", 4'000));
  const auto site = b.build();
  CHECK(allowed(*site, "to-node") == "b c");
  CHECK(allowed(*site, "to-pod") == "b c");
  CHECK(first_evidence(*site, "to-workload", "a").reason == Reason::kPeerNotPlaced);
  CHECK(first_evidence(*site, "to-workload", "a").verdict == Verdict::kUnschedulable);
  site->state->bind(site->pod("z-0"), site->node("c"));
  CHECK(allowed(*site, "to-workload") == "b c");
  CHECK(allowed(*site, "to-name") == "a");
  CHECK(first_evidence(*site, "to-nobody", "a").reason == Reason::kUnknownPeer);
  CHECK(first_evidence(*site, "to-nobody", "a").verdict == Verdict::kUnresolvable);
  CHECK(first_evidence(*site, "not-a-part", "a").reason == Reason::kUnknownPeer);
}

TEST_CASE("delay budget: kinds and namespaces in the annotation are exact") {
  SiteBuilder b = four_nodes();
  b.pods("redis", 1).in("prod").pod.workload_kind = "StatefulSet";
  DelayBudget far = budget("redis", 1'000, PeerKind::kWorkload);
  far.namespace_name = "prod";
  DelayBudget deployment = far;
  deployment.workload_kind = "Deployment";
  add_pod(b, "here", budget("redis", 1'000, PeerKind::kWorkload));
  add_pod(b, "there", far);
  add_pod(b, "wrong-kind", deployment);
  add_pod(b, "as-pod", budget("c", 1'000, PeerKind::kPod));
  add_pod(b, "as-external", budget("c", 1'000, PeerKind::kExternal));
  const auto site = b.build();
  site->state->bind(site->pod("redis-0", "prod"), site->node("c"));
  CHECK(first_evidence(*site, "here", "a").reason == Reason::kUnknownPeer);
  CHECK(first_evidence(*site, "here", "a").verdict == Verdict::kUnschedulable);
  CHECK(allowed(*site, "there") == "b c");
  CHECK(first_evidence(*site, "wrong-kind", "a").reason == Reason::kUnknownPeer);
  CHECK(first_evidence(*site, "as-pod", "a").reason == Reason::kUnknownPeer);
  CHECK(allowed(*site, "as-external") == "b c");
}

TEST_CASE("delay budget: of a workload the farthest replica counts, with any the nearest") {
  SiteBuilder b = four_nodes();
  b.pods("redis", 3);
  add_pod(b, "all", budget("redis", 10'000, PeerKind::kWorkload));
  add_pod(b, "one", nearest(budget("redis", 1'000, PeerKind::kWorkload)));
  const auto site = b.build();
  site->state->bind(site->pod("redis-0"), site->node("a"));
  site->state->bind(site->pod("redis-1"), site->node("c"));
  CHECK(allowed(*site, "all") == "b");  // 10 ms to a, 1 ms to c
  CHECK(allowed(*site, "one") == "a b c");
  site->state->unbind(site->pod("redis-1"));
  CHECK(allowed(*site, "all") == "a b");
  CHECK(allowed(*site, "one") == "a");
}

TEST_CASE("delay budget: a zone means each of its nodes") {
  SiteBuilder b = four_nodes();
  add_pod(b, "whole", budget("west", 10'000, PeerKind::kZone));
  add_pod(b, "part", nearest(budget("west", 1'000, PeerKind::kZone)));
  add_pod(b, "none", budget("south", 10'000, PeerKind::kZone));
  const auto site = b.build();
  CHECK(allowed(*site, "whole") == "a b");
  CHECK(allowed(*site, "part") == "a b c");
  CHECK(first_evidence(*site, "none", "a").reason == Reason::kUnknownPeer);
}

TEST_CASE("delay budget: several budgets are AND-ed, each gives its evidence") {
  SiteBuilder b = four_nodes();
  b.pod("p").spec.budgets = {budget("a", 10'000), budget("c", 1'000), budget("nobody", 1)};
  b.pod("q").spec.budgets = {budget("a", 10'000), budget("c", 1'000)};
  const auto site = b.build();
  CHECK(allowed(*site, "q") == "b");
  CHECK(rejections(*filter_named("DelayBudget"), *site, "p").at("d").size() == 3);
  CHECK(rejections(*filter_named("DelayBudget"), *site, "p").at("b").size() == 1);
}

TEST_CASE("delay budget: names of the matrix may be values of a node label") {
  SiteBuilder b;
  b.node("a", {{kZone, "west"}});
  b.node("b", {{kZone, "west"}});
  b.node("c", {{kZone, "east"}});
  b.rtt("west", "east", 9'000);
  b.options().rtt_by = kZone;
  add_pod(b, "p", budget("a", 2'000));
  const auto site = b.build();
  const NameIndex west = site->matrix.find("west").value();
  site->matrix.set(west, west, Rtt{2'001});
  CHECK(allowed(*site, "p") == "a");  // 0 on the node itself, 2.001 ms inside the zone
  site->matrix.set(west, west, Rtt{2'000});
  CHECK(allowed(*site, "p") == "a b");
}

TEST_CASE("delay budget: a placed pod's budget towards the newcomer must not break") {
  SiteBuilder b = four_nodes();
  b.pods("redis", 2);
  add_pod(b, "client", budget("redis", 1'000)).on("b");
  add_pod(b, "lenient", nearest(budget("redis", 1, PeerKind::kWorkload))).on("d");
  b.pods("mysql", 1);
  const auto site = b.build();
  CHECK(allowed(*site, "redis-0") == "b c");
  CHECK(allowed(*site, "mysql-0") == "a b c d");
  const Evidence why = first_evidence(*site, "redis-0", "a");
  CHECK(why.reason == Reason::kBreaksBudget);
  CHECK(why.verdict == Verdict::kUnschedulable);
  CHECK(why.subject == "default/client");
  CHECK(why.measured == 10'000);
  CHECK(why.limit == 1'000);
  CHECK(first_evidence(*site, "redis-0", "d").measured == kNoNumber);
  site->state->unbind(site->pod("client"));
  CHECK(allowed(*site, "redis-0") == "a b c d");
}

TEST_CASE("delay budget: a budget towards one pod binds that replica only") {
  SiteBuilder b = four_nodes();
  b.pods("redis", 2);
  add_pod(b, "client", budget("redis-1", 1'000)).on("b");
  const auto site = b.build();
  CHECK(allowed(*site, "redis-0") == "a b c d");
  CHECK(allowed(*site, "redis-1") == "b c");
  const auto policy = filter_named("DelayBudget");
  CHECK(signature_of(*policy, *site, "redis-0") != signature_of(*policy, *site, "redis-1"));
}

TEST_CASE("delay budget: peers of one joint group are judged when they are placed") {
  SiteBuilder b = four_nodes();
  add_pod(b, "left", budget("right", 1'000));
  add_pod(b, "right", budget("left", 1'000));
  const auto site = b.build();
  CHECK(allowed(*site, "left").empty());
  site->state->set_joint_group(site->pod("left"), 1);
  CHECK(allowed(*site, "left").empty());  // right is of no group
  site->state->set_joint_group(site->pod("right"), 1);
  CHECK(allowed(*site, "left") == "a b c d");
  site->state->bind(site->pod("left"), site->node("c"));
  CHECK(allowed(*site, "right") == "b c");
  CHECK_FALSE(budgets_hold(*site->state, site->pod("left")));
  site->state->bind(site->pod("right"), site->node("b"));
  CHECK(budgets_hold(*site->state, site->pod("left")));
}

TEST_CASE("delay budget: towards itself or its own workload a pod may be the first") {
  SiteBuilder b = four_nodes();
  add_pod(b, "self", budget("self", 0));
  PodDraft& ring = b.pods("ring", 2);
  ring.spec.budgets = {budget("ring", 1'000)};
  const auto site = b.build();
  CHECK(allowed(*site, "self") == "a b c d");
  CHECK(allowed(*site, "ring-0") == "a b c d");
  site->state->bind(site->pod("ring-0"), site->node("b"));
  CHECK(budgets_hold(*site->state, site->pod("ring-0")));
  CHECK(allowed(*site, "ring-1") == "b c");
}

TEST_CASE("delay budget: finished pods are no peers") {
  SiteBuilder b = four_nodes();
  b.pod("job").on("a").pod.phase = PodPhase::kSucceeded;
  add_pod(b, "p", budget("job", 50'000));
  const auto site = b.build();
  CHECK(first_evidence(*site, "p", "a").reason == Reason::kPeerNotPlaced);
}

TEST_CASE("delay budget: equal replicas share a class, pods without budgets all do") {
  SiteBuilder b = four_nodes();
  b.pods("web", 2).spec.budgets = {budget("a", 10'000)};
  b.pod("plain");
  b.pods("other", 1);
  const auto site = b.build();
  const auto policy = filter_named("DelayBudget");
  CHECK(signature_of(*policy, *site, "web-0") == signature_of(*policy, *site, "web-1"));
  CHECK(signature_of(*policy, *site, "plain") == signature_of(*policy, *site, "other-0"));
  CHECK(signature_of(*policy, *site, "plain") != signature_of(*policy, *site, "web-0"));
}

// What a pod's budgets say of every row, cell by cell; those that are gone are names of the matrix.
NodeMask within_all(const ClusterState& cluster, const PodSpec& spec) {
  const RttMatrix& all = cluster.rtt();
  NodeMask rows = cluster.alive();
  for (const DelayBudget& each : spec.budgets)
    cluster.alive().for_each([&](NodeIndex n) {
      const auto peer = cluster.find_node(each.name);
      const Rtt rtt = peer ? cluster.rtt_between(*peer, n)
                           : all.between(*all.find(each.name), *cluster.latency_name(n));
      if (rtt == kUnmeasured || std::int64_t{rtt.us} > each.limit_us) rows.clear(n);
    });
  return rows;
}

TEST_CASE("delay budget: rows kept at once are those that no state bars") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Dice dice(seed);
    const auto slots = static_cast<std::uint32_t>(1 + dice.below(300));
    Facts facts;
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < slots; ++i) names.push_back("node-" + std::to_string(1000 + i));
    for (const std::string& name : names) facts.nodes.emplace_back().name = name;
    RttMatrix rtt(names);
    for (std::uint32_t i = 0; i < slots; ++i)
      for (std::uint32_t j = i; j < slots; ++j) {
        const Rtt cell = dice.chance(5)
                             ? kUnmeasured
                             : Rtt{static_cast<std::uint32_t>(dice.below(i == j ? 9 : 20'000))};
        rtt.set(NameIndex{i}, NameIndex{j}, cell);
        rtt.set(NameIndex{j}, NameIndex{i}, cell);
      }
    rtt.note_symmetry();
    PodSpec& spec = facts.specs.emplace_back();
    for (std::size_t i = 0; i < 1 + dice.below(3); ++i)
      spec.budgets.push_back(budget(dice.pick(names), dice.between(0, 20'000)));
    facts.pods.emplace_back().name = "p";
    ClusterState cluster(facts, rtt);
    const NodeIndex dead{static_cast<std::uint32_t>(dice.below(slots))};
    if (dice.chance(50)) cluster.apply({Change::Kind::kRemoveNode, kNoPod, dead});
    const ClassContext context{cluster, cluster.pod_facts(PodIndex{0}), 0};
    const auto filter = filter_named("DelayBudget");
    const auto state = filter->prepare(context);
    NodeMask kept = cluster.alive(), open = cluster.alive();
    open -= *filter->barred(state.get());
    CHECK(open == within_all(cluster, spec));
    if (filter->keep_at_once(context, kept)) CHECK(kept == open);
    const auto is_dead = [&](const DelayBudget& b) { return !cluster.find_node(b.name); };
    const bool has_dead = std::any_of(spec.budgets.begin(), spec.budgets.end(), is_dead);
    CHECK(filter->keep_at_once(context, kept) != has_dead);
  }
}

TEST_CASE("delay budget: rows kept at once stay true while limits come again and facts change") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Dice dice(seed);
    const auto slots = static_cast<std::uint32_t>(2 + dice.below(200));
    Facts facts;
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < slots; ++i) names.push_back("node-" + std::to_string(1000 + i));
    for (const std::string& name : names) facts.nodes.emplace_back().name = name;
    RttMatrix rtt(names);
    const auto some = [&] { return Rtt{static_cast<std::uint32_t>(dice.below(20'000))}; };
    for (std::uint32_t i = 0; i < slots; ++i)
      for (std::uint32_t j = i + 1; j < slots; ++j) {
        const Rtt cell = some();
        rtt.set(NameIndex{i}, NameIndex{j}, cell);
        rtt.set(NameIndex{j}, NameIndex{i}, cell);
      }
    rtt.note_symmetry();
    for (int i = 0; i < 40; ++i) {
      facts.specs.emplace_back().budgets = {
          budget(names[dice.below(5) % slots], 1000 * dice.between(1, 3))};
      Pod& pod = facts.pods.emplace_back();
      pod.name = "p-" + std::to_string(i);
      pod.spec = SpecIndex{static_cast<std::uint32_t>(i)};
    }
    ClusterState cluster(facts, rtt);
    const auto filter = filter_named("DelayBudget");
    std::size_t kept_at_once = 0;
    for (int round = 0; round < 600; ++round) {
      const ClassContext context{
          cluster, cluster.pod_facts(PodIndex{static_cast<std::uint32_t>(dice.below(40))}), 0};
      NodeMask kept = cluster.alive(), open = cluster.alive();
      if (filter->keep_at_once(context, kept)) {
        open -= *filter->barred(filter->prepare(context).get());
        CHECK(kept == open);
        CHECK(open == within_all(cluster, *context.pod.spec));
        ++kept_at_once;
      }
      if (!dice.chance(1)) continue;
      const ClusterState::Mark mark = cluster.mark();
      const NodeIndex node{static_cast<std::uint32_t>(dice.below(slots))};
      if (dice.chance(50)) {
        cluster.apply({Change::Kind::kRemoveNode, kNoPod, node});
      } else {
        Change change;
        change.kind = Change::Kind::kSetRtt;
        change.from = NameIndex{0};
        change.to = NameIndex{1};
        change.rtt = some();
        cluster.apply(change);
      }
      if (dice.chance(50)) cluster.undo(mark);
    }
    CHECK(kept_at_once > 0);
  }
}

TEST_CASE("latency slack: the share of the limit that is left, the least over budgets") {
  SiteBuilder b = four_nodes();
  add_pod(b, "p", budget("a", 15'000));
  b.pod("two").spec.budgets = {budget("a", 15'000), budget("c", 1'001)};
  b.pod("free");
  add_pod(b, "strict", budget("a", 0));
  add_pod(b, "vast", budget("a", std::numeric_limits<std::int64_t>::max()));
  add_pod(b, "lost", budget("nobody", 1'000));
  const auto site = b.build();
  const auto policy = score_named("LatencySlack");
  CHECK(raw_scores(*policy, *site, "p") == Scores{{"a", 100}, {"b", 33}, {"c", 33}, {"d", 0}});
  CHECK(raw_scores(*policy, *site, "two") == Scores{{"a", 0}, {"b", 0}, {"c", 33}, {"d", 0}});
  CHECK(raw_scores(*policy, *site, "free").at("d") == 100);
  CHECK(raw_scores(*policy, *site, "strict") == Scores{{"a", 100}, {"b", 0}, {"c", 0}, {"d", 0}});
  CHECK(raw_scores(*policy, *site, "vast") == Scores{{"a", 100}, {"b", 99}, {"c", 99}, {"d", 0}});
  CHECK(raw_scores(*policy, *site, "lost").at("a") == 0);
  const ClassContext context = context_of(*site, "p");
  CHECK(policy->normalize(context, nullptr) == Normalize::kNone);
}

TEST_CASE("latency slack: peers that are judged later do not count") {
  SiteBuilder b = four_nodes();
  add_pod(b, "left", budget("right", 2'000));
  b.pod("right");
  const auto site = b.build();
  for (const char* pod : {"left", "right"}) site->state->set_joint_group(site->pod(pod), 3);
  const auto policy = score_named("LatencySlack");
  CHECK(raw_scores(*policy, *site, "left").at("d") == 100);
  site->state->bind(site->pod("right"), site->node("b"));
  CHECK(raw_scores(*policy, *site, "left") == Scores{{"a", 0}, {"b", 100}, {"c", 50}, {"d", 0}});
}

TEST_CASE("budget reports: every budget in order, with the RTT on the node asked about") {
  SiteBuilder b = four_nodes();
  b.pods("redis", 2);
  b.pod("p").spec.budgets = {budget("a", 10'000), nearest(budget("redis", 5, PeerKind::kWorkload)),
                             budget("nobody", 7), budget("internet", 9)};
  const auto site = b.build();
  site->state->bind(site->pod("redis-0"), site->node("a"));
  site->state->bind(site->pod("redis-1"), site->node("c"));
  const auto reports = budget_reports(*site->state, site->pod("p"), site->node("b"));
  REQUIRE(reports.size() == 4);
  CHECK(reports[0].from == "a");
  CHECK(reports[0].limit_us == 10'000);
  CHECK(reports[0].rtt_us == 10'000);
  CHECK(reports[1].from == "any:redis");
  CHECK(reports[1].rtt_us == 1'000);
  CHECK_FALSE(reports[2].rtt_us);
  CHECK_FALSE(reports[3].rtt_us);
  CHECK(budget_reports(*site->state, site->pod("p"), site->node("a"))[3].rtt_us == 4'000);
  for (const BudgetReport& report : budget_reports(*site->state, site->pod("p")))
    CHECK_FALSE(report.rtt_us);  // it has no node yet
}
