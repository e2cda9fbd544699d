// A cluster that is followed: when its state is made anew, and when it need not be.
#include "gedge/plan/live_cluster.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/policy/profile.hpp"

using namespace gedge;

namespace {

Node node(const std::string& name) {
  Node made;
  made.name = name;
  made.allocatable.set("cpu", 4'000);
  made.allocatable.set("pods", 10);
  return made;
}

PodSpec spec(const std::string& resource, std::int64_t amount) {
  PodSpec made;
  Container container;
  container.name = "c";
  container.requests.set(resource, amount);
  made.containers = std::vector<Container>{container};
  return made;
}

Facts one_pod(const std::string& name, PodSpec spec, const std::string& on = "") {
  Facts facts;
  facts.specs.push_back(std::move(spec));
  Pod pod;
  pod.name = name;
  pod.uid = "uid-" + name;
  pod.bound_node = on;
  facts.pods.push_back(pod);
  return facts;
}

LiveCluster two_nodes() {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  LiveCluster cluster(std::move(options));
  Facts facts;
  facts.nodes = {node("n0"), node("n1")};
  cluster.put(std::move(facts));
  return cluster;
}

std::string place(LiveCluster& cluster, const std::string& name) {
  const PodName pod{"default", name};
  const auto decisions = cluster.place(std::vector<PodName>{pod});
  REQUIRE(decisions);
  REQUIRE(decisions->size() == 1);
  return decisions->front().chosen ? decisions->front().chosen->node.str() : "";
}

PersistentVolume disk(const std::string& name, const std::string& on) {
  PersistentVolume made;
  made.name = name;
  made.storage_class = "local";
  made.has_node_affinity = true;
  NodeSelectorTerm here;
  here.expressions.push_back({"kubernetes.io/hostname", SelectorOp::kIn, {on}});
  made.node_terms.push_back(here);
  return made;
}

PersistentVolumeClaim claim(const std::string& name) {
  PersistentVolumeClaim made;
  made.namespace_name = "default";
  made.name = name;
  made.storage_class = "local";
  return made;
}

void put_volume(LiveCluster& cluster, const std::string& name, const std::string& on,
                const std::string& claim = "") {
  Facts facts;
  facts.volumes.push_back(disk(name, on));
  if (!claim.empty()) facts.volumes.back().claim_namespace = "default";
  facts.volumes.back().claim_name = claim;
  cluster.put(std::move(facts));
}

void put_claim(LiveCluster& cluster, const std::string& name, const std::string& volume = "") {
  Facts facts;
  facts.claims.push_back(claim(name));
  facts.claims.back().volume_name = volume;
  cluster.put(std::move(facts));
}

void put_disk(LiveCluster& cluster, const std::string& name, std::int64_t bytes,
              const std::string& tier) {
  Facts facts;
  facts.volumes.push_back(disk(name, "n0"));
  facts.volumes.back().capacity_bytes = bytes;
  facts.volumes.back().labels.set("tier", tier);
  cluster.put(std::move(facts));
}

void put_request(LiveCluster& cluster, const std::string& name, std::int64_t bytes,
                 const std::string& tier = "") {
  Facts facts;
  facts.claims.push_back(claim(name));
  facts.claims.back().request_bytes = bytes;
  if (!tier.empty())
    facts.claims.back().selector.requirements.push_back({"tier", SelectorOp::kIn, {tier}});
  cluster.put(std::move(facts));
}

PodSpec with_claim(const std::string& claim) {
  PodSpec made = spec("cpu", 100);
  PodVolume used;
  used.claim = claim;
  made.volumes = std::vector<PodVolume>{used};
  return made;
}

// Whose hosts are labelled, and whose class of volumes waits for pods and makes none.
LiveCluster two_nodes_with_disks() {
  LiveCluster cluster = two_nodes();
  Facts facts;
  for (const char* name : {"n0", "n1"}) {
    facts.nodes.push_back(node(name));
    facts.nodes.back().labels.set("kubernetes.io/hostname", name);
  }
  StorageClass local;
  local.name = "local";
  local.binding = VolumeBinding::kWaitForFirstConsumer;
  local.provisions = false;
  facts.storage_classes.push_back(local);
  cluster.put(std::move(facts));
  return cluster;
}

}  // namespace

TEST_CASE("live cluster: pods that come join the state as it is") {
  LiveCluster cluster = two_nodes();
  cluster.put(one_pod("a", spec("cpu", 3'000)));
  CHECK(place(cluster, "a") == "n0");
  REQUIRE(cluster.rebuilds() == 1);
  cluster.put(one_pod("b", spec("cpu", 3'000)));
  cluster.put(one_pod("c", spec("cpu", 2'000), "n1"));  // of another template, and there already
  cluster.put(one_pod("d", spec("cpu", 1'000)));
  CHECK(place(cluster, "b").empty());
  CHECK(place(cluster, "d") == "n1");
  CHECK(cluster.rebuilds() == 1);
  REQUIRE(cluster.remove(FactKind::kPod, "default", "a"));
  CHECK(place(cluster, "b") == "n0");
  CHECK(cluster.rebuilds() == 1);
  CHECK(cluster.pod_count() == 3);
}

TEST_CASE("live cluster: a pod that comes again under a name is another one") {
  LiveCluster cluster = two_nodes();
  cluster.put(one_pod("a", spec("cpu", 3'000)));
  CHECK(place(cluster, "a") == "n0");
  for (int i = 0; i < 5; ++i) {
    REQUIRE(cluster.remove(FactKind::kPod, "default", "a"));
    Facts next = one_pod("a", spec("cpu", 3'000));
    next.pods.front().uid = "again-" + std::to_string(i);
    cluster.put(std::move(next));
    CHECK(cluster.find_pod({"default", "a"})->uid == "again-" + std::to_string(i));
    CHECK(place(cluster, "a") == "n0");
  }
  CHECK(cluster.rebuilds() == 1);
}

TEST_CASE("live cluster: a promise is ours until the cluster says so, too") {
  LiveCluster cluster = two_nodes();
  const PodName name{"default", "a"};
  const auto asking = [](const char* node) {
    Facts facts = one_pod("a", spec("cpu", 3'000));
    facts.pods.front().priority = 10;
    facts.pods.front().nominated_node = node;
    return facts;
  };
  cluster.put(one_pod("b", spec("cpu", 3'000), "n0"));
  Facts equal = one_pod("c", spec("cpu", 3'000), "n1");
  equal.pods.front().priority = 10;
  cluster.put(std::move(equal));
  cluster.put(asking(""));
  REQUIRE(place(cluster, "a").empty());
  const auto preempted = cluster.preempt(name);
  REQUIRE(preempted);
  REQUIRE(*preempted);
  CHECK((*preempted)->node == "n0");
  cluster.put(asking(""));  // told again, before the server knew of it
  CHECK(cluster.find_pod(name)->nominated_node == "n0");
  cluster.put(asking("n0"));
  CHECK(cluster.find_pod(name)->nominated_node == "n0");
  cluster.put(asking(""));  // somebody took it back
  CHECK(cluster.find_pod(name)->nominated_node.empty());
  cluster.put(asking("n1"));
  Facts next = asking("");
  next.pods.front().uid = "again";
  cluster.put(std::move(next));
  CHECK(cluster.find_pod(name)->nominated_node.empty());
}

TEST_CASE("live cluster: a promise of ours is not one to the next of that name") {
  LiveCluster cluster = two_nodes();
  Facts lesser = one_pod("b", spec("cpu", 3'000), "n0");
  lesser.nodes.push_back(node("n1"));
  lesser.nodes.back().unschedulable = true;
  cluster.put(std::move(lesser));
  Facts first = one_pod("a", spec("cpu", 3'000));
  first.pods.front().priority = 10;
  Facts next = first;
  cluster.put(std::move(first));
  const auto preempted = cluster.preempt({"default", "a"});
  REQUIRE(preempted);
  REQUIRE(*preempted);
  next.pods.front().uid = "again";
  cluster.put(std::move(next));
  CHECK(cluster.find_pod({"default", "a"})->nominated_node.empty());
}

TEST_CASE("live cluster: what has no column, or means pods by name, makes the state anew") {
  LiveCluster cluster = two_nodes();
  cluster.put(one_pod("a", spec("cpu", 1'000)));
  CHECK(place(cluster, "a") == "n0");
  cluster.put(one_pod("b", spec("example.org/card", 1)));
  CHECK(place(cluster, "b").empty());
  CHECK(cluster.rebuilds() == 2);
  PodSpec near = spec("cpu", 100);
  DelayBudget& budget = near.budgets.emplace_back();
  budget.from = "pod/a";
  budget.kind = PeerKind::kPod;
  budget.name = "a";
  budget.limit_us = 10;
  cluster.put(one_pod("c", std::move(near)));
  CHECK_FALSE(place(cluster, "c").empty());
  CHECK(cluster.rebuilds() == 3);
}

TEST_CASE("live cluster: claims and volumes come and are bound in the state as it is") {
  LiveCluster cluster = two_nodes_with_disks();
  cluster.put(one_pod("first", spec("cpu", 100)));
  REQUIRE_FALSE(place(cluster, "first").empty());
  REQUIRE(cluster.rebuilds() == 1);

  cluster.put(one_pod("a", with_claim("data-a")));
  CHECK(place(cluster, "a").empty());  // no such claim
  put_claim(cluster, "data-a");
  CHECK(place(cluster, "a").empty());  // no volume
  put_volume(cluster, "disk-1", "n1");
  CHECK(place(cluster, "a") == "n1");
  const std::vector<ClaimRequest> requests = cluster.take_claims({"default", "a"});
  REQUIRE(requests.size() == 1);
  CHECK(requests.front().volume == "disk-1");

  put_claim(cluster, "data-b");
  cluster.put(one_pod("b", with_claim("data-b")));
  CHECK(place(cluster, "b").empty());   // the only volume is promised
  put_volume(cluster, "disk-1", "n1");  // an older version of it; the promise stands
  CHECK(place(cluster, "b").empty());
  put_volume(cluster, "disk-1", "n1", "data-a");
  put_claim(cluster, "data-a", "disk-1");
  CHECK(cluster.volumes_of({"default", "a"}) == VolumesOfPod::kBound);
  const auto fits = cluster.still_fits({"default", "a"});
  REQUIRE(fits);
  CHECK(*fits);
  put_volume(cluster, "disk-0", "n0");
  CHECK(place(cluster, "b") == "n0");
  cluster.forget({"default", "b"});
  REQUIRE(cluster.remove(FactKind::kVolume, "", "disk-0"));
  CHECK(place(cluster, "b").empty());
  CHECK(cluster.rebuilds() == 1);
}

TEST_CASE("live cluster: pods that came late take volumes in the order of a state that is new") {
  // With many claims there is room for more where they are, and the state follows one by one.
  for (const int others : {0, 20}) {
    INFO(others << " other claims");
    LiveCluster cluster = two_nodes_with_disks();
    for (int i = 0; i < others; ++i) put_claim(cluster, "other-" + std::to_string(i));
    put_disk(cluster, "small", 10, "fast");
    put_disk(cluster, "large", 12, "slow");
    put_request(cluster, "of-b", 10, "fast");
    cluster.put(one_pod("b", with_claim("of-b"), "n0"));
    cluster.put(one_pod("before", spec("cpu", 100)));
    CHECK(place(cluster, "before") == "n1");
    // By name "a" is the first and takes the small disk; nothing is left that "b" may have. Were it
    // the second, it would have the large one.
    put_request(cluster, "of-a", 10);
    cluster.put(one_pod("a", with_claim("of-a"), "n0"));
    put_request(cluster, "of-c", 12);
    cluster.put(one_pod("c", with_claim("of-c")));
    CHECK(place(cluster, "c") == "n0");
    CHECK(cluster.rebuilds() == 1);
  }
}

TEST_CASE("live cluster: what is said again, or that no state keeps, costs nothing") {
  LiveCluster cluster = two_nodes();
  const auto facts = [](std::int32_t allowed) {
    Facts made;
    SpreadOwner owner;
    owner.kind = "ReplicaSet";
    owner.namespace_name = "default";
    owner.name = "web";
    made.spread_owners.push_back(owner);
    PodDisruptionBudget budget;
    budget.namespace_name = "default";
    budget.name = "web";
    budget.disruptions_allowed = allowed;
    made.disruption_budgets.push_back(budget);
    return made;
  };
  cluster.put(facts(1));
  cluster.put(one_pod("a", spec("cpu", 100)));
  REQUIRE_FALSE(place(cluster, "a").empty());
  REQUIRE(cluster.rebuilds() == 1);
  cluster.put(facts(1));
  cluster.put(facts(2));
  CHECK(cluster.remove(FactKind::kDisruptionBudget, "default", "web"));
  CHECK_FALSE(cluster.remove(FactKind::kDisruptionBudget, "default", "web"));
  cluster.put(one_pod("b", spec("cpu", 100)));
  CHECK_FALSE(place(cluster, "b").empty());
  CHECK(cluster.rebuilds() == 1);
  CHECK(cluster.remove(FactKind::kReplicaSet, "default", "web"));
  cluster.put(one_pod("c", spec("cpu", 100)));
  CHECK_FALSE(place(cluster, "c").empty());
  CHECK(cluster.rebuilds() == 2);
}

TEST_CASE("live cluster: many more pods than there were") {
  LiveCluster cluster = two_nodes();
  cluster.put(one_pod("a", spec("cpu", 1)));
  CHECK(place(cluster, "a") == "n0");
  for (int i = 0; i < 3'000; ++i) {
    const std::string name = "p" + std::to_string(i);
    cluster.put(one_pod(name, spec("cpu", 1 + i % 7), i % 2 == 0 ? "n0" : "n1"));
  }
  CHECK(cluster.pod_count() == 3'001);
  cluster.put(one_pod("z", spec("cpu", 1)));
  CHECK(place(cluster, "z").empty());  // ten pods are all that a node takes
  CHECK(cluster.rebuilds() <= 4);
}

TEST_CASE("live cluster: a node that says the same again and again costs nothing") {
  LiveCluster cluster = two_nodes();
  cluster.put(one_pod("a", spec("cpu", 3'000)));
  REQUIRE(place(cluster, "a") == "n0");
  const Node* const known = cluster.find_node("n1");
  for (int i = 0; i < 5'000; ++i) {
    Facts facts;
    facts.nodes = {node("n1")};
    facts.nodes.front().ready = i % 2 == 1;
    cluster.put(std::move(facts));
    REQUIRE(cluster.find_node("n1") == known);
    REQUIRE(known->ready == (i % 2 == 1));
  }
  cluster.put(one_pod("b", spec("cpu", 3'000)));
  CHECK(place(cluster, "b") == "n1");
  CHECK(cluster.rebuilds() == 1);
}

TEST_CASE("live cluster: a node may go before its pods, and comes again with those that are left") {
  LiveCluster cluster = two_nodes();
  cluster.put(one_pod("large", spec("cpu", 3'000), "n0"));
  cluster.put(one_pod("small", spec("cpu", 1'000), "n0"));
  cluster.put(one_pod("first", spec("cpu", 100)));
  REQUIRE(place(cluster, "first") == "n1");
  CHECK(cluster.remove(FactKind::kNode, "", "n0"));
  cluster.put(one_pod("waits", spec("cpu", 3'950)));
  CHECK(place(cluster, "waits").empty());
  CHECK(cluster.remove(FactKind::kPod, "default", "small"));
  CHECK(place(cluster, "waits").empty());
  Facts facts;
  facts.nodes = {node("n0")};
  cluster.put(std::move(facts));
  CHECK(place(cluster, "waits").empty());  // what is free of n0 is too little
  CHECK(cluster.remove(FactKind::kPod, "default", "large"));
  CHECK(place(cluster, "waits") == "n0");
}

TEST_CASE("live cluster: nodes that change without end are not kept without end") {
  LiveCluster cluster = two_nodes();
  for (int i = 0; i < 5'000; ++i) {
    Facts facts;
    facts.nodes = {node(i % 2 == 0 ? "n0" : "n1")};
    facts.nodes.front().unschedulable = i % 4 < 2;
    facts.nodes.front().images = {NodeImage({"web:" + std::to_string(i)}, i)};
    cluster.put(std::move(facts));
    if (i % 100 > 0) continue;
    const std::string name = "p" + std::to_string(i);
    cluster.put(one_pod(name, spec("cpu", 10)));
    const std::string chosen = place(cluster, name);
    const Node* const on = cluster.find_node(chosen);
    CHECK((on == nullptr || !on->unschedulable));
  }
  CHECK(cluster.rebuilds() > 3);
  CHECK(cluster.rebuilds() < 10);
  CHECK(cluster.find_node("n1")->images.front().names().front() == "web:4999");
}

TEST_CASE("shared cards: a question that changes nothing makes nothing anew") {
  LiveCluster cluster = two_nodes();
  PodSpec shares = spec("cpu", 100);
  shares.annotations.set("alibabacloud.com/gpu-milli", "500");
  cluster.put(one_pod("here", shares, "n0"));
  cluster.put(one_pod("asks", shares));
  REQUIRE(cluster.look({"default", "asks"}));
  const std::uint64_t before = cluster.rebuilds();
  REQUIRE(cluster.look({"default", "asks"}));
  CHECK(cluster.rebuilds() == before);
  cluster.remove(FactKind::kPod, "default", "here");
  REQUIRE(cluster.look({"default", "asks"}));
  CHECK(cluster.rebuilds() == before + 1);
}

TEST_CASE("no pod comes to a node that cannot be read any more, and it has what it had") {
  LiveCluster cluster = two_nodes();
  cluster.put(one_pod("here", spec("cpu", 3'000), "n0"));
  REQUIRE(cluster.look({"default", "here"}));
  Node odd = node("n0");
  odd.allocatable = {};
  odd.unschedulable = true;
  odd.unread = "'cpu' does not fit 64 bits: '100P'";
  Facts facts;
  facts.nodes = {odd};
  cluster.put(facts);
  cluster.put(one_pod("next", spec("cpu", 1'000)));
  CHECK(place(cluster, "next") == "n1");
  const auto overcommits = cluster.overcommits({SharedText("n0")});
  REQUIRE(overcommits);
  CHECK(overcommits->empty());
  CHECK(cluster.find_node("n0")->allocatable == node("n0").allocatable);
  facts.nodes = {node("n0")};
  cluster.put(std::move(facts));
  cluster.put(one_pod("last", spec("cpu", 3'500)));
  CHECK(place(cluster, "last").empty());
  CHECK_FALSE(cluster.find_node("n0")->unschedulable);
}
