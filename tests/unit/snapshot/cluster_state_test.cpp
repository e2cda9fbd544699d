#include "gedge/snapshot/cluster_state.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/dice.hpp"
#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

std::vector<std::vector<std::int64_t>> usage(const ClusterState& state) {
  std::vector<std::vector<std::int64_t>> all;
  for (std::uint32_t r = 0; r < state.resource_count(); ++r) {
    const auto column = state.requested(ResourceIndex{r});
    all.emplace_back(column.begin(), column.end());
  }
  all.emplace_back(state.score_cpu().begin(), state.score_cpu().end());
  all.emplace_back(state.score_memory().begin(), state.score_memory().end());
  for (std::uint32_t n = 0; n < state.slots(); ++n) {
    std::vector<std::int64_t>& pods = all.emplace_back();
    for (const PodIndex p : state.pods_on(NodeIndex{n})) pods.push_back(raw(p));
  }
  return all;
}

template <typename T>
std::vector<T> list_of(std::span<const T> all) {
  return {all.begin(), all.end()};
}

std::unique_ptr<Site> three_nodes() {
  SiteBuilder b;
  b.node("c", {{"zone", "z2"}});
  b.node("a", {{"zone", "z1"}}).allocatable.set("example.com/gpu", 2);
  b.node("b", {{"zone", "z1"}});
  b.rtt("a", "b", 10'000);
  b.pods("web", 5).request(kCpu, 250).request(kMemory, kGi);
  b.pods("gpu", 2).request("example.com/gpu", 1);
  b.pod("old").on("b").request(kCpu, 1000);
  return b.build();
}

}  // namespace

TEST_CASE("cluster state: ranks follow names and not slots") {
  const auto site = three_nodes();
  const ClusterState& state = *site->state;
  CHECK(state.node(state.by_rank(0)).name == "a");
  CHECK(state.node(state.by_rank(1)).name == "b");
  CHECK(state.node(state.by_rank(2)).name == "c");
  CHECK(state.rank_of(site->node("c")) == 2);
  CHECK_FALSE(state.find_node("d"));
}

TEST_CASE("cluster state: a bound pod counts where it is and nowhere else") {
  const auto site = three_nodes();
  const ClusterState& state = *site->state;
  CHECK(state.requested(ResourceIndex::kCpuColumn)[raw(site->node("b"))] == 1000);
  CHECK(state.requested(ResourceIndex::kPodsColumn)[raw(site->node("b"))] == 1);
  CHECK(state.requested(ResourceIndex::kPodsColumn)[raw(site->node("a"))] == 0);
  // 200 MiB stand in for the missing memory request, only in the score columns.
  CHECK(state.score_memory()[raw(site->node("b"))] == 200 * 1024 * 1024);
  CHECK(state.requested(ResourceIndex::kMemoryColumn)[raw(site->node("b"))] == 0);
}

TEST_CASE("cluster state: extended resources are columns found by name") {
  const auto site = three_nodes();
  ClusterState& state = *site->state;
  const auto gpu = state.find_resource("example.com/gpu");
  REQUIRE(gpu);
  CHECK(state.allocatable(*gpu)[raw(site->node("a"))] == 2);
  CHECK(state.allocatable(*gpu)[raw(site->node("b"))] == 0);
  state.bind(site->pod("gpu-0"), site->node("a"));
  CHECK(state.requested(*gpu)[raw(site->node("a"))] == 1);
  CHECK_FALSE(state.find_resource("example.com/fpga"));
}

TEST_CASE("cluster state: of very many resources each has a column of its own, and bounds") {
  constexpr int kResources = 70'000;  // more than 16 bits count
  const auto name = [](int i) { return "example.com/r" + std::to_string(100'000 + i); };
  SiteBuilder b;
  Node& node = b.node("a");
  for (int i = 0; i < kResources; ++i) node.allocatable.set(name(i), i);
  b.pod("p").request(name(kResources - 1), 5);
  const auto site = b.build();
  ClusterState& state = *site->state;
  const auto last = state.find_resource(name(kResources - 1));
  REQUIRE(last);
  CHECK(state.resource_name(*last) == name(kResources - 1));
  CHECK(state.pod_facts(site->pod("p")).request(*last) == 5);
  state.bind(site->pod("p"), site->node("a"));
  CHECK(state.requested(*last)[0] == 5);
  CHECK(state.free_bounds(*last).most[0] == kResources - 1 - 5);
  CHECK(state.requested(ResourceIndex::kCpuColumn)[0] == 0);
}

TEST_CASE("cluster state: undo brings every column and every order back, whatever was done") {
  const auto site = three_nodes();
  ClusterState& state = *site->state;
  std::mt19937 random(7);
  const auto pick = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    const auto before = usage(state);
    const ClusterState::Mark mark = state.mark();
    for (int step = 0; step < 12; ++step) {
      const PodIndex pod{pick(state.pod_count())};
      if (state.is_placed(pod))
        state.unbind(pod);
      else
        state.bind(pod, NodeIndex{pick(state.slots())});
    }
    state.undo(mark);
    CHECK_MESSAGE(usage(state) == before, "round ", round);
  }
}

TEST_CASE("cluster state: a replaced node shows its new facts and the old ones after undo") {
  const auto site = three_nodes();
  ClusterState& state = *site->state;
  const NodeIndex c = site->node("c");
  const DomainIndex z2 = state.topology("zone").domain_of[raw(c)];
  Node moved = state.node(c);
  moved.labels.set("zone", "z1");
  moved.allocatable.set(kCpu, 1);
  const std::uint64_t epoch = state.static_epoch();
  const ClusterState::Mark mark = state.mark();
  Change change;
  change.kind = Change::Kind::kReplaceNode;
  change.node = c;
  change.facts = &moved;
  state.apply(change);
  CHECK(state.static_epoch() != epoch);
  CHECK(state.allocatable(ResourceIndex::kCpuColumn)[raw(c)] == 1);
  CHECK(state.topology("zone").domain_of[raw(c)] ==
        state.topology("zone").domain_of[raw(site->node("a"))]);
  state.undo(mark);
  CHECK(state.allocatable(ResourceIndex::kCpuColumn)[raw(c)] == 4000);
  CHECK(state.topology("zone").domain_of[raw(c)] == z2);
}

TEST_CASE("cluster state: a removed node is not found, has no domain, and comes back") {
  const auto site = three_nodes();
  ClusterState& state = *site->state;
  const NodeIndex c = site->node("c");
  static_cast<void>(state.topology("zone"));
  const ClusterState::Mark mark = state.mark();
  Change change;
  change.kind = Change::Kind::kRemoveNode;
  change.node = c;
  state.apply(change);
  CHECK_FALSE(state.find_node("c"));
  CHECK(state.alive().count() == 2);
  CHECK(state.topology("zone").domain_of[raw(c)] == kNoDomain);
  state.undo(mark);
  CHECK(state.find_node("c") == c);
  CHECK(state.topology("zone").domain_of[raw(c)] != kNoDomain);
}

TEST_CASE("cluster state: an edited RTT counts in both directions until it is undone") {
  const auto site = three_nodes();
  ClusterState& state = *site->state;
  const NodeIndex a = site->node("a"), b = site->node("b"), c = site->node("c");
  CHECK(state.rtt_between(a, b) == Rtt{10'000});
  CHECK(state.rtt_between(b, a) == Rtt{10'000});
  CHECK(state.rtt_between(a, a) == Rtt{0});
  CHECK(state.rtt_between(a, c) == kUnmeasured);
  const ClusterState::Mark mark = state.mark();
  Change change;
  change.kind = Change::Kind::kSetRtt;
  change.from = *state.latency_name(a);
  change.to = *state.latency_name(b);
  change.rtt = Rtt{3'000};
  state.apply(change);
  CHECK(state.rtt_between(b, a) == Rtt{3'000});
  state.undo(mark);
  CHECK(state.rtt_between(b, a) == Rtt{10'000});
}

TEST_CASE("cluster state: sums that leave int64 saturate and recover") {
  SiteBuilder b;
  b.node("a");
  b.pods("huge", 3).request(kMemory, INT64_MAX);
  const auto site = b.build();
  ClusterState& state = *site->state;
  const auto memory = [&] { return state.requested(ResourceIndex::kMemoryColumn)[0]; };
  state.bind(site->pod("huge-0"), NodeIndex{0});
  state.bind(site->pod("huge-1"), NodeIndex{0});
  CHECK(memory() == INT64_MAX);
  state.unbind(site->pod("huge-0"));
  CHECK(memory() == INT64_MAX);
  state.unbind(site->pod("huge-1"));
  CHECK(memory() == 0);
}

TEST_CASE("cluster state: a workload is found by kind and name, in order of its ordinals") {
  SiteBuilder b;
  b.node("a");
  b.pods("web", 12);
  const auto site = b.build();
  const auto all = site->state->workload("default", "", "web");
  REQUIRE(all.size() == 12);
  CHECK(site->state->pod(all[2]).name == "web-2");
  CHECK(site->state->pod(all[11]).name == "web-11");
  CHECK(site->state->workload("default", "DaemonSet", "web").empty());
  CHECK(site->state->workload("other", "", "web").empty());
}

TEST_CASE("cluster state: a pod is found by its name, by the first question and by every other") {
  const auto site = three_nodes();
  for (int question = 0; question < 3; ++question) {
    CHECK(site->state->find_pod("default", "web-3") == site->pod("web-3"));
    CHECK_FALSE(site->state->find_pod("other", "web-3"));
    CHECK_FALSE(site->state->find_pod("default", "web-9"));
    const ClusterState fresh(site->facts, site->matrix);
    CHECK_FALSE(fresh.find_pod("default", "web-9"));
    CHECK(fresh.find_pod("default", "old") == site->pod("old"));
  }
}

TEST_CASE("cluster state: pods share what is known of them where all that rules read is equal") {
  Facts facts;
  facts.nodes.resize(2);
  facts.nodes[0].name = "a";
  facts.nodes[1].name = "b";
  facts.specs.resize(2);
  facts.pods.resize(7);
  for (std::size_t i = 0; i < facts.pods.size(); ++i)
    facts.pods[i].name = "pod-" + std::to_string(i);
  facts.pods[1].namespace_name = "other";
  facts.pods[2].extra_labels.set("pod-name", "pod-2");
  facts.pods[3].controller.name = "web";
  facts.pods[4].spec = SpecIndex{1};
  facts.pods[5].namespace_name = "default";
  const RttMatrix rtt;
  const ClusterState state(facts, rtt);
  std::vector<std::uint32_t> index;
  for (std::uint32_t i = 0; i < facts.pods.size(); ++i)
    index.push_back(state.pod_facts(PodIndex{i}).index);
  CHECK(index == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 0, 0});
}

TEST_CASE("cluster state: pods that join a state are found by what they say and share") {
  Dice dice(11);
  Facts facts;
  facts.nodes.resize(1);
  facts.nodes.front().name = "a";
  facts.specs.resize(6);
  facts.pods.reserve(200);
  for (std::size_t i = 0; i < facts.specs.size(); ++i)
    facts.specs[i].labels.set("app", "app-" + std::to_string(i / 2));
  StateOptions options;
  options.grows = true;
  const RttMatrix rtt;
  ClusterState grown(facts, rtt, options);
  while (facts.pods.size() < 150) {
    const std::size_t most = facts.pods.size() + 1 + dice.below(4);
    while (facts.pods.size() < most) {
      Pod pod;
      pod.name = "pod-" + std::to_string(facts.pods.size());
      pod.spec = SpecIndex{static_cast<std::uint32_t>(dice.below(facts.specs.size()))};
      if (dice.chance(50)) pod.extra_labels.set("tier", dice.pick<std::string>({"x", "y"}));
      facts.pods.push_back(std::move(pod));
    }
    REQUIRE(grown.add_new_pods());
    const ClusterState fresh(facts, rtt, options);
    for (std::uint32_t i = 0; i < facts.pods.size(); ++i) {
      const PodFacts &mine = grown.pod_facts(PodIndex{i}), &theirs = fresh.pod_facts(PodIndex{i});
      REQUIRE(list_of(grown.sharing(mine)) == list_of(fresh.sharing(theirs)));
      REQUIRE(list_of(grown.topics(mine)) == list_of(fresh.topics(theirs)));
    }
    const auto indexes = [](const std::vector<const PodFacts*>& all) {
      std::vector<std::uint32_t> found;
      for (const PodFacts* one : all) found.push_back(one->index);
      return found;
    };
    const auto topics = fresh.topics(
        fresh.pod_facts(PodIndex{static_cast<std::uint32_t>(dice.below(facts.pods.size()))}));
    REQUIRE(indexes(grown.saying(topics)) == indexes(fresh.saying(topics)));
    REQUIRE(indexes(grown.saying(topics.last(1))) == indexes(fresh.saying(topics.last(1))));
  }
}

TEST_CASE("cluster state: labels of single pods count where somebody selects by them") {
  constexpr const char* kOwn = "statefulset.kubernetes.io/pod-name";
  const auto distinct = [&](bool only_selected, const std::string& selected, bool is_owner,
                            bool has_labels = true) {
    SiteBuilder b;
    b.node("a");
    for (const char* name : {"db-0", "db-1", "db-2"}) {
      PodDraft& draft = b.pod(name);
      draft.pod.extra_labels.set(kOwn, name);
      if (has_labels) draft.spec.labels.set("app", "db");
    }
    PodDraft& other = b.pod("other");
    if (!selected.empty() && !is_owner)
      other.spec.required_anti_affinity.push_back(pod_term({{selected, "db-1"}}, "zone"));
    if (is_owner)
      b.facts().spread_owners.push_back(
          {"Service", "default", "one", selector({{selected, "db-1"}})});
    b.options().only_selected_labels = only_selected;
    auto site = b.build();
    for (Pod& pod : site->facts.pods)
      if (pod.name.str().starts_with("db-")) pod.spec = site->facts.pods.front().spec;
    const ClusterState state(site->facts, site->matrix, b.options());
    return state.distinct_pods();
  };
  CHECK(distinct(false, "", false) == 4);
  CHECK(distinct(true, "", false) == 2);
  CHECK(distinct(true, "app", false) == 2);
  CHECK(distinct(true, kOwn, false) == 4);
  CHECK(distinct(true, kOwn, true) == 4);
  CHECK(distinct(true, "", false, false) == 4);
}

TEST_CASE("cluster state: budgets are known by their nodes where each is towards one") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  b.pod("near").spec.budgets = {budget("b", 5000), budget("a", 7000, PeerKind::kNode)};
  b.pod("far").spec.budgets = {budget("b", 5000), budget("c", 7000)};
  b.pod("zoned").spec.budgets = {budget("b", 5000, PeerKind::kZone)};
  const auto site = b.build();
  const auto of = [&](std::string_view name) {
    return site->state->pod_facts(site->pod(name)).node_budgets;
  };
  REQUIRE(of("near").size() == 2);
  CHECK(of("near")[0].node == site->node("b"));
  CHECK(of("near")[0].limit_us == 5000);
  CHECK(of("near")[1].node == site->node("a"));
  CHECK(of("near")[1].limit_us == 7000);
  CHECK(of("far").empty());
  CHECK(of("zoned").empty());
}

TEST_CASE("cluster state: pods are on their node, whichever text says its name") {
  Facts facts;
  facts.specs.resize(1);
  facts.nodes.resize(40);
  for (std::size_t i = 0; i < facts.nodes.size(); ++i)
    facts.nodes[i].name = "node-" + std::to_string(i);
  facts.pods.resize(400);
  for (std::size_t i = 0; i < facts.pods.size(); ++i) {
    Pod& pod = facts.pods[i];
    pod.phase = PodPhase::kRunning;
    const std::string name = "node-" + std::to_string(i * 7 % 50);  // ten of them do not exist
    pod.bound_node = i >= 100 && i % 3 > 0 ? facts.pods[i - 50].bound_node : SharedText(name);
  }
  const RttMatrix rtt;
  const ClusterState state(facts, rtt);
  for (std::uint32_t i = 0; i < facts.pods.size(); ++i) {
    const NodeIndex node = state.node_of(PodIndex{i});
    CHECK((node == kNoNode ? "none" : state.node(node).name.str()) ==
          (i * 7 % 50 < 40 ? "node-" + std::to_string(i * 7 % 50) : "none"));
  }
}
